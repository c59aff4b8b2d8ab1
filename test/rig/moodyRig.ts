import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openSwapRig, type SwapRig } from './swapRig.ts';

/** For each model the arguments of `moodyServer.ts` for its first start, its second and so on. */
export type Moods = Readonly<Record<string, readonly string[]>>;

/** Real servers that go wrong, with a script that waits for nothing; none runs yet. On one port they have the same URL. */
export async function openMoodyRig(
  t: TestContext,
  moods: Moods,
  { onOnePort = false } = {},
): Promise<SwapRig> {
  const models = Object.keys(moods);
  let shared = 0;
  const rig = await openSwapRig(
    t,
    join(import.meta.dirname, 'moody.sh'),
    models,
    async ({ folder, ports }) => {
      for (const [model, lines] of Object.entries(moods)) {
        await writeFile(join(folder, `${model}.moods`), `${lines.join('\n')}\n`);
      }
      [shared = 0] = ports.values();
      const places = [...ports].map(([model, port]) => `${model}=${onOnePort ? shared : port}`);
      return {
        MOODY_NODE: process.execPath,
        MOODY_SERVER: join(import.meta.dirname, 'moodyServer.ts'),
        MOODY_STATE: folder,
        MOODY_PORTS: places.join(' '),
      };
    },
  );
  return onOnePort ? { ...rig, urlOf: () => `http://127.0.0.1:${shared}` } : rig;
}
