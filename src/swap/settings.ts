/** How swaps are done: the user's program and its limits. */
export interface SwapSettings {
  /** Program and leading arguments; `<model>`, `status` or `unload <model>` is appended. Null: nothing can be swapped. */
  readonly command: readonly [string, ...string[]] | null;
  /** Folder the program runs in. */
  readonly directory: string;
  /** Variables added to the program's environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Script and readiness together. */
  readonly timeoutMs: number;
  /** Pause between two questions to a backend's health. */
  readonly pollMs: number;
}

/** Limits of the swapper that nobody has to configure; tests make them short. */
export interface SwapLimits {
  /** From TERM to KILL. */
  readonly graceMs: number;
  /** One question to a backend. */
  readonly probeMs: number;
  /** The question for its slots at work: llama-server answers it only between two batches of a prompt. */
  readonly busySlotsMs: number;
  /** The script's `status`. */
  readonly statusMs: number;
}
