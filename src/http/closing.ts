import type { ServerResponse } from 'node:http';
import type { Recorder } from '../core/record.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Exchange } from './exchange.ts';
import type { OpenExchanges } from './openExchanges.ts';
import { recordOf } from './requestRecord.ts';

export interface ClosingParts {
  readonly dispatcher: Dispatcher;
  readonly recorder: Recorder;
  readonly now: () => number;
  readonly open: OpenExchanges;
}

/** The single end of every request, whatever way its response closed: its record is made and its slot is free. */
export function closeExchange(parts: ClosingParts, exchange: Exchange, res: ServerResponse): void {
  const endedAt = parts.now();
  exchange.isOver = true;
  exchange.body?.drop();
  const record = (): void => {
    if (exchange.method !== 'OPTIONS') {
      parts.recorder.requestClosed(recordOf(exchange, res, exchange.tap.read(), endedAt));
    }
    parts.open.delete(exchange);
  };
  const allRead = exchange.tap.end();
  if (allRead === null) record();
  // Only the record waits for the rest to be decoded, not the slot.
  else void allRead.then(record);
  release(parts.dispatcher, exchange, res);
}

function release(dispatcher: Dispatcher, exchange: Exchange, res: ServerResponse): void {
  const isOurEnd = exchange.isGivenUp || (!res.writableFinished && exchange.failure === null);
  // Servers notice a broken stream, but not while they read the prompt, and not of a conversation that can be resumed.
  const mayGoOn = isOurEnd && (exchange.firstByteAt === null || exchange.isResumable);
  const { reply } = exchange.tap.read();
  dispatcher.release(exchange.id, { reply, hasServed: exchange.answer !== null, mayGoOn });
}
