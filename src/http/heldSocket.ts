import type { Socket } from 'node:net';

/** Nobody needs to send anything before the websocket is open. */
const MAX_EARLY_BYTES = 64 * 1024;

/**
 * A caller's connection that is to become a websocket once the backend agrees. Until then it is read,
 * else nobody would notice that the caller leaves; what comes early is kept.
 */
export class HeldSocket {
  readonly #socket: Socket;
  readonly #whenTooMuch: () => void;
  #early: Buffer[] = [];
  #earlyBytes = 0;

  /** `head` came with the request; `whenTooMuch` is called when more comes than is kept. */
  constructor(socket: Socket, head: Buffer, whenTooMuch: () => void) {
    this.#socket = socket;
    this.#whenTooMuch = whenTooMuch;
    if (head.length > 0) this.#keep(head);
    socket.on('data', this.#keep);
  }

  /** The connection as if nothing had been read. */
  release(): Socket {
    const early = Buffer.concat(this.#early);
    this.#early = [];
    this.#socket.off('data', this.#keep);
    this.#socket.pause();
    if (early.length > 0) this.#socket.unshift(early);
    return this.#socket;
  }

  readonly #keep = (chunk: Buffer): void => {
    const isTooMuch = this.#earlyBytes > MAX_EARLY_BYTES;
    this.#earlyBytes += chunk.length;
    if (this.#earlyBytes <= MAX_EARLY_BYTES) return void this.#early.push(chunk);
    this.#early = [];
    if (!isTooMuch) this.#whenTooMuch();
  };
}
