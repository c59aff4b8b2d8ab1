import type { Backend } from '../core/backend.ts';
import { type Answer, askBackend, toAddress } from './answer.ts';
import { runWithin } from './limit.ts';

/** One look at a backend's health. */
export interface Health {
  readonly isHealthy: boolean;
  /** The address that was asked and what it said, for people. */
  readonly seen: string;
}

const MEANINGS: Readonly<Record<string, string>> = {
  ABORT_ERR: 'no answer',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENOTFOUND: 'unknown host',
};

/** Asks the backend's health check once, for at most `limitMs` and no longer than until `stop` fires. Never rejects. */
export async function askHealth(
  backend: Backend,
  limitMs: number,
  stop: AbortSignal,
): Promise<Health> {
  const address = toAddress(backend, backend.health.path);
  try {
    const answer = await runWithin(limitMs, stop, (limit) =>
      askBackend(backend, backend.health.path, limit),
    );
    return judge(address, backend.health.contains, answer);
  } catch (error) {
    return { isHealthy: false, seen: `${address}: ${describeFailure(error)}` };
  }
}

function judge(address: string, contains: string | null, { status, body }: Answer): Health {
  if (status < 200 || status > 299) {
    return { isHealthy: false, seen: `${address} answered ${status}` };
  }
  if (contains !== null && !body.includes(contains)) {
    return { isHealthy: false, seen: `${address} answered ${status} without "${contains}"` };
  }
  return { isHealthy: true, seen: `${address} answered ${status}` };
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  return MEANINGS[code] ?? error.message;
}
