import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openSwapRig, type SwapRig } from './swapRig.ts';

const SCRIPT = join(import.meta.dirname, '../../src/examples/swap.sh');

/** The shipped example servers with their swap script; none runs yet. They load in no time, unless told otherwise. */
export function openExampleRig(
  t: TestContext,
  models: readonly string[],
  args = '--load-ms 0 --words-per-second 500',
): Promise<SwapRig> {
  return openSwapRig(t, SCRIPT, models, async ({ folder, ports }) => ({
    JANO_EXAMPLE_MODELS: [...ports].map(([model, port]) => `${model}=${port}`).join(' '),
    JANO_EXAMPLE_STATE: folder,
    JANO_EXAMPLE_NODE: process.execPath,
    JANO_EXAMPLE_PARENT: String(process.pid),
    JANO_EXAMPLE_ARGS: args,
  }));
}
