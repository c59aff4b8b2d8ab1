/** A model as the simulated machine runs it. */
export interface SimModel {
  readonly model: string;
  /** How long a swap to it takes, without jitter. */
  readonly loadMs: number;
  readonly memory: number;
  /** Most requests its server works on at once. */
  readonly parallel: number;
  /** Speeds of one request that is alone. */
  readonly inputTokensPerSecond: number;
  readonly outputTokensPerSecond: number;
  /** n requests at once get n^sharing times the speed of one, all together. */
  readonly sharing: number;
}

/** One request of a trace. */
export interface TraceRequest {
  readonly id: number;
  readonly caller: string;
  readonly model: string;
  readonly inputTokens: number;
  /** Older conversation: free while the model has stayed resident since the caller's last request. */
  readonly contextTokens: number;
  readonly outputTokens: number;
  /** It is sent when the last of these has been answered; empty = it depends on none. */
  readonly after: readonly number[];
  /** Counted from then, or from the start of the trace if it depends on none. */
  readonly delayMs: number;
  readonly endsInToolCall: boolean;
}

/** A machine, and what is asked of it. */
export interface Trace {
  readonly models: readonly SimModel[];
  readonly memoryBudget: number;
  /** Models that are resident at the start. */
  readonly resident: readonly string[];
  readonly requests: readonly TraceRequest[];
}

/** How long one request takes when it is alone; a warm one finds its context still in the server. */
export function serviceMs(model: SimModel, request: TraceRequest, isWarm: boolean): number {
  const inputTokens = request.inputTokens + (isWarm ? 0 : request.contextTokens);
  const inputSeconds = inputTokens / model.inputTokensPerSecond;
  return 1000 * (inputSeconds + request.outputTokens / model.outputTokensPerSecond);
}
