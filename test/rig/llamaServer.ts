import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A llama-server that runs on this machine, or why there is none. */
export type LlamaServer =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly reason: string };

const INSTALLER = join(import.meta.dirname, 'install-llama-server.sh');
const DESTINATION = join(import.meta.dirname, '../../.cache/llama-server');
const INSTALL_TIMEOUT_MS = 600_000;

const run = promisify(execFile);

/**
 * $LLAMA_SERVER, else the one on the PATH, else one that is installed into .cache, which takes seconds the first time.
 * Rejects where there is none but CI=1 or JANO_REQUIRE_LLAMA=1 says that there must be.
 */
export async function findLlamaServer(): Promise<LlamaServer> {
  const { LLAMA_SERVER: named, CI, JANO_REQUIRE_LLAMA } = process.env;
  const server = named ? await tryServer(named) : await findOrInstall();
  if (server.kind === 'missing' && (CI === '1' || JANO_REQUIRE_LLAMA === '1')) {
    throw new Error(`no llama-server: ${server.reason}`);
  }
  return server;
}

async function findOrInstall(): Promise<LlamaServer> {
  const onPath = await tryServer('llama-server');
  if (onPath.kind === 'found') return onPath;
  try {
    await run(INSTALLER, [DESTINATION], { timeout: INSTALL_TIMEOUT_MS });
  } catch (error) {
    return { kind: 'missing', reason: tellReason(error) };
  }
  return tryServer(join(DESTINATION, 'bin/llama-server'));
}

async function tryServer(path: string): Promise<LlamaServer> {
  try {
    await run(path, ['--version']);
    return { kind: 'found', path };
  } catch (error) {
    return { kind: 'missing', reason: tellReason(error) };
  }
}

/** The last line that the program wrote, else what kept it from running. */
function tellReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const written = 'stderr' in error ? String(error.stderr).trim() : '';
  return written.split('\n').at(-1) || error.message;
}
