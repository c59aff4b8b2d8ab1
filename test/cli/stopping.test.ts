import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { untilStatus } from '../machine/statusView.ts';
import { createFolder } from '../support/folder.ts';
import { startProgram } from '../support/program.ts';
import { openRaw } from '../support/rawHttp.ts';

const LISTENS = /listens on (http:\/\/127\.0\.0\.1:(\d+))/;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`at ${signal} 200 requests are each answered or told, and open pages do not hold it up`, async (t) => {
    const folder = createFolder('program');
    const jano = startProgram(t, folder);
    const [, url = '', port] = await jano.until(LISTENS);
    const ask = async (model: string): Promise<string> => {
      const body = JSON.stringify({
        model,
        stream: true,
        messages: [{ role: 'user', content: '' }],
      });
      const init = { method: 'POST', body };
      const response = await fetch(`${url}/v1/chat/completions`, init);
      const text = await response.text();
      if (response.status === 503 && text.includes('jano is stopping')) return 'told';
      return text.endsWith('data: [DONE]\n\n') ? 'answered' : `${response.status} ${text}`;
    };
    const page = await openRaw(t, Number(port), 'GET /ui HTTP/1.1\r\nHost: jano\r\n\r\n');

    const asked = Array.from({ length: 200 }, (_, index) => ask(index % 2 ? 'chat' : 'code'));
    const busy = await untilStatus(
      { url },
      'they run and wait',
      ({ inFlight, queueDepth }) => inFlight > 0 && inFlight + queueDepth === 200,
    );
    process.kill(jano.pid, signal);
    const endings = await Promise.all(asked);

    assert.deepEqual(await jano.ended, { code: 0, signal: null });
    await page.closed();
    assert.deepEqual(new Set(endings), new Set(['answered', 'told']));
    const answered = endings.filter((ending) => ending === 'answered');
    assert.ok(answered.length >= busy.inFlight, `${answered.length} of ${busy.inFlight}`);
    assert.deepEqual(await readdir(folder), []);
  });
}
