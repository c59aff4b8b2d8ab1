import { takeLastLines } from './outputTail.ts';
import type { ScriptEnd, ScriptOutput } from './script.ts';

/** What was wrong with a run of `program`, with its last lines; null when it ended well. */
export function findProblem(program: string, end: ScriptEnd): string | null {
  if (end.kind === 'notStarted') return end.why;
  const lines = quote(end);
  if (end.kind === 'killed') return `${program} was killed by ${end.signal}${lines}`;
  if (end.kind === 'exited') {
    return end.code === 0 ? null : `${program} ended with exit code ${end.code}${lines}`;
  }
  return `${program} was still running and was ended; it should start the server in the background and exit${lines}`;
}

function quote(output: ScriptOutput): string {
  const lines = takeLastLines(output.stderr) || takeLastLines(output.stdout);
  return lines === '' ? '' : `: ${lines}`;
}
