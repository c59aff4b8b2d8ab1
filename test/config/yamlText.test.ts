import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYamlText } from '../../src/config/yamlText.ts';
import { complainAbout, loadFiles } from './folder.ts';

for (const [text, complaint] of [
  ['', '- : the file is empty'],
  ['# nothing yet\n', '- : the file is empty'],
  ['models: []\n', '1 models: needs at least one entry'],
  ['models:\n', '1 models: is empty: give it a value or remove it'],
  ['watch: true\n', '1 models: is required'],
  ['- a\n', '1 : expected keys with values, not a list'],
  ['just text\n', '1 : expected keys with values, not text'],
  ['swap:\n\tcommand: x\n', '2 : tabs are not allowed as indentation'],
  ['swap: {}\nmodels: [\n', '3 : flow sequence in block collection must be sufficiently indented'],
  ['a: 1\n---\nb: 1\n', '2 : one file holds one config: nothing may follow "---"'],
  ['a: 1\nmodels: *gone\n', '2 models: no anchor "&gone" comes before this alias'],
  ['models: &all [*all]\n', '1 models[0]: the alias "*all" is part of itself'],
  ['models: !ours []\n', '1 : unresolved tag: !ours'],
  ['auth: {keys: {ann: ${env.KEY}}}\n', '1 : unexpected flow-map-start at node end; inside {} and'],
  ['listen: [::1]:8082\n', '1 : unexpected scalar at node end; write "[::1]:8082" in quotes'],
] as const) {
  test(`${JSON.stringify(text)} is told what is wrong`, async (t) => {
    const [first] = await complainAbout(t, text);

    assert.equal(first?.slice(0, complaint.length), complaint);
  });
}

test('a key that comes twice is a problem beside the others', async (t) => {
  const yaml = `swap: {command: "true", timeout: 5}
models:
  - name: a
    url: http://h
    name: b
swap: {command: "true", timeout: 6}
`;

  assert.deepEqual(await complainAbout(t, yaml), [
    '5 models[0].name: this key comes twice',
    '6 swap: this key comes twice',
    '6 swap.timeout: "6": a length of time needs a unit, such as 6s',
  ]);
});

test('anchors and merge keys work, and problems show the line they are written in', async (t) => {
  const yaml = `swap: {command: "true"}
models:
  - &base {name: a, url: "http://h:1", memory: 0.5}
  - <<: *base
    name: b
  - <<: *base
    nmae: c
auth: {open: &open [health], keys: {}}
allowedHosts: *open
`;

  const config = await loadFiles(t, { 'jano.yaml': yaml.replace('nmae', 'name') });
  const problems = await complainAbout(t, yaml);

  assert.deepEqual(
    config.models.map(({ model, memory }) => [model, memory]),
    [
      ['a', 0.5],
      ['b', 0.5],
      ['c', 0.5],
    ],
  );
  assert.deepEqual(config.allowedHosts, ['health']);
  assert.deepEqual(problems, [
    '6 models[2].name: "a" is taken by models[0].name; upper and lower case and ":latest" do not count',
    '7 models[2].nmae: unknown key; did you mean "name"?',
  ]);
});

test('what is wrong behind an alias is shown where it is written', async (t) => {
  const yaml = `swap: {command: "true"}
models:
  - {name: a, url: "http://h", headers: &ours
      {x: 5}}
  - {name: b, url: "http://h", headers: *ours}
`;

  assert.deepEqual(await complainAbout(t, yaml), [
    '4 models[0].headers.x: expected text, not a number: put it in quotes',
    '4 models[1].headers.x: expected text, not a number: put it in quotes',
  ]);
});

test('aliases that unfold without end are refused', () => {
  const lines = ['a0: &a0 [x, x]'];
  for (let i = 1; i < 30; i += 1) lines.push(`a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`);

  const { value, problems } = parseYamlText(lines.join('\n'), 'jano.yaml');

  assert.equal(value, undefined);
  assert.match(problems[0]?.message ?? '', /excessive alias count/i);
});

test('lines are right with a byte order mark and CRLF', () => {
  const { locate } = parseYamlText('\uFEFFa: 1\r\nb:\r\n  - c: 2\r\n', 'jano.yaml');

  assert.equal(locate(['a']).line, 1);
  assert.equal(locate(['b', 0, 'c']).line, 3);
});

test('a value that is absent is looked for where it would belong', () => {
  const { locate } = parseYamlText('a: 1\nb:\n  - c: 2\n  - c: 3\n', 'jano.yaml');

  assert.deepEqual(locate(['b', 1, 'x', 'y']), {
    file: 'jano.yaml',
    line: 4,
    path: 'b[1].x.y',
  });
});
