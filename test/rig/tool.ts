import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The path of a tool that works on this machine, or why there is none. */
export type Tool =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly reason: string };

/** A tool that a script of this folder puts into .cache. */
export interface WantedTool {
  readonly name: string;
  /** The script install-<folder>.sh puts it into .cache/<folder>, to be found there at `path`. */
  readonly folder: string;
  readonly path: string;
  /** Another path at which it may be already. */
  readonly elsewhere: string | null;
  /** The user's own: no other is looked for. */
  readonly named?: string | undefined;
  /** Rejects when the one at that path does not work. */
  readonly check: (path: string) => Promise<unknown>;
}

/** What the rigs fetch and build, so that it is done once. */
export const CACHE = join(import.meta.dirname, '../../.cache');
const INSTALL_TIMEOUT_MS = 600_000;

/** Runs a program; rejects when it fails. */
export const run = promisify(execFile);

/**
 * The tool where it is already, else as it is installed, which takes seconds the first time.
 * Rejects where there is none but CI=1 or JANO_REQUIRE_LLAMA=1 says that there must be.
 */
export async function findTool(wanted: WantedTool): Promise<Tool> {
  const { CI, JANO_REQUIRE_LLAMA } = process.env;
  const tool = wanted.named ? await tryTool(wanted.named, wanted) : await findOrInstall(wanted);
  if (tool.kind === 'missing' && (CI === '1' || JANO_REQUIRE_LLAMA === '1')) {
    throw new Error(`no ${wanted.name}: ${tool.reason}`);
  }
  return tool;
}

async function findOrInstall(wanted: WantedTool): Promise<Tool> {
  if (wanted.elsewhere !== null) {
    const tool = await tryTool(wanted.elsewhere, wanted);
    if (tool.kind === 'found') return tool;
  }
  const destination = join(CACHE, wanted.folder);
  try {
    const installer = join(import.meta.dirname, `install-${wanted.folder}.sh`);
    await run(installer, [destination], { timeout: INSTALL_TIMEOUT_MS });
  } catch (error) {
    return { kind: 'missing', reason: tellReason(error) };
  }
  return tryTool(join(destination, wanted.path), wanted);
}

async function tryTool(path: string, { check }: WantedTool): Promise<Tool> {
  try {
    await check(path);
    return { kind: 'found', path };
  } catch (error) {
    return { kind: 'missing', reason: tellReason(error) };
  }
}

/** The last line that the program wrote, else what kept it from running. */
export function tellReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const written = 'stderr' in error ? String(error.stderr).trim() : '';
  return written.split('\n').at(-1) || error.message;
}
