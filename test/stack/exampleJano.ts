import type { TestContext } from 'node:test';
import { z } from 'zod';
import { until } from '../rig/polling.ts';
import { createFolder } from '../support/folder.ts';
import { type Ending, startProgram } from '../support/program.ts';

const request = z.object({
  id: z.number(),
  trace_id: z.string().nullable(),
  model: z.string(),
  outcome: z.string(),
  gen_tokens: z.number().nullable(),
  swap_ms: z.number(),
});
const swap = z.object({ id: z.number(), to: z.string(), total_ms: z.number() });

const usage = z.object({ records: z.array(request) });
const swaps = z.object({ swaps: z.array(swap) });

/** A request that is over. */
export interface Asked {
  /** Its number in what Jano tells. */
  readonly id: number;
  /** The status of the answer, and whether it came as a whole. */
  readonly answer: string;
}

/** Jano as its users start it, on its example models. */
export interface ExampleJano {
  readonly url: string;
  /** Asks for a stream; resolves once that is recorded, too. */
  ask(model: string, headers?: Readonly<Record<string, string>>): Promise<Asked>;
  /** What it says of finished requests. */
  requests(): Promise<z.infer<typeof request>[]>;
  /** What it says of finished swaps. */
  swaps(): Promise<z.infer<typeof swap>[]>;
  /** The lines of its log about traces. */
  complaints(): string[];
  /** Ends it in order. */
  stop(): Promise<Ending>;
}

/** Starts it; it sends its spans at once, and soon gives up on those that nobody takes. It ends with the test. */
export async function startExampleJano(
  t: TestContext,
  environment: Readonly<Record<string, string>>,
): Promise<ExampleJano> {
  const program = startProgram(t, createFolder('stack'), [], {
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_EXPORTER_OTLP_TIMEOUT: '2000',
    ...environment,
  });
  const [, url = ''] = await program.until(/listens on (http:\/\/127\.0\.0\.1:\d+)/);
  const get = async (path: string): Promise<unknown> => (await fetch(url + path)).json();
  let asked = 0;
  return {
    url,
    async ask(model, headers = {}) {
      const caller = `number ${++asked}`;
      const messages = [{ role: 'user', content: 'Who are you?' }];
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...headers, 'x-caller': caller },
        body: JSON.stringify({ model, stream: true, messages }),
      });
      const isWhole = (await response.text()).endsWith('data: [DONE]\n\n');
      let id: number | undefined;
      await until(`${caller} is recorded`, async () => {
        const { records } = usage.parse(await get(`/usage?${new URLSearchParams({ caller })}`));
        id = records[0]?.id;
        return id !== undefined;
      });
      return { id: id ?? 0, answer: `${response.status} ${isWhole ? 'whole' : 'cut'}` };
    },
    requests: async () => usage.parse(await get('/usage')).records,
    swaps: async () => swaps.parse(await get('/swaps')).swaps,
    complaints: () =>
      program
        .output()
        .split('\n')
        .filter((line) => line.includes('traces: ')),
    stop() {
      process.kill(program.pid, 'SIGTERM');
      return program.ended;
    },
  };
}
