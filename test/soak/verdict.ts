import type { Outcome, RequestRecord } from '../../src/core/record.ts';
import type { Errand } from './errand.ts';
import type { Seen } from './soakCaller.ts';

/** What is wrong with how a request ended, judged by what its caller saw and what was recorded; null: nothing. */
export function findFault(
  errand: Errand,
  seen: Seen,
  records: readonly RequestRecord[],
): string | null {
  const [record] = records;
  if (records.length > 1) return `${records.length} records`;
  if (record === undefined) {
    return seen.kind === 'left' && !seen.hasArrived ? null : 'no record';
  }
  switch (seen.kind) {
    case 'left':
      return record.outcome === 'abandoned' && record.status !== 499 ? 'abandoned, not 499' : null;
    case 'broken':
      if (seen.status === null) return 'no answer, not even a 502';
      if (record.outcome !== 'cut') return `broken off, but recorded as ${record.outcome}`;
      return record.status === seen.status ? null : `saw ${seen.status}`;
    case 'whole':
      return findFaultOfWhole(errand, seen.status, seen.text, record);
  }
}

function findFaultOfWhole(
  { shape, model }: Errand,
  status: number,
  text: string,
  record: RequestRecord,
): string | null {
  if (record.status !== status) return `saw ${status}, recorded ${record.status}`;
  const expected = outcomesOf(status, text);
  if (!expected.includes(record.outcome)) return `${record.outcome} with ${status}`;
  const isPossible = possibleStatuses(shape).includes(status);
  if (!isPossible) return `a ${shape} got ${status}: ${text.slice(0, 200)}`;
  if (status !== 200) return null;
  if (shape === 'stream') {
    return text.endsWith('data: [DONE]\n\n')
      ? null
      : `a cut stream looks whole: ${text.slice(-99)}`;
  }
  return text.includes(`"${model}"`) && text.endsWith('}') ? null : `odd: ${text.slice(0, 200)}`;
}

/** What a status may be recorded as. Problems of Jano's own have a code in words, llama-server's a number. */
function outcomesOf(status: number, text: string): readonly Outcome[] {
  if (status < 400) return ['served'];
  if (status === 502) return ['failed'];
  const isOwn = /"code":"/.test(text);
  if (isOwn) return ['rejected'];
  return status < 500 ? ['refused'] : ['failed'];
}

/** 502: its server was killed before it answered; 503: its model could not be loaded, or is not there. */
function possibleStatuses(shape: Errand['shape']): readonly number[] {
  switch (shape) {
    case 'unknown':
      return [404];
    case 'broken':
      return [400];
    case 'upload':
      return [404, 502, 503];
    case 'stream':
    case 'whole':
    case 'chunked':
    case 'big':
    case 'visit':
      return [200, 502, 503];
  }
}
