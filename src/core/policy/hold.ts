import { type Claim, closesAt } from './claim.ts';
import { expectedSwapMs, lingerMs } from './costs.ts';
import type { ModelState, PolicyState } from './state.ts';
import { quoted } from './words.ts';

/** Why a swap that could begin is put off, and until when. */
export interface Hold {
  readonly until: number;
  readonly why: string;
}

/** Until when victims that run nothing are kept; null when they may go. */
export function findHold(
  state: PolicyState,
  claim: Claim,
  victims: readonly ModelState[],
  now: number,
): Hold | null {
  if (victims.length === 0) return null;
  const hold = holdForTurn(state, claim, victims) ?? holdForReturn(state, claim, victims, now);
  return hold.until > now ? hold : null;
}

/** Who waits only for a slot that works for nobody keeps its turn, but no longer: that work may take for ever. */
function holdForTurn(
  state: PolicyState,
  claim: Claim,
  victims: readonly ModelState[],
): Hold | null {
  const owing = victims.find(({ orphans, waiting }) => orphans > 0 && waiting.length > 0);
  if (owing === undefined) return null;
  const until = closesAt(state, owing, claim);
  const why = `${quoted(owing.model)} has its turn and gets a free slot soon`;
  return { until, why };
}

/** A blink for the rest of a burst, longer for callers about to return. */
function holdForReturn(
  state: PolicyState,
  claim: Claim,
  victims: readonly ModelState[],
  now: number,
): Hold {
  let until = claim.head.queuedAt + settleMs(state, claim.target);
  let why = 'the rest of a burst may follow';
  for (const victim of victims) {
    const linger = {
      plain: lingerMs(state, victim, 'plain'),
      toolCall: lingerMs(state, victim, 'toolCall'),
    };
    const closes = closesAt(state, victim, claim);
    for (const away of victim.away.values()) {
      const returnsBy = away.since + linger[away.after];
      if (returnsBy <= now) continue;
      const held = Math.min(returnsBy, closes);
      if (held <= until) continue;
      until = held;
      why = `a caller of ${quoted(victim.model)} usually comes back by now`;
    }
  }
  return { until, why };
}

function settleMs(state: PolicyState, target: ModelState): number {
  const { settleShare, settleMinMs, settleMaxMs } = state.settings;
  const share = settleShare * expectedSwapMs(state, target);
  return Math.min(settleMaxMs, Math.max(settleMinMs, share));
}
