import { findTool, run, type Tool } from './tool.ts';

/** $LLAMA_SERVER, else the one on the PATH, else one that is installed into .cache; see `findTool`. */
export function findLlamaServer(): Promise<Tool> {
  return findTool({
    name: 'llama-server',
    folder: 'llama-server',
    path: 'bin/llama-server',
    elsewhere: 'llama-server',
    named: process.env['LLAMA_SERVER'],
    check: (path) => run(path, ['--version']),
  });
}
