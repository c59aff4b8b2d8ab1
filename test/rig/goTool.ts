import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE, run, tellReason, type Tool } from './tool.ts';

/** A program that the Go toolchain of this machine builds from published modules. */
export interface GoProgram {
  readonly name: string;
  readonly version: string;
  /** What lies in the folder in which it is built, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** What go does there, one after the other; the last leaves the program under its name. */
  readonly steps: readonly (readonly string[])[];
}

/** Two cores that nothing is cached for need about ten minutes for the biggest. */
const STEP_TIMEOUT_MS = 1_800_000;

/** Far more than go has ever said. */
const OUTPUT_BYTES = 64_000_000;

/**
 * The program from .cache/stack, else as it is built there, once for each version. The modules and what was compiled
 * go where Go keeps them on this machine. `tell` gets a line when it takes long.
 */
export async function findGoProgram(
  program: GoProgram,
  tell: (line: string) => void,
): Promise<Tool> {
  const folder = join(CACHE, 'stack', `${program.name}-${program.version}`);
  const path = join(folder, program.name);
  try {
    if (await works(path)) return { kind: 'found', path };
    await build(program, folder, tell);
    return { kind: 'found', path };
  } catch (error) {
    return {
      kind: 'missing',
      reason: `${program.name} ${program.version} cannot be built: ${tellReason(error)}`,
    };
  }
}

async function build(
  { name, version, files, steps }: GoProgram,
  folder: string,
  tell: (line: string) => void,
): Promise<void> {
  if (!(await works('go', 'version'))) throw new Error('there is no Go toolchain');
  tell(`building ${name} ${version}, once; that takes minutes`);
  const beganAt = performance.now();
  await mkdir(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  for (const step of steps) {
    await run('go', step, { cwd: folder, timeout: STEP_TIMEOUT_MS, maxBuffer: OUTPUT_BYTES });
  }
  tell(`built ${name} in ${Math.round((performance.now() - beganAt) / 1000)} s`);
}

async function works(path: string, argument = '--help'): Promise<boolean> {
  return run(path, [argument]).then(
    () => true,
    () => false,
  );
}
