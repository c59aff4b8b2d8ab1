import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Random } from '../bench/sim/random.ts';
import { readAnswers } from './answerReading.ts';
import { makeAnswer } from './backendAnswers.ts';
import { cutUp } from './byteMutation.ts';
import { requestTexts } from './captures.ts';
import { CaseError, playCases, type PlayCase } from './fuzzing.ts';
import { type Call, type Lane, openLane, type RawAnswer } from './lane.ts';
import { readConversation } from './requestReading.ts';
import { mutateRequest } from './requestMutation.ts';
import { checkCall } from './requestOracle.ts';

const SECONDS = 20;

test('whatever bytes callers send, what was sent arrives once and unchanged, or not at all', async (t) => {
  const lanes = await Promise.all([openLane(t, answerOf), openLane(t, answerOf)]);

  await playCases(t, SECONDS, lanes.map(playRequests));

  for (const lane of lanes) {
    const { arrivals } = await lane.play(callOf([requestTexts[0] ?? ''], 'wait'));
    assert.equal(arrivals.length, 1);
  }
});

/** The same for the same bytes, so that two equal requests need not be told apart. */
function answerOf(request: string): RawAnswer {
  const digest = createHash('sha256').update(request, 'latin1').digest();
  return makeAnswer(new Random(digest.readUInt32LE()));
}

function playRequests(lane: Lane): PlayCase {
  return async (random) => {
    const bytes = makeBytes(random);
    const call = makeCall(random, bytes);
    const sent = readConversation(call.pieces.join(''));
    try {
      const aftermath = await lane.play(call);
      checkCall(call, sent, aftermath, lane.backendHost);
      const forwarded = aftermath.arrivals.length > 0 ? 'forwarded' : 'not forwarded';
      return `${forwarded}, ${sent.rest} behind it`;
    } catch (error) {
      throw new CaseError(error, call.pieces.join(''));
    }
  };
}

/** Mostly one request, sometimes several behind one another. */
function makeBytes(random: Random): string {
  const count = random.pick([1, 2, 3], [8, 2, 1]);
  const requests = Array.from({ length: count }, () =>
    mutateRequest(random, random.pick(requestTexts)),
  );
  return requests.join('');
}

function makeCall(random: Random, bytes: string): Call {
  const ending = random.pick(['wait', 'halfClose', 'close', 'reset'] as const, [9, 1, 1, 1]);
  const isCut = random.chance(ending === 'wait' ? 0.1 : 0.6);
  const sent = isCut ? bytes.slice(0, random.integer(1, bytes.length)) : bytes;
  return callOf(cutUp(random, sent), ending);
}

function callOf(pieces: readonly string[], ending: Call['ending']): Call {
  const methods = readConversation(pieces.join('')).requests.map(({ method }) => method);
  return {
    pieces,
    ending,
    hasAll: (received) => readAnswers(received, methods, false).length === methods.length,
  };
}
