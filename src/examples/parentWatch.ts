import { findBirth } from './processBirth.ts';

const CHECK_EACH_MS = 1000;

/** Calls `onGone` once, within a second of the end of that process; at once if it does not run. Keeps nothing alive. */
export function watchParent(pid: number, onGone: () => void): void {
  const birth = findBirth(pid);
  if (birth === null) return onGone();
  const timer = setInterval(() => {
    if (findBirth(pid) === birth) return;
    clearInterval(timer);
    onGone();
  }, CHECK_EACH_MS);
  timer.unref();
}
