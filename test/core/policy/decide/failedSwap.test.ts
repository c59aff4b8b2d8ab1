import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Stage } from '../stage.ts';

const REFUSE_MS = 30_000;

suite('after a script has failed', () => {
  test('it is tried again at once', () => {
    const stage = loadingCode();
    stage.swapEnded('script_failed', 5000);

    const decision = stage.decide(5000);

    assert.equal(decision.kind === 'swap' && decision.load, 'code');
  });

  test('it is tried again before anything else is loaded', () => {
    const stage = new Stage({ code: {}, big: {} });
    stage.queue('big', 0);
    stage.queue('code', 0);
    stage.happen({ kind: 'swapBegan', load: 'code', unload: [] }, 0);
    stage.swapEnded('script_failed', 5000);

    const decision = stage.decide(5000);

    assert.equal(decision.kind === 'swap' && decision.load, 'code');
  });

  test('a second time, requests are refused once the model was asked whether it is there after all', () => {
    const stage = loadingCode();
    failTwice(stage, 5000);
    const asked = stage.run(5000);
    stage.probeEnded('code', false, 5100);

    const told = stage.run(5100);

    assert.deepEqual(asked, ['probe code', 'wait']);
    assert.deepEqual(told, ['reject 1: swap_failed', 'wait']);
  });

  test('a second time, each later request is refused after another question', () => {
    const stage = loadingCode();
    refuseCode(stage, 5000);
    stage.queue('code', 9000);
    const asked = stage.run(9000);
    stage.queue('code', 9100);
    stage.probeEnded('code', false, 9200);
    const refused = stage.run(9200);
    stage.queue('code', 9300);

    const askedAgain = stage.run(9300);

    assert.deepEqual(asked, ['probe code', 'wait']);
    assert.deepEqual(refused, ['reject 2: swap_failed', 'reject 3: swap_failed', 'wait']);
    assert.deepEqual(askedAgain, ['probe code', 'wait']);
  });

  test('a second time, others go on', () => {
    const stage = loadingCode();
    stage.queue('big', 4000);
    failTwice(stage, 5000);

    assert.deepEqual(stage.run(5000), ['probe code', 'swap big for code', 'wait']);
  });

  test('a model that has come up late is used', () => {
    const stage = loadingCode();
    refuseCode(stage, 5000);
    stage.queue('code', 9000);
    stage.run(9000);
    stage.probeEnded('code', true, 9100);

    assert.deepEqual(stage.run(9100), ['forward 2', 'wait']);
  });

  test('a model that has come up late is not refused any more, even if it leaves again', () => {
    const stage = loadingCode();
    refuseCode(stage, 5000);
    stage.queue('code', 9000);
    stage.run(9000);
    stage.probeEnded('code', true, 9100);
    stage.happen({ kind: 'swapBegan', load: 'big', unload: ['code'] }, 9200);
    stage.swapEnded('ok', 9300);

    const decision = stage.decide(10_000);

    assert.equal(decision.kind === 'swap' && decision.load, 'code');
  });

  test('a model that has come up late is not used while another has the memory', () => {
    const stage = loadingCode();
    stage.queue('big', 4000);
    failTwice(stage, 5000);
    stage.run(5000);
    stage.probeEnded('code', true, 5100);

    assert.deepEqual(stage.run(5100), ['reject 1: swap_failed', 'wait']);
    assert.equal(stage.model('code').presence, 'absent');
  });

  test('it is loaded again when the time of refusal is over', () => {
    const stage = loadingCode();
    refuseCode(stage, 5000);
    stage.queue('code', 5000 + REFUSE_MS);

    const decision = stage.decide(5000 + REFUSE_MS);

    assert.equal(decision.kind === 'swap' && decision.load, 'code');
  });

  test('it is asked first when nobody waited for it during the refusal', () => {
    const stage = loadingCode();
    stage.happen({ kind: 'left', id: 1, model: 'code' }, 100);
    failTwice(stage, 5000);
    stage.run(5000);
    stage.queue('code', 5000 + REFUSE_MS);

    assert.deepEqual(stage.run(5000 + REFUSE_MS), ['probe code', 'wait']);
  });

  test('a success forgets it', () => {
    const stage = loadingCode();
    stage.swapEnded('script_failed', 5000);
    stage.run(5000);
    stage.swapEnded('ok', 25_000);
    stage.happen({ kind: 'swapBegan', load: 'code', unload: [] }, 90_000);
    stage.queue('code', 90_000);
    stage.swapEnded('script_failed', 95_000);

    assert.deepEqual(stage.run(95_000), ['swap code', 'wait']);
  });
});

suite('after a swap has timed out', () => {
  test('it is not tried again: requests are refused at once', () => {
    const stage = loadingCode();
    stage.swapEnded('timeout', 180_000);
    const asked = stage.run(180_000);
    stage.probeEnded('code', false, 180_100);

    const decision = stage.decide(180_100);

    const why = 'the last swap to "code" failed';
    const reason = 'swap_failed';
    assert.deepEqual(asked, ['probe code', 'wait']);
    assert.deepEqual(decision, { kind: 'reject', id: 1, model: 'code', reason, why });
  });
});

suite('a model that was to leave in a swap that failed', () => {
  test('is asked whether it is still there before it is loaded again', () => {
    const stage = chatLeavingForCode();
    stage.queue('chat', 1000);
    stage.swapEnded('script_failed', 5000);

    const decision = stage.decide(5000);

    const why = '"chat" may have come up after all';
    assert.deepEqual(decision, { kind: 'probe', model: 'chat', why });
  });

  test('is used again if it is still there', () => {
    const stage = chatLeavingForCode();
    stage.swapEnded('timeout', 5000);
    stage.queue('chat', 6000);
    stage.run(6000);
    stage.probeEnded('chat', true, 6100);

    const told = stage.run(6100);

    assert.deepEqual(told.slice(0, 1), ['forward 2']);
  });

  test('is loaded like any other if it is gone', () => {
    const stage = chatLeavingForCode();
    stage.happen({ kind: 'left', id: 1, model: 'code' }, 700);
    stage.swapEnded('timeout', 5000);
    stage.queue('chat', 6000);
    stage.run(6000);
    stage.probeEnded('chat', false, 6100);

    const decision = stage.decide(6100);

    assert.equal(decision.kind === 'swap' && decision.load, 'chat');
  });
});

/** Request 1 waits for the model, which is being loaded. */
function loadingCode(): Stage {
  const stage = new Stage({ code: {}, big: {}, chat: {} });
  stage.queue('code', 0);
  stage.run(0);
  return stage;
}

/** Chat has been unloaded for request 1. */
function chatLeavingForCode(): Stage {
  const stage = new Stage({ chat: {}, code: {} });
  stage.resident('chat');
  stage.queue('code', 0);
  stage.run(600);
  return stage;
}

function failTwice(stage: Stage, at: number): void {
  stage.swapEnded('script_failed', at - 1000);
  stage.happen({ kind: 'swapBegan', load: 'code', unload: [] }, at - 1000);
  stage.swapEnded('script_failed', at);
}

/** Fails twice, and the model is not there. */
function refuseCode(stage: Stage, at: number): void {
  failTwice(stage, at);
  stage.run(at);
  stage.probeEnded('code', false, at);
  stage.run(at);
}
