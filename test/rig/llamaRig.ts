import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { makeTinyModel } from '../../src/examples/tiny/tinyModel.ts';
import type {
  TinyModelKind,
  TinyModelSettings,
} from '../../src/examples/tiny/tinyModelSettings.ts';
import { findLlamaServer } from './llamaServer.ts';
import { openSwapRig, type SwapRig } from './swapRig.ts';

/** What a rig is to have. */
export interface LlamaRigOptions {
  /** Each gets a tiny model of its own, named `tiny-<model>` unless told otherwise. */
  readonly models: Readonly<Record<string, { kind: TinyModelKind } & Partial<TinyModelSettings>>>;
  /** More arguments for all servers, as on a command line. */
  readonly args?: string;
}

const SCRIPT = join(import.meta.dirname, '../../src/examples/llama.sh');
const ARGS_OF_KINDS: Partial<Record<TinyModelKind, string>> = {
  embed: '--embedding',
  rerank: '--rerank',
};

/**
 * Tiny models and the shipped script that swaps real llama-servers; none runs yet. Null where this machine can't have a
 * llama-server: the test is then skipped and has to return.
 */
export async function startLlamaRig(
  t: TestContext,
  { models, args = '' }: LlamaRigOptions,
): Promise<SwapRig | null> {
  const server = await findLlamaServer();
  if (server.kind === 'missing') {
    t.skip(server.reason);
    return null;
  }
  return openSwapRig(t, SCRIPT, Object.keys(models), async ({ folder, ports }) => {
    const rows = Object.entries(models).map(async ([name, { kind, ...options }]) => {
      const path = join(folder, `${name}.gguf`);
      await writeFile(path, makeTinyModel(kind, { name: `tiny-${name}`, ...options }));
      return `${name} ${ports.get(name)} -m '${path}' ${ARGS_OF_KINDS[kind] ?? ''}`;
    });
    return {
      LLAMA_SERVER: server.path,
      LLAMA_MODELS: (await Promise.all(rows)).join('\n'),
      LLAMA_ARGS: `-t 1 ${args}`,
      LLAMA_STATE: folder,
    };
  });
}
