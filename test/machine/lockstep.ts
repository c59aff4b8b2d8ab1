import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import type { TestContext } from 'node:test';
import { configFrom } from '../../src/config/assembly.ts';
import { createJano, type Jano } from '../../src/jano.ts';
import type { Trace, TraceRequest } from '../bench/sim/trace.ts';
import { until } from '../rig/polling.ts';
import { listen } from '../support/listening.ts';
import { type FakeMachine, startMachine } from '../support/machine.ts';
import { chatBody } from './heldAnswers.ts';
import type { Instant, Play } from './simulated.ts';

/** Always resident and quick: a request to it makes the router look at the clock. */
const METRONOME = 'metronome';

/**
 * Plays a trace on the router, with servers and a swap script that take as long as those of the
 * simulator. All is real but the clock: it stands still until everything that happens at an instant
 * has been dealt with, so that a slow machine changes nothing.
 */
export async function playOnRouter(
  t: TestContext,
  trace: Trace,
  instants: readonly Instant[],
): Promise<Play> {
  const stage = await openStage(t, trace);
  for (const instant of instants) await stage.perform(instant);
  return stage.play;
}

async function openStage(t: TestContext, trace: Trace): Promise<Stage> {
  const clock = { now: 0 };
  const answering = new Map<number, ServerResponse>();
  const names = [METRONOME, ...trace.models.map(({ model }) => model)];
  const machine = await startMachine(
    t,
    names,
    (model, req, res) => {
      req.resume();
      if (model === METRONOME) return void res.end(chatBody(model, 'stop'));
      answering.set(Number(req.headers['x-number']), res);
    },
    { resident: [METRONOME, ...trace.resident], isGated: true },
  );
  const models = machine.models.map(({ name, url }) => {
    if (name === METRONOME) return { name, url, parallel: 1, pinned: true };
    const model = trace.models.find((other) => other.model === name);
    return { name, url, parallel: model?.parallel, memory: model?.memory };
  });
  const swap = { command: machine.command, timeout: '10m', poll: '5ms' };
  const config = configFrom({ models, swap, memory: { budget: trace.memoryBudget } }, tmpdir());
  const jano = createJano(config, '0.0.0-test', { now: () => clock.now });
  t.after(() => jano.stop(0));
  await jano.start();
  await listen(jano.server);
  return new Stage(jano, machine, clock, answering);
}

class Stage {
  readonly play: Play = { dispatched: [], swaps: [] };
  readonly #jano: Jano;
  readonly #machine: FakeMachine;
  readonly #clock: { now: number };
  /** Requests that a model server is at work on, by their numbers in the trace. */
  readonly #answering: Map<number, ServerResponse>;
  readonly #seen = new Set<number>();
  #ended = 0;
  #lastSwapId = 0;

  constructor(
    jano: Jano,
    machine: FakeMachine,
    clock: { now: number },
    answering: Map<number, ServerResponse>,
  ) {
    this.#jano = jano;
    this.#machine = machine;
    this.#clock = clock;
    this.#answering = answering;
    jano.server.prependListener('request', (_req, res: ServerResponse) => {
      res.once('close', () => setImmediate(() => (this.#ended += 1)));
    });
  }

  async perform({ at, ended, hasSwapEnded, arrived }: Instant): Promise<void> {
    this.#clock.now = at;
    for (const request of ended) await this.#answer(request);
    if (hasSwapEnded) await this.#endSwap();
    for (const request of arrived) await this.#ask(request);
    await this.#beat();
    await this.#note();
  }

  async #answer({ id, model, endsInToolCall }: TraceRequest): Promise<void> {
    const before = this.#ended;
    this.#answering.get(id)?.end(chatBody(model, endsInToolCall ? 'tool_calls' : 'stop'));
    this.#answering.delete(id);
    await until(`request ${id} is over`, () => this.#ended > before);
  }

  async #endSwap(): Promise<void> {
    const { swap } = this.#jano.snapshot();
    await this.#machine.go();
    await until('the swap is over', () => this.#jano.snapshot().swap?.id !== swap?.id);
  }

  async #ask({ id, caller, model }: TraceRequest): Promise<void> {
    const before = this.#inside();
    void this.#post(model, { 'X-Caller': caller, 'X-Number': `${id}` }).catch(() => undefined);
    await until(`request ${id} has come`, () => this.#inside() > before);
  }

  async #beat(): Promise<void> {
    const before = this.#ended;
    await this.#post(METRONOME, { 'X-Caller': METRONOME });
    await until('the beat is over', () => this.#ended > before);
  }

  async #note(): Promise<void> {
    const at = this.#clock.now;
    const running = this.#jano.runningCount();
    await until('they reached their servers', () => this.#answering.size === running);
    const numbers = [...this.#answering.keys()].filter((id) => !this.#seen.has(id));
    for (const id of numbers) {
      this.#seen.add(id);
      this.play.dispatched.push({ id, at });
    }
    const { swap } = this.#jano.snapshot();
    if (swap === null || swap.id === this.#lastSwapId) return;
    this.#lastSwapId = swap.id;
    this.play.swaps.push({ load: swap.to, at });
  }

  /** Requests that wait or run. */
  #inside(): number {
    return this.#jano.snapshot().waiting.length + this.#jano.runningCount();
  }

  async #post(model: string, headers: Readonly<Record<string, string>>): Promise<void> {
    const address = this.#jano.server.address();
    const port = typeof address === 'object' ? address?.port : address;
    const url = `http://127.0.0.1:${port}/v1/chat/completions`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ model }) });
    await response.arrayBuffer();
  }
}
