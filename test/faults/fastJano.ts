import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { readStatus, type StatusView, untilStatus } from '../machine/statusView.ts';
import { fasterBy, findFaketime } from '../rig/faketime.ts';
import { createFolder } from '../support/folder.ts';
import { type Program, startProgram } from '../support/program.ts';

/** Jano as a program of its own, whose clocks and timers run 600 times as fast as those of the test. */
export interface FastJano {
  readonly url: string;
  readonly port: number;
  /** Resolves when so much time has gone by for it since the call. */
  pass(ms: number): Promise<void>;
  /** Resolves when what it tells about itself satisfies the test. */
  until(what: string, holds: (status: StatusView) => boolean): Promise<StatusView>;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** A minute of Jano's takes a tenth of a second. */
const TIMES = 600;

/** Starts it with this config; null where this machine can't: the test is then skipped and has to return. */
export async function startFastJano(
  t: TestContext,
  config: Readonly<Record<string, unknown>>,
): Promise<FastJano | null> {
  const faketime = await findFaketime();
  if (faketime.kind === 'missing') {
    t.skip(faketime.reason);
    return null;
  }
  const folder = createFolder('program');
  await writeFile(join(folder, 'jano.json'), JSON.stringify(config));
  const environment = fasterBy(faketime.path, TIMES);
  const started = Promise.withResolvers<Program>();
  // Before it would be killed, which would leave files of libfaketime's behind.
  t.after(async () => {
    const { pid, ended } = await started.promise;
    process.kill(pid, 'SIGTERM');
    await ended;
  });
  const program = startProgram(t, folder, ['--config', 'jano.json'], environment);
  started.resolve(program);
  const [, url = '', port] = await program.until(/listens on (http:\/\/127\.0\.0\.1:(\d+))/);
  return {
    url,
    port: Number(port),
    until: (what, holds) => untilStatus({ url }, what, holds),
    async pass(ms) {
      const { uptimeSeconds } = await readStatus({ url });
      const at = uptimeSeconds + ms / 1000;
      await untilStatus({ url }, `${ms} ms go by`, (now) => now.uptimeSeconds >= at);
    },
  };
}
