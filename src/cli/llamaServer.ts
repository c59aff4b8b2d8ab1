import { access, constants } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { DemoError } from './demoError.ts';

/** The llama-server to use: $LLAMA_SERVER, else the first on the PATH. Rejects with what to do when there is none. */
export async function findLlamaServer(environment: NodeJS.ProcessEnv): Promise<string> {
  const named = environment['LLAMA_SERVER'];
  if (named) {
    if (await isProgram(named)) return resolve(named);
    throw new DemoError(`LLAMA_SERVER names "${named}", which is no program that can be run`);
  }
  for (const folder of (environment['PATH'] ?? '').split(delimiter)) {
    const program = join(folder, 'llama-server');
    if (folder !== '' && (await isProgram(program))) return resolve(program);
  }
  throw new DemoError(
    'there is no llama-server on the PATH; install one, or set LLAMA_SERVER to its path',
  );
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
