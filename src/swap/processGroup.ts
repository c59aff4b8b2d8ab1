import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/** Ends all processes of a child's group: TERM, and KILL for those still there after `graceMs`. Takes about twice that at most. */
export async function endGroup(groupId: number, graceMs: number): Promise<void> {
  signalGroup(groupId, 'SIGTERM');
  if (await isGoneWithin(groupId, graceMs)) return;
  signalGroup(groupId, 'SIGKILL');
  // Bounded as well: a process stuck in a driver outlives KILL.
  await isGoneWithin(groupId, graceMs);
}

/** Kills all processes of a child's group should this process exit before the result is called; a SIGKILL leaves no time for it. */
export function tieGroup(groupId: number): () => void {
  const kill = (): void => void signalGroup(groupId, 'SIGKILL');
  process.once('exit', kill);
  return () => process.off('exit', kill);
}

async function isGoneWithin(groupId: number, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (await hasMembers(groupId)) {
    if (performance.now() > deadline) return false;
    await pause(LOOK_EVERY_MS);
  }
  return true;
}

async function hasMembers(groupId: number): Promise<boolean> {
  if (!signalGroup(groupId, 0)) return false;
  // Orphans that ended may stay as zombies: in many containers process 1 reaps none.
  const processIds = await readdir('/proc').catch(() => null);
  if (processIds === null) return true;
  const isMember = await Promise.all(processIds.map((id) => isLiving(id, groupId)));
  return isMember.includes(true);
}

async function isLiving(processId: string, groupId: number): Promise<boolean> {
  if (!/^\d+$/.test(processId)) return false;
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => '');
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // The child itself is there until Node has reaped it.
  return Number(group) === groupId && (state !== 'Z' || Number(processId) === groupId);
}

/** False when no process is left in the group that may be signalled. */
function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-groupId, signal);
    return true;
  } catch {
    return false;
  }
}
