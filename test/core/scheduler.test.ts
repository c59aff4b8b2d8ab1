import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { defaultPolicy } from '../../src/core/policy/settings.ts';
import { type Action, Scheduler } from '../../src/core/scheduler.ts';

const PLAIN = { reply: 'plain', hasServed: true, mayGoOn: false } as const;

suite('a request that is over', () => {
  test('frees its slot for the next one', () => {
    const scheduler = residentChat();
    submit(scheduler, 1, 'chat', 10);
    const waiting = submit(scheduler, 2, 'chat', 20);

    const actions = scheduler.release(1, PLAIN, 30);

    assert.deepEqual(waiting, []);
    assert.deepEqual(inShort(actions), ['forward 2']);
  });

  test('can be released twice', () => {
    const scheduler = residentChat();
    submit(scheduler, 1, 'chat', 10);
    scheduler.release(1, PLAIN, 20);

    const actions = scheduler.release(1, PLAIN, 30);

    assert.deepEqual(actions, []);
    assert.equal(scheduler.state.models.get('chat')?.inFlight, 0);
  });

  test('can be released when it was never there', () => {
    const scheduler = residentChat();

    assert.deepEqual(scheduler.release(7, PLAIN, 10), []);
  });

  test('can be released after it was rejected', () => {
    const scheduler = new Scheduler([model('chat')], 1, { ...defaultPolicy, queueTimeoutMs: 500 });
    submit(scheduler, 1, 'chat', 0);
    const rejected = scheduler.tick(500);

    const actions = scheduler.release(1, PLAIN, 600);

    assert.deepEqual(inShort(rejected), ['reject 1']);
    assert.deepEqual(actions, []);
  });

  test('begins no swap if it has left while it waited', () => {
    const scheduler = residentChat();
    submit(scheduler, 1, 'code', 10);
    scheduler.release(1, { reply: 'plain', hasServed: false, mayGoOn: false }, 100);

    const actions = scheduler.tick(10_000);

    assert.deepEqual(actions, []);
    assert.equal(scheduler.wakeAt, null);
  });

  test('lets a load that was begun for it come to its end', () => {
    const scheduler = new Scheduler([model('chat')], 1, defaultPolicy);
    submit(scheduler, 1, 'chat', 0);
    scheduler.release(1, { reply: 'plain', hasServed: false, mayGoOn: false }, 100);

    const actions = scheduler.swapEnded('ok', 12_000, 12_000);

    assert.deepEqual(actions, []);
    assert.equal(scheduler.state.models.get('chat')?.presence, 'resident');
  });
});

suite('time', () => {
  test('is asked for while an idle model is held', () => {
    const scheduler = residentChat();

    const actions = submit(scheduler, 1, 'code', 1000);

    assert.deepEqual(actions, []);
    assert.equal(scheduler.wakeAt, 1500);
  });

  test('that has passed lets the swap begin, and a second tick does nothing', () => {
    const scheduler = residentChat();
    submit(scheduler, 1, 'code', 1000);

    const first = scheduler.tick(1500);
    const second = scheduler.tick(1500);

    assert.deepEqual(inShort(first), ['swap code']);
    assert.deepEqual(second, []);
  });
});

suite('a model that is suspected', () => {
  test('is asked once, however many suspect it', () => {
    const scheduler = residentChat();

    const answers = [scheduler.suspect('chat', 10), scheduler.suspect('chat', 11)];

    assert.deepEqual(answers, [true, false]);
  });

  test('is not asked when it is not resident', () => {
    const scheduler = residentChat();

    assert.equal(scheduler.suspect('code', 10), false);
  });

  test('takes requests again when it is healthy', () => {
    const scheduler = residentChat();
    scheduler.suspect('chat', 10);
    const during = submit(scheduler, 1, 'chat', 20);

    const after = scheduler.probeEnded('chat', true, 30);

    assert.deepEqual(during, []);
    assert.deepEqual(inShort(after), ['forward 1']);
  });
});

suite('a visit', () => {
  test('takes no slot', () => {
    const scheduler = residentChat();
    scheduler.visit({ id: 1, model: 'chat', caller: 'monitor' }, 10);

    const actions = submit(scheduler, 2, 'chat', 20);

    assert.deepEqual(inShort(actions), ['forward 2']);
  });

  test('does not load a model', () => {
    const scheduler = residentChat();

    assert.equal(scheduler.visit({ id: 1, model: 'code', caller: 'monitor' }, 10), false);
    assert.equal(scheduler.wakeAt, null);
  });

  test('is refused once its model has had its turn and somebody waits for the memory', () => {
    const scheduler = residentChat();
    scheduler.visit({ id: 1, model: 'chat', caller: 'monitor' }, 10);
    submit(scheduler, 2, 'code', 20);

    const early = scheduler.visit({ id: 3, model: 'chat', caller: 'monitor' }, 80_000);
    const late = scheduler.visit({ id: 4, model: 'chat', caller: 'monitor' }, 80_001);
    scheduler.release(1, PLAIN, 80_002);
    const actions = scheduler.release(3, PLAIN, 80_003);

    assert.deepEqual([early, late], [true, false]);
    assert.deepEqual(inShort(actions), ['swap code']);
  });

  test('keeps its model until it is over', () => {
    const scheduler = residentChat();
    scheduler.visit({ id: 1, model: 'chat', caller: 'monitor' }, 10);
    submit(scheduler, 2, 'code', 20);
    const during = scheduler.tick(5000);

    const after = scheduler.release(1, PLAIN, 6000);

    assert.deepEqual(during, []);
    assert.deepEqual(inShort(after), ['swap code']);
  });
});

test('all that can be done at once is told at once', () => {
  const models = [model('chat', 2), { ...model('embed'), pinned: true }, model('code')];
  const scheduler = new Scheduler(models, 2, defaultPolicy);
  submit(scheduler, 1, 'chat', 0);
  submit(scheduler, 2, 'chat', 1);
  submit(scheduler, 3, 'code', 2);

  const actions = scheduler.swapEnded('ok', 12_000, 12_000);

  assert.deepEqual(inShort(actions), ['forward 1', 'forward 2', 'swap code']);
});

function residentChat(): Scheduler {
  const scheduler = new Scheduler([model('chat'), model('code')], 1, defaultPolicy);
  scheduler.seenResident('chat', 0);
  return scheduler;
}

function model(name: string, parallel = 1) {
  return { model: name, memory: 1, pinned: false, ttlMs: 0, parallel };
}

function submit(scheduler: Scheduler, id: number, name: string, now: number): Action[] {
  return scheduler.submit({ id, model: name, caller: `caller${id}` }, now);
}

function inShort(actions: readonly Action[]): string[] {
  return actions.map((action) => {
    switch (action.kind) {
      case 'forward':
      case 'reject':
        return `${action.kind} ${action.id}`;
      case 'swap':
        return `swap ${action.load}`;
      case 'probe':
      case 'unload':
        return `${action.kind} ${action.model}`;
    }
  });
}
