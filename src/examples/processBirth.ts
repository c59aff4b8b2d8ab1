import { existsSync, readFileSync } from 'node:fs';

/**
 * When a process was started, in a form that only serves to compare: it tells the process from a later one that got the
 * same number. Null when it does not run. Where there is no /proc, all running processes look alike.
 */
export function findBirth(pid: number): string | null {
  if (!existsSync('/proc/self/stat')) return answersToSignals(pid) ? 'unknown' : null;
  const [state, ...rest] = readStat(pid);
  // A process that ended but was not reaped yet, as happens below a container's first process, still has its entry.
  if (state === undefined || state === 'Z' || state === 'X') return null;
  return rest[18] ?? null;
}

/** The fields of /proc/PID/stat from the state on; none when there is no such process. */
function readStat(pid: number): readonly string[] {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name comes before, in parentheses, and may itself hold any of these characters.
    return line.slice(line.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function answersToSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
