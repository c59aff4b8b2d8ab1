import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { Server } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { findFreePorts } from '../../src/cli/freePorts.ts';
import type { Backend } from '../../src/core/backend.ts';
import { Catalog } from '../../src/core/catalog.ts';
import { createSwapper } from '../../src/swap/createSwapper.ts';
import type { SwapLimits, SwapSettings } from '../../src/swap/settings.ts';
import type { Swapper, SwapOrder } from '../../src/swap/swapper.ts';
import { createFolder } from '../support/folder.ts';

const LONG_MS = 60_000;
const LIMITS: SwapLimits = { graceMs: 300, probeMs: 20_000, busySlotsMs: 20_000, statusMs: 20_000 };

/** A folder with a swap script in it and a swapper that runs it; all gone with the test. */
export interface Workshop {
  readonly folder: string;
  readonly swapper: Swapper;
  /** What the script wrote to a file there, without the last line break. */
  read(file: string): string;
  /** Resolves once the file is there. */
  appearance(file: string): Promise<void>;
}

/** A swapper whose script is a sh script of these lines; nothing times out unless `more` says so. */
export function openWorkshop(
  t: TestContext,
  script: string,
  more: Partial<SwapSettings> = {},
  limits: Partial<SwapLimits> = {},
  backends: readonly Backend[] = [],
): Workshop {
  const folder = createFolder('swap');
  const start = script.startsWith('#!') ? '' : '#!/bin/sh\n';
  writeFileSync(join(folder, 'swap.sh'), start + script, { mode: 0o755 });
  const settings: SwapSettings = {
    command: ['./swap.sh'],
    directory: folder,
    environment: {},
    timeoutMs: LONG_MS,
    pollMs: 5,
    ...more,
  };
  const swapper = createSwapper(settings, new Catalog(backends), () => performance.now(), {
    ...LIMITS,
    ...limits,
  });
  t.after(() => swapper.close());
  const path = (file: string): string => join(folder, file);
  return {
    folder,
    swapper,
    read: (file) => readFileSync(path(file), 'utf8').trimEnd(),
    appearance: (file) => waitForFile(folder, path(file)),
  };
}

/** The order to load a backend. */
export function orderFor(load: Backend, more: Partial<SwapOrder> = {}): SwapOrder {
  const cause = { requestId: 1, caller: 'test', why: 'test asks for it' };
  return { load, unload: [], cause, ...more };
}

/** A server on a free port that closes with the test; its URL. */
export async function serve(t: TestContext, answer: RequestListener, port = 0): Promise<string> {
  const server = createServer(answer).listen(port, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return findUrl(server);
}

/** A URL on which nobody listens: no system hands out port 1. */
export const DEAD_URL = 'http://127.0.0.1:1';

/** A URL at which a server may be started. */
export async function findFreeUrl(): Promise<string> {
  const [port] = await findFreePorts(1);
  return `http://127.0.0.1:${port}`;
}

/** The URL of a server that was told to listen; rejects when it cannot. */
export async function findUrl(server: Server): Promise<string> {
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}

async function waitForFile(folder: string, path: string): Promise<void> {
  const found = Promise.withResolvers<void>();
  const look = (): void => {
    if (existsSync(path)) found.resolve();
  };
  const watcher = watch(folder, look);
  look();
  await found.promise;
  watcher.close();
}
