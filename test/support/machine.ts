import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, open, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { execFileSync } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Ending } from './ending.ts';
import { createFolder } from './folder.ts';
import { listen } from './listening.ts';

/** One box with model servers and a real swap script; what the models answer is the test's. */
export interface FakeMachine {
  /** For the config: one entry per model. */
  readonly models: readonly { readonly name: string; readonly url: string }[];
  readonly command: string;
  /** What the script was called with, in order: `chat`, `status`, `unload chat`. */
  calls(): string[];
  /** The models that the script was called for to load them, in order. */
  swaps(): string[];
  /** What JANO_FROM held in each of these calls. */
  leavings(): string[];
  /** The models in memory. */
  residents(): string[];
  /** As if somebody had loaded these by hand and all others had gone; answers that run go on. */
  setResidents(...models: readonly string[]): void;
  /** Its server is killed: what runs there breaks off, nobody listens any more. */
  kill(model: string): void;
  /** Whether the script has written to a file of its own, and what. */
  has(file: string): boolean;
  read(file: string): string;
  /** Lets one more run of a gated script go on. */
  go(): Promise<void>;
  /** What must never happen, as far as it has. */
  readonly faults: string[];
  /** Most requests that a model has had at once. */
  mostAtOnce(model: string): number;
}

export type ModelAnswer = (model: string, ...args: Parameters<RequestListener>) => void;

export interface MachineOptions {
  /** The models in memory at first. */
  readonly resident?: readonly string[];
  /** Shell text that runs before a model is loaded; `exit 1` in it makes the swap fail. */
  readonly script?: string;
  /** Shell text that runs for `status`. */
  readonly status?: string;
  /** Shell text that runs for `unload`, before the model is unloaded. */
  readonly unload?: string;
  /** Each run of the script that loads waits for a `go()`. */
  readonly isGated?: boolean;
  /** What /props says; null: there is no /props. */
  readonly slots?: number | null;
  /** What a model does with a websocket; without it, it takes none. */
  readonly webSocket?: (model: string, req: IncomingMessage) => void;
}

/** A model server of the machine. */
interface Place {
  readonly name: string;
  readonly isResident: () => boolean;
  readonly slots: number | null;
  readonly webSocket: MachineOptions['webSocket'];
  readonly faults: string[];
  readonly atOnce: { now: number; most: number };
}

/** Shell text: waits for a `go()`. */
export const WAIT_FOR_GO = 'read _ < gate';

/** Paths that Jano itself asks at, resident or not. */
const QUESTIONS: readonly (string | undefined)[] = ['/health', '/props', '/slots'];

/** Starts it. A model that is not in memory breaks every connection before it answers. */
export async function startMachine(
  t: Ending,
  names: readonly string[],
  answer: ModelAnswer,
  options: MachineOptions = {},
): Promise<FakeMachine> {
  const folder = createFolder('machine');
  const path = (name: string): string => join(folder, name);
  const read = (file: string): string => readFileSync(path(file), 'utf8');
  const readLines = (file: string): string[] => read(file).split('\n').slice(0, -1);
  const setResidents = (...models: readonly string[]): void => {
    rmSync(path('in'), { recursive: true, force: true });
    mkdirSync(path('in'));
    for (const model of models) writeFileSync(join(path('in'), model), '');
  };
  setResidents(...(options.resident ?? []));
  for (const file of ['calls', 'leavings']) writeFileSync(path(file), '');
  await writeFile(path('swap.sh'), writeScript(folder, options));
  await chmod(path('swap.sh'), 0o755);
  const gate = await openGate(t, path('gate'));
  const faults: string[] = [];
  const places = names.map((name): Place => {
    const isResident = (): boolean => existsSync(join(path('in'), name));
    const { slots = 4, webSocket } = options;
    return { name, isResident, slots, webSocket, faults, atOnce: { now: 0, most: 0 } };
  });
  const servers = new Map(
    await Promise.all(
      places.map(async (place) => [place.name, await startModel(t, place, answer)] as const),
    ),
  );
  return {
    models: names.map((name) => ({ name, url: servers.get(name)?.url ?? '' })),
    command: path('swap.sh'),
    calls: () => readLines('calls'),
    swaps: () => readLines('calls').filter((call) => names.includes(call)),
    leavings: () => readLines('leavings'),
    has: (file) => existsSync(path(file)),
    read,
    residents: () => readdirSync(path('in')),
    setResidents,
    kill(model) {
      rmSync(join(path('in'), model), { force: true });
      servers.get(model)?.breakOff();
    },
    go: gate,
    faults,
    mostAtOnce: (model) => places.find(({ name }) => name === model)?.atOnce.most ?? 0,
  };
}

/** It refuses to run twice at once, and makes room and loads as it is told. */
function writeScript(folder: string, options: MachineOptions): string {
  const { script = '', status = 'exit 1', unload = '', isGated = false } = options;
  return `#!/bin/sh
cd '${folder}'
echo "$*" >> calls
case "$1" in
  status) ${status}; exit ;;
  unload)
    ${unload}
    rm -f "in/$2"
    exit ;;
esac
mkdir running || { echo 'another run is under way' >&2; exit 9; }
trap 'rmdir running' EXIT
trap 'exit 1' TERM
echo "$JANO_FROM" >> leavings
${isGated ? WAIT_FOR_GO : ''}
${script}
for model in $JANO_FROM; do rm -f "in/$model"; done
: > "in/$1"
`;
}

/** A pipe of which each run of the script reads a line before it goes on. */
async function openGate(t: Ending, path: string): Promise<() => Promise<void>> {
  execFileSync('mkfifo', [path]);
  // For reading too, so that it opens at once and keeps what was written until it is read.
  const gate = await open(path, 'r+');
  t.after(() => gate.close());
  return async () => void (await gate.write('go\n'));
}

async function startModel(
  t: Ending,
  place: Place,
  answer: ModelAnswer,
): Promise<{ url: string; breakOff: () => void }> {
  const { name, isResident, slots, faults, atOnce } = place;
  const server = createServer((req, res) => {
    if (!isResident()) {
      if (!QUESTIONS.includes(req.url)) faults.push(`${name} was asked while not in memory`);
      return void req.socket.destroy();
    }
    if (req.url === '/health') return void res.end('{"status":"ok"}');
    if (req.url === '/props' && slots !== null) return void res.end(`{"total_slots":${slots}}`);
    atOnce.now += 1;
    atOnce.most = Math.max(atOnce.most, atOnce.now);
    res.once('close', () => {
      atOnce.now -= 1;
      if (res.writableFinished && !isResident()) faults.push(`${name} left while it answered`);
    });
    return answer(name, req, res);
  });
  const sockets = takeWebSockets(server, place);
  t.after(() => {
    server.closeAllConnections();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    breakOff: () => server.closeAllConnections(),
  };
}

/** The open ones. */
function takeWebSockets(
  server: Server,
  { name, webSocket, isResident, faults }: Place,
): Set<Socket> {
  const sockets = new Set<Socket>();
  if (webSocket === undefined) return sockets;
  server.on('upgrade', (req: IncomingMessage) => {
    const { socket } = req;
    if (!isResident()) {
      faults.push(`${name} was asked for a websocket while not in memory`);
      return void socket.destroy();
    }
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    webSocket(name, req);
  });
  return sockets;
}
