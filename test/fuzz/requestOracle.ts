import assert from 'node:assert/strict';
import { meaningOf, type ReadAnswer, readAnswer, readAnswers } from './answerReading.ts';
import type { Aftermath, Arrival, Call } from './lane.ts';
import { itemsOf } from './messageReading.ts';
import {
  arrivedForm,
  type Conversation,
  forwardedForm,
  pathOf,
  type SentRequest,
} from './requestReading.ts';
import { expectedModel } from './expectedModel.ts';

/**
 * Checks what came of a call against what was sent, read by other rules than Node's: nothing is forwarded
 * that was not sent, nothing twice and nothing changed; every answer is the backend's own or a refusal.
 */
export function checkCall(
  call: Call,
  sent: Conversation,
  aftermath: Aftermath,
  backendHost: string,
): void {
  if (sent.rest === 'lost') return;
  const { arrivals, records, received } = aftermath;
  const methods = sent.requests.map(({ method }) => method);
  const answers = readAnswers(received, methods, true);
  // Behind bytes that are no request, or an answer that ends with the connection, the rest is given up.
  const isPolite =
    call.ending === 'wait' && sent.rest === 'nothing' && !answers.slice(0, -1).some(endsConnection);
  const pairs = matchArrivals(sent, arrivals, backendHost, isPolite);
  const dispatched = records.filter(({ dispatchedAt }) => dispatchedAt !== null).length;
  // Of OPTIONS there are no records.
  const forwarded = arrivals.filter(({ got }) => !got.startsWith('OPTIONS ')).length;
  assert.ok(dispatched >= forwarded, `${forwarded} forwarded, ${dispatched} recorded`);
  assert.ok(records.length <= sent.requests.length + 1, `${records.length} records`);
  if (!isPolite) return;
  assert.equal(dispatched, forwarded, 'recorded, forwarded');
  for (const [index, request] of sent.requests.entries()) {
    const answer = answers[index];
    const last = answers.at(-1);
    if (answer === undefined && last !== undefined && endsConnection(last)) return;
    assert.ok(answer, `no answer ${index + 1}: ${JSON.stringify(received.slice(0, 500))}`);
    const arrival = pairs.get(request);
    checkModel(request, answer.status, arrival !== undefined);
    if (arrival !== undefined) {
      const made = readAnswer(arrival.answered ?? '', 0, request.method, true);
      assert.ok(made.kind === 'read', 'the backend’s answer is whole');
      assert.equal(meaningOf(answer), meaningOf(made.value));
    } else if (answer.status < 300) {
      assert.match(request.method, /^(?:GET|HEAD)$/, 'one of Jano’s own routes, to look at');
    }
  }
}

function endsConnection({ headers }: ReadAnswer): boolean {
  return itemsOf(headers, 'connection').includes('close');
}

/** Which request each arrival is; throws when one is none of them, or one of them for a second time. */
function matchArrivals(
  { requests }: Conversation,
  arrivals: readonly Arrival[],
  backendHost: string,
  isPolite: boolean,
): Map<SentRequest, Arrival> {
  const pairs = new Map<SentRequest, Arrival>();
  const forwardable = requests.filter((request) => !request.hasUnknownCoding);
  const forms = forwardable.map((request) => {
    const path = pathOf(request.target);
    const target = path.replace(/^\/upstream\/[^/?]*(?:\/(?=[^?]))?/, '/');
    return { request, form: forwardedForm({ ...request, target }, backendHost) };
  });
  for (const arrival of arrivals) {
    const got = arrivedForm(arrival.got);
    if (got === null && !isPolite) continue;
    const found = forms.find(({ request, form }) => form === got && !pairs.has(request));
    if (found === undefined) {
      const free = forms.filter(({ request }) => !pairs.has(request)).map(({ form }) => form);
      assert.deepEqual(shorten(got ?? arrival.got), free.map(shorten), 'forwarded, sent');
      assert.fail('forwarded, but nobody sent it');
    }
    pairs.set(found.request, arrival);
  }
  return pairs;
}

/** What the body names decides, where nothing else does. */
function checkModel(request: SentRequest, status: number, isForwarded: boolean): void {
  const expected = expectedModel(request);
  if (expected === 'forwarded') assert.ok(isForwarded, `not forwarded, but ${status}`);
  else if (expected !== 'unclear') {
    assert.equal(isForwarded ? 'forwarded' : status, expected);
  }
}

function shorten(text: string): string {
  return text.length < 1500 ? text : `${text.slice(0, 1400)}… ${text.length} bytes`;
}
