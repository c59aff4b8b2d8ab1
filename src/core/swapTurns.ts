import type { RequestRecord, SwapRecord } from './record.ts';

/** A swap, and what it cost those who came back to its model. */
export interface FollowedSwap extends SwapRecord {
  /**
   * Prompt tokens that no cache spared, summed over the first requests of the callers that had used the
   * model before, in the turn that followed; null while none of them has told its own.
   */
  readonly promptTokensAfter: number | null;
}

/** Callers remembered for each model; who was longest away counts as new again. */
const CALLERS_KEPT = 1000;

/** Follows the turn of a model after each swap: from its loading to its leaving. */
export class SwapTurns {
  readonly #turns = new Map<string, Turn>();
  /** For each model, who has used it, and in which turn first; least recently seen first. */
  readonly #firstTurns = new Map<string, Map<string, number>>();
  #lastNumber = 0;

  /** The record as it is to be kept: what is not known yet shows once it is. */
  swapClosed(record: SwapRecord): FollowedSwap {
    for (const model of [record.to, ...record.from]) this.#end(model);
    if (record.outcome !== 'ok') return { ...record, promptTokensAfter: null };
    const turn = new Turn(++this.#lastNumber);
    this.#turns.set(record.to, turn);
    return {
      ...record,
      get promptTokensAfter() {
        return turn.promptTokens;
      },
    };
  }

  /** Requests without a prompt, such as GET /props, tell nothing of this. */
  requestClosed(record: RequestRecord): void {
    if (record.model === null || record.dispatchedAt === null || record.operation === null) return;
    const turn = this.#turns.get(record.model);
    const firstTurn = this.#noteUse(record.model, record.caller, turn?.number ?? 0);
    if (turn !== undefined && firstTurn !== turn.number) turn.add(record, record.dispatchedAt);
  }

  #end(model: string): void {
    this.#turns.get(model)?.end();
    this.#turns.delete(model);
  }

  #noteUse(model: string, caller: string, turnNumber: number): number {
    const callers = this.#firstTurns.get(model) ?? new Map<string, number>();
    this.#firstTurns.set(model, callers);
    const first = callers.get(caller) ?? turnNumber;
    callers.delete(caller);
    callers.set(caller, first);
    if (callers.size > CALLERS_KEPT) {
      const [oldest] = callers.keys();
      if (oldest !== undefined) callers.delete(oldest);
    }
    return first;
  }
}

interface FirstRequest {
  readonly id: number;
  readonly dispatchedAt: number;
  readonly promptTokens: number | null;
}

class Turn {
  readonly number: number;
  /** Of each returning caller. */
  readonly #firstRequests = new Map<string, FirstRequest>();
  #promptTokens: number | null = null;
  #isOver = false;

  constructor(number: number) {
    this.number = number;
  }

  get promptTokens(): number | null {
    return this.#isOver ? this.#promptTokens : sumOf(this.#firstRequests.values());
  }

  /** The first to end need not have been the first to begin. */
  add({ id, caller, usage }: RequestRecord, dispatchedAt: number): void {
    const known = this.#firstRequests.get(caller);
    if (known === undefined && this.#firstRequests.size >= CALLERS_KEPT) return;
    const isFirst =
      known === undefined ||
      dispatchedAt < known.dispatchedAt ||
      (dispatchedAt === known.dispatchedAt && id < known.id);
    if (!isFirst) return;
    this.#firstRequests.set(caller, { id, dispatchedAt, promptTokens: uncachedOf(usage) });
  }

  /** Keeps the sum alone: the swap is remembered for long. */
  end(): void {
    this.#promptTokens = this.promptTokens;
    this.#isOver = true;
    this.#firstRequests.clear();
  }
}

function sumOf(requests: Iterable<FirstRequest>): number | null {
  const known = [...requests].flatMap(({ promptTokens }) => promptTokens ?? []);
  return known.length === 0 ? null : known.reduce((sum, tokens) => sum + tokens, 0);
}

/** A backend that says nothing of a cache has read the whole prompt, as far as one can tell. */
function uncachedOf(usage: RequestRecord['usage']): number | null {
  const { inputTokens = null, cachedTokens = null } = usage ?? {};
  if (inputTokens === null || !Number.isSafeInteger(inputTokens)) return null;
  return Math.max(0, inputTokens - (cachedTokens ?? 0));
}
