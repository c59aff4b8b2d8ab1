import type { Problem } from '../problem.ts';

/** Looks at a request's body as its bytes pass and finds out what it names. */
export interface BodyReader {
  push(chunk: Buffer): void;
  /** Resolves once all that was pushed has been looked at; nothing comes after it. Never rejects. */
  finish(): Promise<void>;
  /** The last top-level field of that name that is a text; undefined when there is none. */
  get(field: string): string | undefined;
  /** The whole body as a value if it is JSON of at most 1 MiB, else undefined. */
  value(): unknown;
  /** Why the body cannot be trusted to name a model, or null. */
  problem(): Problem | null;
  /** Nobody wants to know any more. */
  drop(): void;
}
