import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Random } from '../bench/sim/random.ts';
import { mutateAnswer } from './answerMutation.ts';
import { meaningOf, type ReadAnswer, readAnswer } from './answerReading.ts';
import { answerTexts } from './captures.ts';
import type { RunningJano } from '../support/startJano.ts';
import { CaseError, playCases, type PlayCase } from './fuzzing.ts';
import { type Aftermath, type Lane, openLane, type RawAnswer } from './lane.ts';
import { type Reading, refuse } from './messageReading.ts';

const SECONDS = 10;
/** Of a client; there is no way to raise it. */
const NODES_HEAD_LIMIT_BYTES = 16 * 1024;
const METHODS = ['POST', 'GET', 'HEAD'];

test('whatever bytes backends answer, a cut answer never looks whole and a whole one is unchanged', async (t) => {
  const lanes = await Promise.all([openAnswerLane(t), openAnswerLane(t)]);

  await playCases(
    t,
    SECONDS,
    lanes.map(({ play }) => play),
  );

  for (const { jano } of lanes) {
    const response = await fetch(`${jano.url}/health`, { method: 'POST' });
    assert.equal(response.status, 200);
  }
});

interface AnswerLane {
  readonly jano: RunningJano;
  readonly play: PlayCase;
}

async function openAnswerLane(t: TestContext): Promise<AnswerLane> {
  let next: RawAnswer = { pieces: [], isReset: false };
  const lane = await openLane(t, () => next);
  const play: PlayCase = (random) => {
    next = mutateAnswer(random, random.pick(answerTexts));
    return playAnswer(lane, random, next);
  };
  return { jano: lane.jano, play };
}

async function playAnswer(lane: Lane, random: Random, answer: RawAnswer): Promise<string> {
  const method = random.pick(METHODS, [6, 1, 1]);
  const length = method === 'POST' ? 'Content-Length: 2\r\n\r\n{}' : '\r\n';
  const request = `${method} /v1/chat/completions HTTP/1.1\r\nHost: jano\r\n${length}`;
  const hasAll = (received: string) => readAnswer(received, 0, method, false).kind !== 'incomplete';
  try {
    const aftermath = await lane.play({ pieces: [request], ending: 'wait', hasAll });
    return check(method, answer, aftermath);
  } catch (error) {
    const told = `${method}, ${answer.isReset ? 'reset' : 'closed'}: `;
    throw new CaseError(error, told + answer.pieces.join(''));
  }
}

/** Checks what the caller saw and what was recorded against a strict reading of what the backend sent. */
function check(method: string, answer: RawAnswer, { received, records }: Aftermath): string {
  const made = readMade(method, answer);
  const got = readAnswer(received, 0, method, true);
  const [record] = records;
  assert.equal(records.length, 1, 'records');
  // Where the end of the connection is the end of the answer, Node 22 does not always tell a reset from it.
  const isUncertain = made.kind === 'read' && made.value.isUntilClose && answer.isReset;
  const isFailure = got.kind === 'read' && got.value.status === 502 && record?.outcome === 'failed';
  // A reset takes away what was not read before it.
  if (
    made.kind === 'read' &&
    !isUncertain &&
    !(answer.isReset && (isFailure || got.kind !== 'read'))
  ) {
    assert.ok(got.kind === 'read', `cut: ${JSON.stringify(received.slice(0, 300))}`);
    assert.equal(meaningOf(got.value), meaningOf(made.value), record?.error ?? '');
    return 'whole';
  }
  if (isFailure) return 'refused';
  if (isUncertain) return 'uncertain';
  const isWhole = got.kind === 'read' && !got.value.isUntilClose;
  assert.equal(isWhole, false, `looks whole: ${JSON.stringify(received.slice(0, 300))}`);
  assert.equal(record?.outcome, 'cut');
  return 'cut';
}

/** What there is to be seen of it. */
function readMade(method: string, { pieces }: RawAnswer): Reading<ReadAnswer> {
  const bytes = pieces.join('');
  const reading = readAnswer(bytes, 0, method, true);
  if (reading.kind !== 'read') return reading;
  if (bytes.indexOf('\r\n\r\n') > NODES_HEAD_LIMIT_BYTES) return refuse('a head that is too long');
  return reading;
}
