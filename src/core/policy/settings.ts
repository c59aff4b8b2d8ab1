/** Every constant of the policy. Lengths of time in milliseconds; tests scale them all. */
export interface PolicySettings {
  /** In saturation at most this share of the time goes into swapping; it sets the length of a turn. */
  readonly swapShare: number;
  readonly minTurnMs: number;
  readonly maxTurnMs: number;
  /** An idle model is held for a returning caller at most this many swap times; 0 = never. */
  readonly linger: number;
  /** What a swap is taken to cost before any was measured. */
  readonly priorSwapMs: number;
  /** Share of a turn that a model whose turn is over may still take newcomers. */
  readonly graceShare: number;
  /** Before leaving an idle model: this share of a swap, within the two bounds, for the rest of a burst. */
  readonly settleShare: number;
  /** A burst takes as long to arrive however quick a swap is. */
  readonly settleMinMs: number;
  readonly settleMaxMs: number;
  /** How many gaps between a reply and the same caller's next request are remembered per model and kind. */
  readonly gapsKept: number;
  /** How many callers per model are remembered as "answered, not yet back". */
  readonly awayKept: number;
  /** Hold after a reply that ended in a tool call while no gap was seen yet: at most this. */
  readonly toolLingerMs: number;
  /** A learned hold is made longer by this factor and this much, so that a usual gap fits in. */
  readonly lingerFactor: number;
  readonly lingerSlackMs: number;
  /** How long requests for a model are refused after its swap failed for good. */
  readonly refuseMs: number;
  /** A request that has waited this long is rejected; 0 = never. */
  readonly queueTimeoutMs: number;
}

export const defaultPolicy: PolicySettings = {
  swapShare: 0.2,
  minTurnMs: 30_000,
  maxTurnMs: 300_000,
  linger: 0.5,
  priorSwapMs: 20_000,
  graceShare: 1 / 8,
  settleShare: 0.025,
  settleMinMs: 100,
  settleMaxMs: 1_000,
  gapsKept: 16,
  awayKept: 64,
  toolLingerMs: 10_000,
  lingerFactor: 1.25,
  lingerSlackMs: 50,
  refuseMs: 30_000,
  queueTimeoutMs: 0,
};
