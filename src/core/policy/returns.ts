import type { ModelState, PolicyState, ReplyKind } from './state.ts';

/** A caller got its last reply from a model and has nothing else there: from now on it is away. */
export function noteReply(
  state: PolicyState,
  model: ModelState,
  caller: string,
  after: ReplyKind,
  now: number,
): void {
  model.away.set(caller, { since: now, after, missed: false });
  if (model.away.size <= state.settings.awayKept) return;
  const [oldest] = model.away.keys();
  if (oldest !== undefined) model.away.delete(oldest);
}

/** A caller that was away is back: the gap is learned, for another model it counts as never. */
export function noteReturn(state: PolicyState, caller: string, toModel: string, now: number): void {
  for (const model of state.models.values()) {
    const away = model.away.get(caller);
    if (away === undefined) continue;
    const gap = model.model === toModel ? now - away.since : Number.POSITIVE_INFINITY;
    learnGap(state, model, away.after, gap);
    model.away.delete(caller);
  }
}

/** A caller still away when the model leaves for the second time has not come back: that is a gap, too. */
export function noteAbsentCallers(state: PolicyState, model: ModelState): void {
  for (const [caller, away] of model.away) {
    if (away.missed) {
      learnGap(state, model, away.after, Number.POSITIVE_INFINITY);
      model.away.delete(caller);
    } else {
      model.away.set(caller, { ...away, missed: true });
    }
  }
}

function learnGap(state: PolicyState, model: ModelState, after: ReplyKind, gap: number): void {
  const gaps = model.gaps[after];
  gaps.push(gap);
  if (gaps.length > state.settings.gapsKept) gaps.shift();
}
