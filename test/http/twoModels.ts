import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { startBackend } from '../support/fakeBackend.ts';
import { type RawConfig, type RunningJano, startJano } from '../support/startJano.ts';

/** Jano in front of two models that are always there, "qwen" being the default. */
export interface TwoModels {
  readonly jano: RunningJano;
  /** Sends a body; the answer names the model that got it and its digest, or is Jano's own error. */
  readonly post: (
    body: string | Buffer,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<string>;
}

export async function startTwoModels(t: TestContext, raw: RawConfig = {}): Promise<TwoModels> {
  const models = ['qwen', 'gemma'].map(async (name) => {
    const url = await startBackend(t, async (req, res) => {
      const hash = createHash('sha256');
      for await (const chunk of req) hash.update(chunk);
      res.end(`${name} ${hash.digest('hex')}`);
    });
    return { name, url, pinned: true };
  });
  const jano = await startJano(t, { models: await Promise.all(models), default: 'qwen', ...raw });
  return {
    jano,
    post: async (body, headers = {}) => {
      const init = {
        method: 'POST',
        body: typeof body === 'string' ? body : new Uint8Array(body),
        headers,
      };
      return (await fetch(`${jano.url}/v1/x`, init)).text();
    },
  };
}

/** What the model answers to that body. */
export function gotBy(model: string, body: string | Buffer): string {
  return `${model} ${createHash('sha256').update(body).digest('hex')}`;
}

/** Sends a large body; gives the answer, and how many other requests were served before it came. */
export async function postBeside(
  { post }: TwoModels,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly answer: string; readonly others: number }> {
  const upload = { isOver: false };
  const answer = post(body, headers).finally(() => (upload.isOver = true));
  let others = 0;
  for (; !upload.isOver; others += 1) await post('{}');
  return { answer: await answer, others };
}
