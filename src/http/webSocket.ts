import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from 'express';
import { FrameWatch } from '../core/silence/frameWatch.ts';
import { passHead } from './answer.ts';
import type { SilenceParts } from './endlessStream.ts';
import type { Admitted } from './exchange.ts';
import type { HeldSocket } from './heldSocket.ts';

/** One direction. */
interface Flow {
  readonly from: Socket;
  readonly to: Socket;
  readonly watch: FrameWatch;
  /** A close frame that says "going away", for the receiver. */
  readonly goodbye: Buffer;
}

/** How long one side may take to close after the other has. */
const GRACE_MS = 10_000;

/** Callers mask what they send, backends do not. */
const TO_BACKEND = Buffer.from('88820000000003e9', 'hex');
const TO_CALLER = Buffer.from('880203e9', 'hex');

/** The backend has agreed to a websocket: its head goes to the caller, then bytes both ways, as they are. */
export function openWebSocket(
  backendRes: IncomingMessage,
  backendHead: Buffer,
  held: HeldSocket,
  res: Response,
  exchange: Admitted,
  parts: SilenceParts,
): void {
  const backend = backendRes.socket;
  // The middleware's listeners are gone with the upgrade, and a reset without any ends the process.
  backend.on('error', () => undefined);
  if (!passHead(backendRes, res, exchange, backendRes.rawHeaders)) return;
  // It is a whole answer. Its end, which is the caller's connection's, is the end of the request.
  res.end();
  clearTimeout(exchange.silence ?? undefined);
  const caller = held.release();
  if (backendHead.length > 0) backend.unshift(backendHead);
  // Made for one request and its answer, it would be closed as soon as the backend half-closes it.
  backend.allowHalfOpen = true;
  const flows: readonly Flow[] = [
    { from: caller, to: backend, watch: new FrameWatch(), goodbye: TO_BACKEND },
    { from: backend, to: caller, watch: new FrameWatch(), goodbye: TO_CALLER },
  ];
  let silentSince = parts.now();
  for (const flow of flows) {
    flow.from.on('data', (chunk: Buffer) => {
      const at = parts.now();
      exchange.movedAt = at;
      if (flow.from === backend) exchange.firstByteAt ??= at;
      exchange.bytes += chunk.length;
      if (flow.watch.push(chunk)) silentSince = at;
    });
    join(flow);
  }
  parts.watchSilence({
    id: exchange.id,
    model: exchange.turn.backend.model,
    get silentSince() {
      return silentSince;
    },
    close: () => sayGoodbye(flows),
  });
}

/** What one side sends and how it ends reaches the other, at the other's pace. */
function join({ from, to }: Flow): void {
  from.pipe(to);
  // It was told, and may have more to say; one that is gone without a word would stay for ever.
  from.once('end', () => to.setTimeout(GRACE_MS, () => to.destroy()));
  from.once('close', () => {
    to.destroySoon();
    to.setTimeout(GRACE_MS, () => to.destroy());
  });
}

/** Closes both sides as the protocol wants it, as far as they let us. */
function sayGoodbye(flows: readonly Flow[]): void {
  for (const { from, to, watch, goodbye } of flows) {
    from.unpipe(to).resume();
    if (watch.isBetweenFrames) to.write(goodbye);
    to.end();
    setTimeout(() => to.destroy(), GRACE_MS).unref();
  }
}
