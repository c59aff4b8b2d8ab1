import type { DiagLogger } from '@opentelemetry/api';

const SILENCE_MS = 600_000;
const KINDS_KEPT = 100;
const LONGEST = 300;

/**
 * Turns what OpenTelemetry complains of into lines for people. The same complaint is told once in ten minutes: while a
 * collector is down it comes with every batch. Two are the same that differ in numbers only.
 */
export function createDiagnostics(tell: (line: string) => void, now = Date.now): DiagLogger {
  const toldAt = new Map<string, number>();
  const complain = (message: string): void => {
    const text = messageIn(message).replace(/\s+/g, ' ').slice(0, LONGEST);
    const kind = text.replace(/\d+/g, '#');
    const at = now();
    if (at - (toldAt.get(kind) ?? -Infinity) < SILENCE_MS) return;
    if (toldAt.size === KINDS_KEPT) toldAt.clear();
    toldAt.set(kind, at);
    tell(`traces: ${text}`);
  };
  return { error: complain, warn: complain, info: ignore, debug: ignore, verbose: ignore };
}

function ignore(): void {
  // Of interest to those who work on OpenTelemetry.
}

/** What was thrown comes as JSON, with its stack; of several errors in one only the code is left. */
function messageIn(text: string): string {
  try {
    const error: unknown = JSON.parse(text);
    if (typeof error !== 'object' || error === null) return text;
    const { message, code, name } = { message: '', code: '', name: '', ...error };
    return `could not be sent: ${message || code || name}`;
  } catch {
    return text;
  }
}
