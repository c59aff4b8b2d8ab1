import assert from 'node:assert/strict';
import { test } from 'node:test';
import { legendOf } from './series.ts';
import { formatValue, ticksOf } from './units.ts';
import { rateInterval, substitute } from './variables.ts';

const variables = { job: 'jano', models: ['a.b', 'c'], __rate_interval: '20s' };

for (const [text, expected] of [
  ['up{job="$job"}', 'up{job="jano"}'],
  ['up{job="${job}", x="$jobs"}', 'up{job="jano", x="$jobs"}'],
  ['${job:queryparam}s', 'janos'],
  ['rate(x[$__rate_interval])', 'rate(x[20s])'],
  ['x{model=~"$models"}', String.raw`x{model=~"(a\\.b|c)"}`],
  ['label_replace(x, "a", "$1", "b", "(.*)")', 'label_replace(x, "a", "$1", "b", "(.*)")'],
] as const) {
  test(`a query ${text} is asked as ${expected}`, () => {
    assert.equal(substitute(text, variables), expected);
  });
}

test('a rate looks at four scrapes at least, and at all of its step', () => {
  assert.equal(rateInterval(5, 5), 20);
  assert.equal(rateInterval(60, 5), 65);
});

for (const [value, unit, decimals, expected] of [
  [0.00123, 's', undefined, '1.23 ms'],
  [0, 's', undefined, '0 s'],
  [59.94, 's', 0, '60 s'],
  [90, 's', undefined, '1.5 mins'],
  [1500, 'ms', undefined, '1.5 s'],
  [1536, 'bytes', undefined, '1.5 KiB'],
  [0.0449, 'percentunit', 1, '4.5%'],
  [12_345, 'short', undefined, '12.3 K'],
  [12_345, 'none', undefined, '12345'],
  [4.5678, 'short', undefined, '4.57'],
  [-2_000_000, 'short', undefined, '-2 Mil'],
  [54.321, 'suffix: tok/s', 1, '54.3 tok/s'],
  [7, 'reqps', undefined, '7 req/s'],
  [Infinity, 's', undefined, '+Inf'],
  [NaN, 's', undefined, ''],
] as const) {
  test(`${value} of ${unit} is shown as "${expected}"`, () => {
    assert.equal(formatValue(value, unit, decimals), expected);
  });
}

test('an axis has its marks at round values within its ends', () => {
  assert.deepEqual(ticksOf(0, 17, 5, 'short'), [0, 5, 10, 15]);
  assert.deepEqual(
    ticksOf(0, 0.25, 3, 's').map((tick) => Number(tick.toFixed(3))),
    [0, 0.1, 0.2],
  );
  assert.deepEqual(ticksOf(0, 200, 3, 'bytes'), [0, 128]);
});

test('a legend says the labels that it asks for, else what tells the series apart', () => {
  const metric = { __name__: 'depth', model: 'qwen', type: 'input' };

  assert.equal(legendOf('{{model}} {{ type }}{{none}}', metric), 'qwen input');
  assert.equal(legendOf('__auto', metric), 'depth{model="qwen", type="input"}');
  assert.equal(legendOf('', { model: 'qwen' }), 'qwen');
});
