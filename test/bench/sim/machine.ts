import { serviceMs, type SimModel, type Trace, type TraceRequest } from './trace.ts';

const PRECISION = 1e-6;

interface Job {
  readonly request: TraceRequest;
  /** Milliseconds of work left, for a request that is alone. */
  leftMs: number;
}

interface Server {
  readonly model: SimModel;
  readonly active: Job[];
  /** Sent to the server beyond what it works on at once. */
  readonly queue: Job[];
  /** How often it was loaded: a context is warm only within one of these. */
  loads: number;
}

/** What came to pass in the machine at one instant. */
export interface Progress {
  readonly ended: readonly TraceRequest[];
  readonly started: readonly TraceRequest[];
}

/** The servers of one machine: requests share a server's speed, busy servers share the machine. */
export class Machine {
  readonly #servers: ReadonlyMap<string, Server>;
  readonly #lastLoad = new Map<string, number>();

  constructor(trace: Trace) {
    this.#servers = new Map(
      trace.models.map((model) => [model.model, { model, active: [], queue: [], loads: 0 }]),
    );
  }

  loaded(model: string): void {
    this.#server(model).loads += 1;
  }

  /** Sends a request to its server; true if work on it begins at once. */
  send(request: TraceRequest): boolean {
    const server = this.#server(request.model);
    const conversation = `${request.caller}|${request.model}`;
    const isWarm = this.#lastLoad.get(conversation) === server.loads;
    this.#lastLoad.set(conversation, server.loads);
    const job = { request, leftMs: serviceMs(server.model, request, isWarm) };
    const isFree = server.active.length < server.model.parallel;
    (isFree ? server.active : server.queue).push(job);
    return isFree;
  }

  /** When the next request ends if nothing else happens, Infinity for never. */
  nextEndAt(now: number): number {
    const busy = this.#busy();
    let earliest = Number.POSITIVE_INFINITY;
    for (const server of busy) {
      const speed = speedOf(server, busy.length);
      for (const job of server.active) {
        earliest = Math.min(earliest, now + Math.max(0, job.leftMs) / speed);
      }
    }
    return earliest;
  }

  work(ms: number): void {
    const busy = this.#busy();
    for (const server of busy) {
      const doneMs = ms * speedOf(server, busy.length);
      for (const job of server.active) job.leftMs -= doneMs;
    }
  }

  /** Takes out what has ended by now, and begins what has waited in the servers for that. */
  settle(now: number): Progress {
    const ended: TraceRequest[] = [];
    const started: TraceRequest[] = [];
    for (const server of this.#servers.values()) {
      for (const job of server.active.toReversed()) {
        if (job.leftMs > PRECISION * Math.max(1, now)) continue;
        server.active.splice(server.active.indexOf(job), 1);
        ended.push(job.request);
      }
      while (server.active.length < server.model.parallel) {
        const job = server.queue.shift();
        if (job === undefined) break;
        server.active.push(job);
        started.push(job.request);
      }
    }
    return { ended, started };
  }

  #server(model: string): Server {
    const server = this.#servers.get(model);
    if (server === undefined) throw new Error(`the machine has no model "${model}"`);
    return server;
  }

  #busy(): Server[] {
    return [...this.#servers.values()].filter((server) => server.active.length > 0);
  }
}

/** Speed of each request on a server, as a share of that of a request alone. */
function speedOf(server: Server, busyServers: number): number {
  return server.active.length ** (server.model.sharing - 1) / busyServers;
}
