/** One configured model server and what Jano has to know of it. */
export interface Backend {
  /** The name callers send in `model`. Unique, as written in the config. */
  readonly model: string;
  readonly aliases: readonly string[];
  /** What people call it, or null. */
  readonly label: string | null;
  /** Base URL of the server, without a trailing slash. Several backends may share one. */
  readonly url: string;
  /** Most requests the server takes at once; `auto` asks the server once it is resident. */
  readonly parallel: number | 'auto';
  /** Memory while resident, in the unit of `memory.budget`. */
  readonly memory: number;
  /** Always resident, never swapped, takes no memory of the budget. */
  readonly pinned: boolean;
  readonly health: HealthCheck;
  /** Unload after this long without work; 0 = never. */
  readonly ttlMs: number;
  /** Headers added to every request for this backend. */
  readonly headers: Readonly<Record<string, string>>;
  /** Routes it serves, without /v1, such as `audio/transcriptions`; empty = any. */
  readonly endpoints: readonly string[];
}

/** How to see that a model can serve: the path answers 2xx and, if `contains` is set, its body holds that text. */
export interface HealthCheck {
  readonly path: string;
  readonly contains: string | null;
}
