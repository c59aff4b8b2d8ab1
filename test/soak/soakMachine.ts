import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Random } from '../bench/sim/random.ts';
import { openExampleRig } from '../rig/exampleRig.ts';
import { until } from '../rig/polling.ts';
import type { SwapRig } from '../rig/swapRig.ts';
import { type RunningJano, startJano } from '../support/startJano.ts';

export const MODELS = ['a', 'b', 'c', 'd'] as const;

/** Real model servers in processes of their own, a script that swaps them and sometimes fails, Jano in front. */
export interface SoakMachine {
  readonly jano: RunningJano;
  readonly rig: SwapRig;
  /** Kills the server of a model that runs with SIGKILL; null when none runs. */
  killOne(random: Random): Promise<string | null>;
  /** The models whose servers run. */
  running(): Promise<string[]>;
  /** Resolves once Jano has taken and closed the connection from that port, with whether a request came on it. */
  untilClosed(port: number): Promise<boolean>;
  /** Connections to callers that are open. */
  connectionCount(): number;
}

const FAILURE_RATE = 0.1;
/** More runs of the script than any soak has. */
const RUNS_PLANNED = 100_000;

/** Everything is quicker than in life, so that minutes hold what otherwise takes hours. */
const POLICY = {
  minTurnMs: 500,
  maxTurnMs: 3000,
  priorSwapMs: 500,
  settleMaxMs: 50,
  toolLingerMs: 50,
  refuseMs: 200,
} as const;

export async function openSoakMachine(t: TestContext, random: Random): Promise<SoakMachine> {
  const rig = await openExampleRig(t, MODELS, '--load-ms 50 --words-per-second 400');
  const script = await writeFlakyScript(rig, random);
  const jano = await startJano(
    t,
    {
      models: MODELS.map((name) => ({ name, url: rig.urlOf(name) })),
      swap: { command: script, timeout: '20s', poll: '20ms' },
      usage: { records: 2000 },
    },
    (config) => ({
      ...config,
      swap: { ...config.swap, environment: rig.environment },
      policy: { ...config.policy, ...POLICY },
    }),
  );
  const open = new Set<number>();
  const closed = new Set<number>();
  const used = new Set<number>();
  jano.server.on('request', ({ socket }) => used.add(socket.remotePort ?? 0));
  jano.server.on('connection', (socket) => {
    const port = socket.remotePort ?? 0;
    open.add(port);
    // Later than all that Jano does about the end of a request.
    socket.once('close', () => setImmediate(() => open.delete(port) && closed.add(port)));
  });
  const running = async (): Promise<string[]> => {
    const pids = await Promise.all(MODELS.map((model) => rig.findPid(model)));
    return MODELS.filter((_, index) => pids[index] !== null);
  };
  return {
    jano,
    rig,
    running,
    async killOne(random_) {
      const names = await running();
      if (names.length === 0) return null;
      const name = random_.pick(names);
      const pid = await rig.findPid(name);
      if (pid === null) return null;
      process.kill(pid, 'SIGKILL');
      return name;
    },
    async untilClosed(port) {
      await until(`port ${port} is closed`, () => closed.delete(port));
      return used.delete(port);
    },
    connectionCount: () => open.size,
  };
}

/** The shipped script, of which planned runs fail before it does anything. */
async function writeFlakyScript(rig: SwapRig, random: Random): Promise<string> {
  const failing: number[] = [];
  for (let run = 1; run <= RUNS_PLANNED; run += 1)
    if (random.chance(FAILURE_RATE)) failing.push(run);
  await writeFile(join(rig.stateFolder, 'failing'), `${failing.join('\n')}\n`);
  const path = join(rig.stateFolder, 'flaky.sh');
  await writeFile(
    path,
    `#!/bin/sh
case $1 in status | unload) exec '${rig.command[0]}' "$@" ;; esac
cd '${rig.stateFolder}'
run=$(($(cat runs 2>/dev/null || echo 0) + 1))
echo "$run" > runs
if grep -qx "$run" failing; then
  echo "no memory" >&2
  exit 3
fi
exec '${rig.command[0]}' "$@"
`,
  );
  await chmod(path, 0o755);
  return path;
}
