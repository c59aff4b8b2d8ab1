import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { AnswerId } from '../../../src/core/body/answerId.ts';

/** All ids found when the text comes in pieces of that size. */
function idsIn(text: string, pieceBytes: number): string[] {
  const bytes = new TextEncoder().encode(text);
  const scan = new AnswerId();
  const ids: string[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const id = scan.push(bytes.subarray(at, at + pieceBytes));
    if (id !== null) ids.push(id);
  }
  return ids;
}

const OBJECT = '{"completed_at":1,"id":"resp_1","output":[{"id":"msg_2","text":"é🌍"}]}';
const STREAM = `event: response.created\ndata: {"type":"response.created","response":{"id" : "resp_3"}}\n\n`;

for (const pieceBytes of [1, 7, 10_000]) {
  test(`the id of an answer is found in pieces of ${pieceBytes} bytes, once`, () => {
    assert.deepEqual(idsIn(OBJECT, pieceBytes), ['resp_1']);
    assert.deepEqual(idsIn(STREAM + STREAM, pieceBytes), ['resp_3']);
  });

  test(`no id is one, in pieces of ${pieceBytes} bytes: in a text, a number, far behind`, () => {
    const inText = String.raw`{"text":"say \"id\":\"resp_4\""}`;
    for (const text of [inText, '{"id":7}', '', `{"a":"${'x'.repeat(5000)}","id":"resp_5"}`]) {
      assert.deepEqual(idsIn(text, pieceBytes), []);
    }
  });
}

test('an id keeps nothing else of its answer in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  const heapBytes = (): number => {
    Reflect.apply(collect, undefined, []);
    return process.memoryUsage().heapUsed;
  };
  const before = heapBytes();

  const ids = Array.from({ length: 1000 }, (_, at) =>
    idsIn(`{"id":"resp_of_the_answer_${at}","text":"${'x'.repeat(5000)}"}`, 10_000),
  );

  // It was 4 KiB each.
  assert.ok(heapBytes() - before < 1_000_000);
  assert.equal(ids.flat().length, 1000);
});
