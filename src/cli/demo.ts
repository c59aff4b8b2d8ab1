import { styleText } from 'node:util';
import { DemoError } from './demoError.ts';

const BURST = ['chat', 'code', 'chat', 'chat', 'code', 'code'] as const;

interface Answer {
  readonly label: string;
  readonly model: string;
  /** When its first word came, ms after the burst began. */
  readonly firstWordMs: number;
  readonly endMs: number;
  readonly text: string;
  /** What the model server said of itself. */
  readonly tokens: number;
  readonly tokensPerSecond: number | null;
}

interface Counters {
  readonly swapsTotal: number;
  readonly swapsAvoided: number;
  readonly lastSwapDurationMs: number | null;
}

/** Sends six requests for two models at once and draws what became of them. */
export async function playBurst(
  url: string,
  description: string,
  print: (text: string) => void,
): Promise<void> {
  print(
    `${bold('Six requests at once, for two models,')} through Jano in front of\n${description}.\n\n`,
  );
  print(dim('  "chat" is loaded first, so that it is resident when they come …\n\n'));
  await ask(url, 'warm-up', 'chat', performance.now());
  const before = await readCounters(url);
  print(`  arrived  ${row(BURST.map((model, index) => painted(labelOf(index), model)))}\n`);
  const beganAt = performance.now();
  const answers = await Promise.all(
    BURST.map((model, index) => ask(url, labelOf(index), model, beganAt)),
  );
  const after = await readCounters(url);
  print(picture(answers, before, after));
}

function picture(answers: readonly Answer[], before: Counters, after: Counters): string {
  const served = answers.toSorted((a, b) => a.firstWordMs - b.firstWordMs);
  const swaps = after.swapsTotal - before.swapsTotal;
  const arrival = swaps + after.swapsAvoided - before.swapsAvoided;
  const swapMs = after.lastSwapDurationMs;
  const tokens = sum(answers.map((answer) => answer.tokens));
  const lastedMs = Math.max(...answers.map(({ endMs }) => endMs));
  const rates = answers.flatMap(({ tokensPerSecond }) => tokensPerSecond ?? []);
  const rate = rates.length === 0 ? '' : `, ${(sum(rates) / rates.length).toFixed(1)} tok/s each`;
  const lines = [
    `  served   ${row(withSwaps(served))}`,
    '',
    ...served.map(line),
    '',
    `  swaps    ${bold(String(swaps))}${swapMs === null ? '' : `, the last took ${seconds(swapMs)}`}`,
    `           arrival order would have cost ${bold(String(arrival))}${saved(arrival - swaps, swapMs)}`,
    `  tokens   ${tokens}${rate}, ${((tokens / lastedMs) * 1000).toFixed(1)} tok/s all together, in ${seconds(lastedMs)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function withSwaps(served: readonly Answer[]): string[] {
  return served.flatMap((answer, index) => {
    const isSwap = index > 0 && served[index - 1]?.model !== answer.model;
    const label = painted(answer.label, answer.model);
    return isSwap ? [dim('⇄ swap'), label] : [label];
  });
}

function line({ label, model, firstWordMs, text }: Answer): string {
  const words = text.replaceAll(/\s+/g, ' ').slice(0, 50);
  return `  ${painted(label.padEnd(7), model)}  first word after ${seconds(firstWordMs).padStart(6)}  ${dim(`“${words}…”`)}`;
}

function saved(swaps: number, swapMs: number | null): string {
  return swaps <= 0 || swapMs === null ? '' : `: ${seconds(swaps * swapMs)} more of swapping`;
}

async function ask(url: string, label: string, model: string, beganAt: number): Promise<Answer> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-caller': `demo ${label}` },
    body: JSON.stringify({
      model,
      stream: true,
      messages: [{ role: 'user', content: 'Who are you?' }],
    }),
  });
  if (!response.ok || response.body === null) {
    throw new DemoError(`request ${label} got ${response.status}: ${await response.text()}`);
  }
  let text = '';
  let firstWordMs: number | null = null;
  let timings: Timings = {};
  for await (const event of eventsOf(response.body)) {
    const word = event.choices?.[0]?.delta?.content;
    if (word) firstWordMs ??= performance.now() - beganAt;
    text += word ?? '';
    timings = event.timings ?? timings;
  }
  return {
    label,
    model,
    text,
    firstWordMs: firstWordMs ?? performance.now() - beganAt,
    endMs: performance.now() - beganAt,
    tokens: timings.predicted_n ?? 0,
    tokensPerSecond: timings.predicted_per_second ?? null,
  };
}

interface Timings {
  readonly predicted_n?: number;
  readonly predicted_per_second?: number;
}

interface ChatEvent {
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
  readonly timings?: Timings;
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ChatEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.replace(/^data: /, '');
      if (!data.startsWith('{')) continue;
      // The servers are our own or llama-server: the shape is known.
      const parsed: ChatEvent = JSON.parse(data);
      yield parsed;
    }
  }
}

async function readCounters(url: string): Promise<Counters> {
  const response = await fetch(`${url}/status`);
  const status: unknown = await response.json();
  if (isCounters(status)) return status;
  throw new DemoError(`${url}/status has no swap counters`);
}

function isCounters(value: unknown): value is Counters {
  return typeof value === 'object' && value !== null && 'swapsTotal' in value;
}

function labelOf(index: number): string {
  return `${index + 1}.${BURST[index]}`;
}

function row(labels: readonly string[]): string {
  return labels.join('  ');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function painted(text: string, model: string): string {
  return styleText(model === 'chat' ? 'cyan' : 'magenta', text, { stream: process.stdout });
}

function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout });
}

function dim(text: string): string {
  return styleText('dim', text, { stream: process.stdout });
}
