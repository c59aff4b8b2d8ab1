import type { Backend } from '../core/backend.ts';
import type { PolicySettings } from '../core/policy/settings.ts';
import type { SwapSettings } from '../swap/settings.ts';

/** The whole configuration, checked and complete. Sizes in bytes, lengths of time in milliseconds; 0 = no limit. */
export interface Config {
  /** The file it was read from, or null for the embedded examples. */
  readonly file: string | null;
  readonly listen: { readonly host: string; readonly port: number };
  readonly allowedHosts: readonly string[];
  readonly auth: {
    /** Name to key; empty = open to all. */
    readonly keys: Readonly<Record<string, string>>;
    readonly open: readonly string[];
  };
  readonly swap: SwapSettings;
  readonly models: readonly Backend[];
  readonly memoryBudget: number;
  /** Model for requests that name none. */
  readonly defaultModel: string | null;
  /** Model to load at start. */
  readonly preload: string | null;
  readonly policy: PolicySettings;
  readonly queue: {
    readonly maxWaiting: number;
    readonly maxWaitingBytes: number;
    readonly timeoutMs: number;
    /** Interval of comments sent to waiting streams, or null for none. */
    readonly keepAliveMs: number | null;
  };
  readonly limits: {
    readonly bodyBytes: number;
    /** First byte of the answer, and between two of its bytes. */
    readonly requestMs: number;
    readonly idleSocketMs: number;
  };
  readonly usage: {
    readonly records: number;
    readonly path: string | null;
    readonly retention: { readonly days: number; readonly rows: number };
  };
  readonly callers: { readonly header: string };
  readonly health: { readonly stuckAfterMs: number | null };
  readonly traces: { readonly url: string | null };
  readonly watch: boolean;
}
