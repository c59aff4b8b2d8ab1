import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const FIN = 0x80;
/** Of the protocol: what is hashed together with the caller's key. */
const SALT = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** The backend's side of a websocket; understands callers whose frames are short. */
export interface WebSocketPeer {
  readonly socket: Socket;
  send(text: string): void;
  ping(): void;
  /** Called with each text; the last one to be set is. */
  onText: (text: string) => void;
}

/** Agrees to a websocket. Close frames are answered, and end the connection. */
export function acceptWebSocket({ headers, socket }: IncomingMessage): WebSocketPeer {
  const accept = createHash('sha1')
    .update(`${headers['sec-websocket-key']}${SALT}`)
    .digest('base64');
  let waiting = Buffer.alloc(0);
  const peer: WebSocketPeer = {
    socket,
    send: (text) => void socket.write(frame(TEXT, text)),
    ping: () => void socket.write(frame(PING, '')),
    onText: () => undefined,
  };
  socket.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    for (let found = parse(waiting); found !== null; found = parse(waiting)) {
      waiting = waiting.subarray(found.length);
      if (found.opcode === TEXT) peer.onText(found.text);
      if (found.opcode === CLOSE) socket.end(frame(CLOSE, ''));
    }
  });
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  return peer;
}

/** A whole frame as backends send them: not masked. */
function frame(opcode: number, text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > 125) throw new Error('too long for this server');
  return Buffer.concat([Buffer.from([FIN | opcode, payload.length]), payload]);
}

/** The first whole frame of a caller's bytes, or null. */
function parse(bytes: Buffer): { opcode: number; text: string; length: number } | null {
  if (bytes.length < 6) return null;
  const payloadLength = (bytes[1] ?? 0) & 0x7f;
  const length = 6 + payloadLength;
  if (bytes.length < length) return null;
  const mask = bytes.subarray(2, 6);
  const payload = bytes.subarray(6, length).map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return {
    opcode: (bytes[0] ?? 0) & 0x0f,
    text: Buffer.from(payload).toString(),
    length,
  };
}
