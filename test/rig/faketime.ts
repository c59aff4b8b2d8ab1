import { findTool, run, type Tool } from './tool.ts';

/** libfaketime, which makes the clocks and timers of a program faster: as installed into .cache; see `findTool`. */
export function findFaketime(): Promise<Tool> {
  return findTool({
    name: 'libfaketime',
    folder: 'faketime',
    path: 'lib/libfaketime.so.1',
    elsewhere: null,
    check: async (path) => {
      const env = fasterBy(path, 1000);
      const timer = 'const at = Date.now(); setTimeout(() => console.log(Date.now() - at), 1e5)';
      await run(process.execPath, ['-e', timer], { env, timeout: 20_000 });
    },
  });
}

/** The environment in which a program's time runs so many times as fast. One that is killed leaves files of it behind. */
export function fasterBy(library: string, times: number): Readonly<Record<string, string>> {
  return { LD_PRELOAD: library, FAKETIME: `+0 x${times}` };
}
