import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Backend, HealthCheck } from '../../src/core/backend.ts';
import { leaveNoChildren } from './processes.ts';
import { backend } from '../support/backend.ts';
import { DEAD_URL, openWorkshop, serve } from './workshop.ts';

leaveNoChildren();

const FAILS = 'exit 1';

/** The names found resident by a script and by servers that answer `body`. */
async function find(
  t: TestContext,
  script: string,
  backends: readonly Backend[],
): Promise<string[]> {
  const { swapper } = openWorkshop(t, script);
  return [...(await swapper.findResident(backends))].toSorted();
}

function serveText(t: TestContext, text: string): Promise<string> {
  return serve(t, (_, response) => response.end(text));
}

function contains(text: string | null, path = '/api/ps'): { health: HealthCheck } {
  return { health: { path, contains: text } };
}

test('the models that status calls loaded are resident', async (t) => {
  const up = await serveText(t, 'ok');
  const script = '[ "$*" = status ] && printf "qwen: loaded\\ngemma: stopped\\nphi: loaded\\n"';
  const backends = ['qwen', 'gemma', 'phi', 'mistral'].map((model) => backend(model, up));

  const names = await find(t, script, backends);

  assert.deepEqual(names, ['phi', 'qwen']);
});

test('status may name models by alias, in any case, with :latest, tags and remarks', async (t) => {
  const up = await serveText(t, 'ok');
  const output = 'CHAT:latest: Loaded\r\nqwen:7b : loaded (port: 8081)\nqwen: loading\n';
  const backends = [
    backend('Gemma', up, { aliases: ['chat'] }),
    backend('qwen:7b', up),
    backend('qwen', up),
  ];

  const names = await find(t, `cat <<'E'\n${output}E`, backends);

  assert.deepEqual(names, ['Gemma', 'qwen:7b']);
});

test('what status says of pinned models does not count', async (t) => {
  const up = await serveText(t, 'ok');
  const backends = [backend('qwen', up), backend('whisper', up, { pinned: true })];

  const names = await find(t, 'echo "qwen: loaded"; echo "whisper: loaded"', backends);

  assert.deepEqual(names, ['qwen']);
});

test('a status that a background process passes on after the exit is read', async (t) => {
  const up = await serveText(t, 'ok');
  const script = '#!/bin/bash\nexec > >(cat)\necho "qwen: loaded"\nexit 0\n';

  const names = await find(t, script, [backend('qwen', up)]);

  assert.deepEqual(names, ['qwen']);
});

test('a model that status calls loaded but whose server does not serve yet is not resident', async (t) => {
  const up = await serveText(t, 'ok');
  const loading = await serve(t, (_, response) => {
    response.statusCode = 503;
    response.end('Loading model');
  });

  const names = await find(t, 'echo "qwen: loaded"; echo "phi: loaded"', [
    backend('qwen', up),
    backend('phi', loading),
  ]);

  assert.deepEqual(names, ['qwen']);
});

test('a status that calls nothing loaded is believed, and no health is asked', async (t) => {
  const url = await serveText(t, 'ok');

  const names = await find(t, 'echo "qwen: stopped"', [backend('qwen', url)]);

  assert.deepEqual(names, []);
});

test('a status that speaks of no configured model is no answer: health is asked', async (t) => {
  const url = await serveText(t, 'ok');

  const names = await find(t, 'echo "warning: loaded late"; echo qwen', [backend('qwen', url)]);

  assert.deepEqual(names, ['qwen']);
});

test('a script that fails at status is no answer: health is asked', async (t) => {
  const url = await serveText(t, 'ok');
  const script = 'echo "qwen: stopped"; echo "no model status" >&2; exit 1';

  const names = await find(t, script, [backend('qwen', url), backend('gemma', DEAD_URL)]);

  assert.deepEqual(names, ['qwen']);
});

test('a status that hangs is ended, and health is asked', async (t) => {
  const script = 'echo "qwen: stopped"; sleep 3600';
  const { swapper } = openWorkshop(t, script, {}, { statusMs: 300 });
  const url = await serveText(t, 'ok');

  const names = await swapper.findResident([backend('qwen', url)]);

  assert.deepEqual([...names], ['qwen']);
});

test('without a swap command health is asked', async (t) => {
  const { swapper } = openWorkshop(t, '', { command: null });
  const url = await serveText(t, 'ok');

  const names = await swapper.findResident([backend('qwen', url)]);

  assert.deepEqual([...names], ['qwen']);
});

test('status gets no model in its environment', async (t) => {
  const shop = openWorkshop(t, 'set -u; echo "[$JANO_MODEL$JANO_FROM$JANO_URL$JANO_CAUSE]" > told');

  await shop.swapper.findResident([]);

  assert.equal(shop.read('told'), '[]');
});

test('pinned backends are not asked and not counted', async (t) => {
  let questions = 0;
  const url = await serve(t, (_, response) => {
    questions += 1;
    response.end();
  });

  const names = await find(t, FAILS, [backend('whisper', url, { pinned: true })]);

  assert.deepEqual([names, questions], [[], 0]);
});

test('more models than memory has room for are reported as they are seen', async (t) => {
  const backends = [
    backend('qwen', await serveText(t, 'ok')),
    backend('gemma', await serveText(t, 'ok')),
  ];

  const names = await find(t, FAILS, backends);

  assert.deepEqual(names, ['gemma', 'qwen']);
});

test('many backends are asked at once without a warning', async (t) => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  const url = await serveText(t, 'ok');
  const backends = Array.from({ length: 40 }, (_, n) => backend(`m${n}`, `${url}/${n}`));

  const names = await find(t, FAILS, backends);

  assert.deepEqual([names.length, warnings], [40, []]);
});

test('models at one URL that plain health does not tell apart are not taken for resident', async (t) => {
  const url = await serveText(t, 'ok');

  const names = await find(t, FAILS, [backend('qwen', url), backend('gemma', url)]);

  assert.deepEqual(names, []);
});

test('models at one URL are told apart by the text in their health', async (t) => {
  const url = await serveText(t, '{"models": ["qwen"]}');
  const backends = [
    backend('qwen', url, contains('qwen')),
    backend('gemma', url, contains('gemma')),
    backend('phi', url, contains(null)),
  ];

  const names = await find(t, FAILS, backends);

  assert.deepEqual(names, ['qwen']);
});

test('models at one URL with the same health check are not taken for resident', async (t) => {
  const url = await serveText(t, '{"models": ["qwen"]}');
  const backends = [
    backend('qwen', url, contains('qwen')),
    backend('qwen-long', url, contains('qwen')),
  ];

  const names = await find(t, FAILS, backends);

  assert.deepEqual(names, []);
});

test('a model whose text is a part of the text of a loaded one is not taken for resident', async (t) => {
  const url = await serveText(t, '{"models": ["qwen-coder"]}');
  const backends = [
    backend('qwen', url, contains('qwen')),
    backend('coder', url, contains('qwen-coder')),
  ];

  const names = await find(t, FAILS, backends);

  assert.deepEqual(names, ['coder']);
});

test('a model whose text is a part of the text of another is resident if that is not', async (t) => {
  const url = await serveText(t, '{"models": ["qwen"]}');
  const backends = [
    backend('qwen', url, contains('qwen')),
    backend('coder', url, contains('qwen-coder')),
  ];

  const names = await find(t, FAILS, backends);

  assert.deepEqual(names, ['qwen']);
});

test('a model that shares its URL with a pinned one is not taken for resident', async (t) => {
  const url = await serveText(t, 'ok');

  const names = await find(t, FAILS, [
    backend('qwen', url),
    backend('embed', url, { pinned: true }),
  ]);

  assert.deepEqual(names, []);
});
