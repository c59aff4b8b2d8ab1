import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ModelAnswer } from '../support/machine.ts';

/** A request that has reached a model and is answered when the test says so. */
export interface HeldAnswer {
  readonly model: string;
  readonly caller: string;
  /** Sends a piece, as a stream does; with the first one the head. */
  begin(): void;
  /** Ends it as a whole chat answer in the model's name. */
  end(finishReason?: 'stop' | 'tool_calls'): void;
  /** Resolves when its connection has closed, however that came. */
  readonly closed: Promise<void>;
}

/** Models that answer when the test says so. */
export class HeldAnswers {
  readonly #arrived: HeldAnswer[] = [];
  readonly #waiting: ((held: HeldAnswer) => void)[] = [];

  /** For the machine. Its servers do not tell their slots. */
  readonly answer: ModelAnswer = (model, req, res) => {
    req.resume();
    if (req.url === '/slots') return void res.writeHead(404).end();
    const held = hold(model, req, res);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#arrived.push(held);
    else waiting(held);
  };

  /** The next request that reaches any model. */
  async next(): Promise<HeldAnswer> {
    const arrived = this.#arrived.shift();
    return arrived ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The next few, in the order in which they reached their models. */
  async take(count: number): Promise<HeldAnswer[]> {
    const taken: HeldAnswer[] = [];
    while (taken.length < count) taken.push(await this.next());
    return taken;
  }

  /** Ends the next few as they arrive. */
  async endNext(count: number): Promise<HeldAnswer[]> {
    const ended: HeldAnswer[] = [];
    while (ended.length < count) {
      const held = await this.next();
      held.end();
      ended.push(held);
    }
    return ended;
  }

  /** How many have arrived that nobody has taken yet. */
  get count(): number {
    return this.#arrived.length;
  }
}

/** Models that answer at once. */
export const answerAtOnce: ModelAnswer = (model, req, res) => {
  req.resume();
  res.setHeader('Content-Type', 'application/json');
  res.end(chatBody(model, 'stop'));
};

function hold(model: string, req: IncomingMessage, res: ServerResponse): HeldAnswer {
  const closed = new Promise<void>((resolve) => res.once('close', () => resolve()));
  return {
    model,
    closed,
    caller: String(req.headers['x-caller']),
    begin() {
      if (!res.headersSent) res.setHeader('Content-Type', 'application/json');
      res.write(' ');
    },
    end(finishReason = 'stop') {
      if (!res.headersSent) res.setHeader('Content-Type', 'application/json');
      res.end(chatBody(model, finishReason));
    },
  };
}

export function chatBody(model: string, finishReason: string): string {
  const message = { role: 'assistant', content: `${model} says hello` };
  return JSON.stringify({ choices: [{ index: 0, message, finish_reason: finishReason }] });
}
