import { once } from 'node:events';
import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { bannerOf } from './cli/banner.ts';
import { playBurst } from './cli/demo.ts';
import { DemoError } from './cli/demoError.ts';
import { findLlamaServer } from './cli/llamaServer.ts';
import { type Machine, openExampleMachine, openLlamaMachine } from './cli/machine.ts';
import { playSteadily } from './cli/steadyLoad.ts';
import type { Config } from './config/config.ts';
import { ConfigError, describeProblems } from './config/configError.ts';
import { loadConfig } from './config/configFile.ts';
import { overrideListen } from './config/listen.ts';
import { createJano, type Jano } from './jano.ts';
import { Log } from './telemetry/log.ts';
import { startTelemetry } from './telemetry/startTelemetry.ts';
import { readVersion } from './version.ts';

const USAGE = `usage: jano [--config FILE]    route requests to the models of FILE; without one, of ./jano.yaml,
                               ./models.json, ~/.config/jano/jano.yaml, /etc/jano/jano.yaml or the examples
       jano demo [--llama]     show what a burst of mixed requests costs, on examples or real llama-servers
       jano demo --steady URL  ask all models of the Jano at URL a few times a minute, until stopped
       jano --version | --help
`;

/** How long running requests may go on after the first signal. */
const DRAIN_MS = 30_000;

/** Node's own 511 are fewer callers than may come at once; the system may allow less. */
const CONNECTION_BACKLOG = 4096;

/** npm passes on a signal that the terminal has sent to the whole group already: two so close are one. */
const SAME_SIGNAL_MS = 500;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Setup {
  readonly config: Config;
  /** Model servers of our own, or null when the config names the user's. */
  readonly machine: Machine | null;
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const [command = 'start', ...rest] = positionals;
  if (values.help) return void process.stdout.write(USAGE);
  if (values.version) return void process.stdout.write(`${readVersion()}\n`);
  if (rest.length > 0) throw new UsageError(`unexpected: ${rest.join(' ')}`);
  switch (command) {
    case 'start':
      return start(values.config ?? null);
    case 'demo':
      return values.steady === undefined
        ? demo(values.llama === true)
        : loadSteadily(values.steady);
    default:
      throw new UsageError(`no such command: ${command}`);
  }
}

class UsageError extends Error {}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        config: { type: 'string' },
        llama: { type: 'boolean' },
        steady: { type: 'string' },
        version: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Behind the first sentence Node explains how to pass such an argument on.
    throw new UsageError(message.split('. ')[0] ?? message);
  }
}

async function start(configArgument: string | null): Promise<void> {
  const { config, machine } = await setUp(configArgument);
  const version = readVersion();
  const log = new Log(process.stderr);
  const onMistake = (error: unknown) => log.mistakeMade(error);
  const warn = (line: string) => log.warn(line);
  const telemetry = await startTelemetry(version, process.env, warn, onMistake);
  const jano = createJano(config, version, { telemetry, log, onMistake });
  stopOnSignals(jano, machine, log);
  await jano.start();
  const url = await listen(jano, config.listen).catch(async (error: unknown) => {
    await machine?.close();
    throw error;
  });
  process.stdout.write(bannerOf(version, url, config, machine?.description ?? null));
}

async function demo(onLlama: boolean): Promise<void> {
  const machine = onLlama
    ? await openLlamaMachine(await findLlamaServer(process.env))
    : await openExampleMachine();
  const jano = createJano(machine.config, readVersion());
  const stopping = stopOnSignals(jano, machine, null);
  try {
    await jano.start();
    const url = await listen(jano, { host: '127.0.0.1', port: 0 });
    await playBurst(url, machine.description, (text) => void process.stdout.write(text));
  } catch (error) {
    // A Jano that is stopping refuses the demo's own requests.
    if (!stopping.aborted) throw error;
  } finally {
    await jano.stop(0);
    await machine.close();
  }
}

/** For the demo that shows Jano at work: it asks one that runs already, and stops at the first signal. */
async function loadSteadily(url: string): Promise<void> {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError(`"${url}" is no URL, such as http://127.0.0.1:8082`);
  }
  const stopping = new AbortController();
  for (const signal of SIGNALS) process.once(signal, () => stopping.abort());
  await playSteadily(url, (text) => void process.stdout.write(text), stopping.signal);
}

async function setUp(argument: string | null): Promise<Setup> {
  const loaded = await loadConfig({
    argument,
    environment: process.env,
    directory: process.cwd(),
    home: homedir(),
  });
  if (loaded.kind === 'found') return { config: loaded.config, machine: null };
  const machine = await openExampleMachine();
  return { config: overrideListen(machine.config, loaded.variables), machine };
}

/** The URL under which it listens. */
async function listen({ server }: Jano, { host, port }: Config['listen']): Promise<string> {
  server.listen({ port, host, backlog: CONNECTION_BACKLOG });
  await once(server, 'listening');
  const address = server.address();
  const actual = address !== null && typeof address === 'object' ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
}

/** The first signal lets running requests end, and is told; the second, some time later, ends at once. */
function stopOnSignals(jano: Jano, machine: Machine | null, log: Log | null): AbortSignal {
  const stopping = new AbortController();
  let firstAt: number | null = null;
  const end = async (): Promise<void> => {
    try {
      await jano.stop(DRAIN_MS);
      await machine?.close();
    } finally {
      await log?.flush();
      process.exit();
    }
  };
  const stop = (signal: NodeJS.Signals): void => {
    if (firstAt !== null && Date.now() - firstAt < SAME_SIGNAL_MS) return;
    if (firstAt !== null) {
      // After the script that may be starting one of its servers: that ends at the exit, too.
      process.once('exit', () => machine?.closeNow());
      process.exit(1);
    }
    firstAt = Date.now();
    stopping.abort();
    const running = jano.runningCount();
    const requests = running === 1 ? '1 running request' : `${running} running requests`;
    const what = running === 0 ? 'stopping' : `stopping after ${requests}`;
    const sentence = `${signal}: ${what}; once more ends it at once`;
    // Where ^C is shown, the line has begun.
    if (log === null || process.stderr.isTTY) process.stderr.write('\n');
    if (log === null) process.stderr.write(`${sentence}\n`);
    else log.warn(sentence);
    void end();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  return stopping.signal;
}

function complain(line: string): void {
  process.stderr.write(`jano: ${line}\n`);
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return describeProblems(error, process.cwd());
  if (error instanceof DemoError) return error.message;
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`;
  if (error instanceof Error && 'code' in error) {
    const address =
      'address' in error && 'port' in error ? `${String(error.address)}:${String(error.port)}` : '';
    if (error.code === 'EADDRINUSE') {
      return `${address} is in use; stop what listens there, or choose another port: JANO_PORT=8083`;
    }
    if (error.code === 'EACCES' && address !== '') return `not allowed to listen on ${address}`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  await main();
} catch (error) {
  complain(explain(error));
  process.exit(1);
}
