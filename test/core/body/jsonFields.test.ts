import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonFields } from '../../../src/core/body/jsonFields.ts';

const cases: readonly [body: string, model: string | undefined][] = [
  ['{"model":"a"}', 'a'],
  ['{"messages":[{"model":"no","x":"\\"model\\":"}],"model" : "b"}', 'b'],
  ['{"model":"a","model":"c"}', 'c'],
  ['{"m\\u006fdel":"d"}', 'd'],
  ['{"model":"q\\"\\\\z\\u00e9"}', 'q"\\zé'],
  ['{"a":"\\\\","model":"e"}', 'e'],
  ['{"x":{"model":"n"},"model":"f","y":[1,{"model":"g"}]}', 'f'],
  ['\uFEFF{\n\t"model"\r\n:\t"é漢🌍" }', 'é漢🌍'],
  ['{"text":"{\\"model\\":\\"no\\"}","model":"h"}', 'h'],
  ['{"model":"a","model":null}', undefined],
  ['{"model":"a","model":{"z":1}}', undefined],
  ['{"model":"a","model":["b"]}', undefined],
  ['{"model":7,"x":"model","y":"z"}', undefined],
  ['{"x":"model"}', undefined],
  ['[{"model":"x"}]', undefined],
  ['"model"', undefined],
  ['', undefined],
];

function scan(body: string, step: number): JsonFields {
  const fields = new JsonFields(['model']);
  const bytes = new TextEncoder().encode(body);
  for (let at = 0; at < bytes.length; at += step) fields.push(bytes.subarray(at, at + step));
  return fields;
}

for (const [body, model] of cases) {
  test(`the model of ${JSON.stringify(body)} is ${model ?? 'not named'}, however the bytes are cut`, () => {
    const found = [1, 2, 3, 5, 7, 1000].map((step) => scan(body, step).get('model'));

    assert.deepEqual(
      found,
      Array.from(found, () => model),
    );
  });
}

test('it agrees with JSON.parse on random objects', () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  const texts = ['model', 'a"b', 'c\\', '\\"', '{"model":"x"}', 'é', ''];
  const value = (depth: number): unknown => {
    const kinds = [() => texts[random(7)], () => random(99), () => null, () => true];
    const nested = [
      () => [value(depth - 1)],
      () => ({ model: value(depth - 1), b: texts[random(7)] }),
    ];
    const all = depth > 0 ? [...kinds, ...nested] : kinds;
    return all[random(all.length)]?.();
  };

  for (let run = 0; run < 2000; run++) {
    const object = { a: value(3), model: value(2), [texts[random(7)] ?? '']: value(3) };
    const body = JSON.stringify(object);
    const wanted = object.model;

    const found = scan(body, 1 + random(9));

    const expected = typeof wanted === 'string' ? wanted : undefined;
    assert.equal(found.get('model'), expected, body);
    assert.equal(found.isClosed, true, body);
  }
});

test('a body that stops short is not closed', () => {
  const bodies = ['{"model":"a"', '{"model":"a', '{"a":[', '{"a":"}', ''];

  assert.deepEqual(
    bodies.map((body) => scan(body, 3).isClosed),
    bodies.map(() => false),
  );
});

test('a name longer than what is kept is a name still, that nobody has', () => {
  const found = scan(`{"model":"${'a'.repeat(5000)}","b":1}`, 100);

  assert.equal(found.get('model'), 'a'.repeat(4096));
});
