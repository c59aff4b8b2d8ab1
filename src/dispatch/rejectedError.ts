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
