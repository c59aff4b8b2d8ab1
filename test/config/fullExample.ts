import { join } from 'node:path';
import type { Config } from '../../src/config/config.ts';
import { defaultPolicy } from '../../src/core/policy/settings.ts';

/** The example of a jano.yaml that has every key, as it is published. */
export const fullExample = `
listen: 127.0.0.1:8082
allowedHosts: []              # more Host names to answer to; loopback, addresses, the machine's own name and host.docker.internal always
auth: {keys: {}, open: [health]}   # name: key (or \${env.X}); none = open. A key of Jano's is not passed on to the backend
swap:
  command: ./swap.sh          # called: ./swap.sh <model>; see the contract
  timeout: 180s               # script and readiness together
  poll: 250ms
models:
  - name: qwen-chat
    url: http://127.0.0.1:8081
    aliases: [chat, "unsloth/Qwen3.6-27B-GGUF"]
    label: Qwen3.6 27B
    parallel: auto            # requests at once: a number, or auto = asked of the backend (/props total_slots), else 4
    memory: 1                 # in the unit of memory.budget; more than the budget is a config error
    pinned: false             # always resident, never swapped, own slots (the original calls it passthrough)
    health: /health           # path that answers 2xx when the model can serve; or {path: /v1/models, contains: qwen} where several models share a URL (Ollama: /api/ps)
    ttl: 0s                   # unload after idle this long (0 = never); needs a script that understands \`unload\`
    headers: {}               # added for this backend (an API key of its own)
memory: {budget: 1}           # 1 with memory 1 each = one model at a time
default: null                 # model for requests that name none
preload: null                 # model to load at start
policy: {swapShare: 0.2, minTurn: 30s, maxTurn: 300s, linger: 0.5}
queue: {maxWaiting: 1000, maxWaitingBytes: 1GiB, timeout: 0s, keepAlive: off}
limits: {body: 256MiB, request: 0s, idleSocket: 60s}   # request: first byte and between bytes, 0 = none; idleSocket: a silent websocket or endless stream is closed after this long once somebody waits for its memory
usage: {records: 500, path: null, retention: {days: 90, rows: 1000000}}
callers: {header: X-Caller}   # who asks: this header, else the name or fingerprint of the API key, else known session headers, else User-Agent + address
health: {stuckAfter: null}
traces: {url: null}           # where people look at traces; links in the page
watch: false                  # reload when the file changes
`;

/** What that example means as the jano.yaml of a folder. */
export function fullConfig(folder: string): Config {
  return {
    file: join(folder, 'jano.yaml'),
    listen: { host: '127.0.0.1', port: 8082 },
    allowedHosts: [],
    auth: { keys: {}, open: ['health'] },
    swap: {
      command: [join(folder, 'swap.sh')],
      directory: folder,
      environment: {},
      timeoutMs: 180_000,
      pollMs: 250,
    },
    models: [
      {
        model: 'qwen-chat',
        url: 'http://127.0.0.1:8081',
        aliases: ['chat', 'unsloth/Qwen3.6-27B-GGUF'],
        label: 'Qwen3.6 27B',
        parallel: 'auto',
        memory: 1,
        pinned: false,
        health: { path: '/health', contains: null },
        ttlMs: 0,
        headers: {},
        endpoints: [],
      },
    ],
    memoryBudget: 1,
    defaultModel: null,
    preload: null,
    policy: {
      ...defaultPolicy,
      swapShare: 0.2,
      minTurnMs: 30_000,
      maxTurnMs: 300_000,
      linger: 0.5,
    },
    queue: { maxWaiting: 1000, maxWaitingBytes: 2 ** 30, timeoutMs: 0, keepAliveMs: null },
    limits: { bodyBytes: 2 ** 28, requestMs: 0, idleSocketMs: 60_000 },
    usage: { records: 500, path: null, retention: { days: 90, rows: 1_000_000 } },
    callers: { header: 'X-Caller' },
    health: { stuckAfterMs: null },
    traces: { url: null },
    watch: false,
  };
}
