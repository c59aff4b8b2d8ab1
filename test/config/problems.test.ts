import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, describeProblems } from '../../src/config/configError.ts';
import { catchProblems, complainAbout, loadFiles } from './folder.ts';

const broken = `listen: 127.0.0.1
swap:
  command: ./gone.sh
  timeout: 180
memory: {budget: 2, bugdet: 3}
models:
  - name: qwen
    url: http://127.0.0.1:8081/?x=1
  - name: gemma
    memroy: 1
    parallel: many
  - name: whisper
    url: \${env.WHISPER}
    memory: 5
  - {name: QWEN:latest, url: "http://127.0.0.1:8082"}
default: qwn
policy:
  minTurn: 10m
  swapShare: 1
`;

test('all problems are told at once, each with its line', async (t) => {
  const problems = await complainAbout(t, broken, { JANO_PORT: 'x' });

  assert.deepEqual(
    problems.map((problem) => problem.replace(/"[^"]*\/gone/, '"/gone')),
    [
      '- JANO_PORT: "x": expected a port from 0 to 65535',
      '1 listen: "127.0.0.1": expected host:port, such as 127.0.0.1:8082, with a port up to 65535',
      '3 swap.command: "/gone.sh" does not exist',
      '4 swap.timeout: "180": a length of time needs a unit, such as 180s',
      '5 memory.bugdet: unknown key; did you mean "budget"?',
      '8 models[0].url: must have no query and no #',
      '9 models[1].url: is required',
      '10 models[1].memroy: unknown key; did you mean "memory"?',
      '11 models[1].parallel: "many": expected a whole number from 1, or auto',
      '13 models[2].url: the environment variable "WHISPER" is not set',
      '14 models[2].memory: 5 is more than memory.budget, which is 2: it could never load',
      '15 models[3].name: "QWEN:latest" is taken by models[0].name; upper and lower case and ":latest" do not count',
      '16 default: no model is called "qwn"; did you mean "qwen"?',
      '18 policy.minTurn: must not be longer than policy.maxTurn, which is 300000 ms',
      '19 policy.swapShare: must be less than 1',
    ],
  );
});

test('problems are printed as a table', () => {
  const problem = { file: '/home/x/jano.yaml', message: 'unknown key; did you mean "memory"?' };
  const error = new ConfigError([
    { ...problem, line: 9, path: 'models[1].memroy' },
    {
      ...problem,
      line: 4,
      path: 'swap.timeout',
      message: '"180": a length of time needs a unit, such as 180s',
    },
  ]);

  const text = describeProblems(error, '/home/x');

  assert.equal(
    text,
    `jano.yaml has 2 problems:
  line 4   swap.timeout          "180": a length of time needs a unit, such as 180s
  line 9   models[1].memroy      unknown key; did you mean "memory"?`,
  );
});

test('problems of the environment have a table of their own', () => {
  const error = new ConfigError([
    { file: '/etc/jano/jano.yaml', line: null, path: '', message: 'the file is empty' },
    { file: 'the environment', line: null, path: 'JANO_PORT', message: '"x": expected a port' },
  ]);

  const text = describeProblems(error, '/home/x');

  assert.equal(
    text,
    `/etc/jano/jano.yaml has 1 problem:
  the file is empty
the environment has 1 problem:
  JANO_PORT             "x": expected a port`,
  );
});

test('a key in another case, or that other programs use, is told what it is here', async (t) => {
  const yaml = `host: 0.0.0.0
queue: {maxwaiting: 5, somethingElse: 1}
policy: {mxTurn: 1m}
models: [{name: a, url: "http://h", passthrough: true}]
swap: {command: "true"}
`;

  assert.deepEqual(await complainAbout(t, yaml), [
    '1 host: unknown key; here it is "listen"',
    '2 queue.maxwaiting: unknown key; did you mean "maxWaiting"?',
    '2 queue.somethingElse: unknown key',
    '3 policy.mxTurn: unknown key; did you mean "maxTurn"?',
    '4 models[0].passthrough: unknown key; here it is "pinned"',
  ]);
});

test('keys that are empty are told so', async (t) => {
  const yaml = 'models: [{name: a, url: }]\nswap:\n  command: "true"\n  timeout:\nauth:\n';

  assert.deepEqual(await complainAbout(t, yaml), [
    '1 models[0].url: is empty: give it a value or remove it',
    '4 swap.timeout: is empty: give it a value or remove it',
    '5 auth: is empty: give it a value or remove it',
  ]);
});

test('a value that is wrong is not taken for its default', async (t) => {
  const yaml = `models:
  - {name: a, url: "http://h", pinned: yes, memory: 2}
  - {name: b, url: "http://h", pinned: yes, memory: many}
policy: {minTurn: 1h, maxTurn: x}
`;

  assert.deepEqual(await complainAbout(t, yaml), [
    '2 models[0].pinned: expected true or false, not text',
    '3 models[1].memory: expected a number, not text',
    '3 models[1].pinned: expected true or false, not text',
    '4 policy.maxTurn: "x": expected a length of time, such as 250ms, 3s or 1m30s',
  ]);
});

test('a key of a caller is never shown', async (t) => {
  const yaml = `auth: {keys: {ann: 12345, bob: "se cret", eve: same, joe: same}}
models: [{name: a, url: "http://u:se%20cret@h", headers: {Authorization: 12345}}]
swap: {command: "true"}
`;

  const problems = await complainAbout(t, yaml);

  assert.equal(problems.length, 4);
  assert.doesNotMatch(problems.join(), /12345|cret|same"/);
});

test('a variable that is not set is one problem, whatever was to be in its place', async (t) => {
  const yaml = `models: [{name: a, url: "\${env.URL}", ttl: "\${env.}"}]
swap: {command: "\${env.COMMAND}", timeout: "\${env.TIMEOUT}"}
`;

  assert.deepEqual(await complainAbout(t, yaml), [
    '1 models[0].url: the environment variable "URL" is not set',
    '1 models[0].ttl: the environment variable "" is not set',
    '2 swap.command: the environment variable "COMMAND" is not set',
    '2 swap.timeout: the environment variable "TIMEOUT" is not set',
  ]);
});

test('a wrong JANO_PORT in the .env is shown with its line there', async (t) => {
  const files = { 'jano.yaml': 'models: []', '.env': '# port\nA=1\nexport JANO_PORT=70000\n' };

  const problems = await catchProblems(() => loadFiles(t, files));

  const problem = problems.find(({ path }) => path === 'JANO_PORT');
  assert.match(problem?.file ?? '', /\/\.env$/);
  assert.equal(problem?.line, 3);
});
