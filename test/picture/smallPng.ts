import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Pixels, three bytes each: red, green, blue. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const TRUE_COLOR = 2;
const PALETTE = 3;
const MOST_COLORS = 256;
const ALIKE = 12 ** 2;

/** What a PNG of eight bits for each of its colours shows, as a browser writes it; throws at any other. */
export function readPng(file: Buffer): Bitmap {
  const parts = new Map<string, Buffer[]>();
  for (let at = SIGNATURE.length; at < file.length; at += file.readUInt32BE(at) + 12) {
    const name = file.toString('latin1', at + 4, at + 8);
    const data = file.subarray(at + 8, at + 8 + file.readUInt32BE(at));
    parts.set(name, [...(parts.get(name) ?? []), data]);
  }
  const head = parts.get('IHDR')?.[0];
  if (head?.[8] !== 8 || head[9] !== TRUE_COLOR || head[12] !== 0) throw new Error('no such PNG');
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  return {
    width,
    height,
    pixels: unfilter(inflateSync(Buffer.concat(parts.get('IDAT') ?? [])), width * 3),
  };
}

/** A PNG of 256 colours, each of the others becomes the nearest of them: a third as large. */
export function writeSmallPng({ width, height, pixels }: Bitmap): Buffer {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 3) {
    const color = colorAt(pixels, at);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const palette = choose([...counts].toSorted((a, b) => b[1] - a[1]).map(([color]) => color));
  const places = new Map([...counts.keys()].map((color) => [color, nearest(palette, color)]));
  const rows = Buffer.alloc(height * (width + 1));
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const row = Math.floor(pixel / width);
    rows[pixel + row + 1] = places.get(colorAt(pixels, pixel * 3)) ?? 0;
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, PALETTE, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  return Buffer.concat([
    SIGNATURE,
    part('IHDR', head),
    part(
      'PLTE',
      Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255])),
    ),
    part('IDAT', deflateSync(rows, { level: 9 })),
    part('IEND', Buffer.alloc(0)),
  ]);
}

/** Each row begins with the number of its filter: what was taken away from its bytes. */
function unfilter(data: Buffer, stride: number): Uint8Array {
  const pixels = new Uint8Array((data.length / (stride + 1)) * stride);
  for (let row = 0; row * stride < pixels.length; row += 1) {
    const filter = data[row * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const at = row * stride + x;
      const left = x < 3 ? 0 : (pixels[at - 3] ?? 0);
      const up = row === 0 ? 0 : (pixels[at - stride] ?? 0);
      const corner = x < 3 || row === 0 ? 0 : (pixels[at - stride - 3] ?? 0);
      const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)];
      pixels[at] = (data[at + row + 1] ?? 0) + (guesses[filter ?? 0] ?? 0);
    }
  }
  return pixels;
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [
    Math.abs(up - corner),
    Math.abs(left - corner),
    Math.abs(left + up - 2 * corner),
  ];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function colorAt(pixels: Uint8Array, at: number): number {
  return ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);
}

/** Those that are there most, but none like one before it: the key of a legend is small, and must not be lost. */
function choose(colors: readonly number[]): number[] {
  const chosen: number[] = [];
  for (const color of colors) {
    const isNew = chosen.every((one) => distance(one, color) > ALIKE);
    if (isNew && chosen.push(color) === MOST_COLORS) break;
  }
  return chosen;
}

function nearest(palette: readonly number[], color: number): number {
  let [best, least] = [0, Infinity];
  for (const [index, one] of palette.entries()) {
    const far = distance(one, color);
    if (far < least) [best, least] = [index, far];
  }
  return best;
}

/** Squared. */
function distance(one: number, other: number): number {
  const red = (one >> 16) - (other >> 16);
  const green = ((one >> 8) & 255) - ((other >> 8) & 255);
  const blue = (one & 255) - (other & 255);
  return red * red + green * green + blue * blue;
}

function part(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
