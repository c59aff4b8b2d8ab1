/** Why a request was never sent to a backend. */
export type Rejection =
  | 'queue_full'
  | 'queue_timeout'
  | 'swap_failed'
  | 'not_resident'
  | 'stopping';

/** The request will not be forwarded; `message` says why and what to do. */
export class RejectedError extends Error {
  readonly reason: Rejection;
  /** When it is worth trying again, or null. */
  readonly retryAfterSeconds: number | null;

  constructor(reason: Rejection, message: string, retryAfterSeconds: number | null) {
    super(message);
    this.name = 'RejectedError';
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Jano ends; another instance may take over soon. */
export function stopping(): RejectedError {
  return new RejectedError('stopping', 'jano is stopping', 5);
}

/** As many wait as may, or with as many bytes, and this one would have to wait, too. */
export function queueFull(why: string): RejectedError {
  return new RejectedError('queue_full', `the queue is full: ${why}`, 10);
}

/** It has waited as long as a request may; `why` says for what. */
export function queueTimeout(why: string): RejectedError {
  return new RejectedError('queue_timeout', why, 10);
}

/** Its kind of request loads nothing, and the model is not there, or not for long (`isLeaving`). */
export function notResident(model: string, isLeaving: boolean): RejectedError {
  const why = isLeaving
    ? 'is about to make room for another, and a request of this kind does not hold that up'
    : 'is not loaded, and a request of this kind does not load it';
  return new RejectedError('not_resident', `model "${model}" ${why}`, null);
}

/** The model cannot be had for now; requests for it are refused for another `refuseMs`. */
export function swapFailed(model: string, cause: string, refuseMs: number): RejectedError {
  const message = `model "${model}" could not be loaded: ${cause}`;
  return new RejectedError('swap_failed', message, Math.max(1, Math.ceil(refuseMs / 1000)));
}
