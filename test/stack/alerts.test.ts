import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseQuery } from '../grafana/promql.ts';
import { ask } from '../machine/asking.ts';
import { answerAtOnce, HeldAnswers } from '../machine/heldAnswers.ts';
import { openMachineRig } from '../machine/machineRig.ts';
import { untilWaiting } from '../machine/statusView.ts';
import { until } from '../rig/polling.ts';
import { type Prometheus, runPromtool, startPrometheus, type Verdict } from '../rig/prometheus.ts';
import { createFolder } from '../support/folder.ts';
import type { ModelAnswer } from '../support/machine.ts';
import type { RunningJano } from '../support/startJano.ts';
import {
  type AlertRule,
  mutantsOf,
  quickened,
  readAlertRules,
  readExpectations,
  RULES_PATH,
  ruleFileOf,
} from './alertRules.ts';

const ELEVEN_MINUTES_MS = 11 * 60_000;

test('promtool finds nothing wrong with the alerts', async (t) => {
  const verdict = await runPromtool(t, [
    'check',
    'rules',
    '--lint=all',
    '--lint-fatal',
    RULES_PATH,
  ]);

  assert.ok(verdict === null || verdict.code === 0, verdict?.output);
});

test('each alert fires and is silent where its unit tests say so', async (t) => {
  const paths = readExpectations().map(({ path }) => path);

  const verdict = await runPromtool(t, ['test', 'rules', ...paths]);

  assert.ok(verdict === null || verdict.code === 0, verdict?.output);
});

test('each alert has a unit test in which it fires, and one in which it does not', () => {
  const names = readAlertRules().map(({ alert }) => alert);

  const expected = readExpectations();

  assert.deepEqual(expected.map(({ alert }) => alert).toSorted(), names.toSorted());
  for (const { alert, firing, silent } of expected) assert.ok(firing > 0 && silent > 0, alert);
});

test('each alert says how bad it is, what is the case, what to do and where more stands', () => {
  for (const { alert, labels, annotations } of readAlertRules()) {
    assert.match(labels['severity'] ?? '', /^(?:critical|warning|info)$/, alert);
    assert.match(annotations['summary'] ?? '', /\$labels\.instance/, alert);
    assert.match(annotations['description'] ?? '', /More in docs\/observability\.md\.$/, alert);
    assert.doesNotMatch(JSON.stringify(annotations), /https?:/, alert);
  }
});

test('no length of time and no bound of an alert can be moved without a unit test that fails', async (t) => {
  for (const { alert, path } of readExpectations()) {
    const rule = readAlertRules().find((one) => one.alert === alert);
    assert.ok(rule !== undefined, alert);
    for (const mutant of mutantsOf(rule)) {
      const verdict = await testMutant(t, mutant, path);
      if (verdict === null) return;
      assert.match(verdict.output, /FAILED:\n +name: /, `${mutant.expr} for ${mutant.for}`);
    }
  }
});

/** How the unit tests in the file fare with this rule. */
function testMutant(t: TestContext, rule: AlertRule, path: string): Promise<Verdict | null> {
  const folder = createFolder('mutant');
  mkdirSync(join(folder, 'tests'));
  cpSync(path, join(folder, 'tests/mutant.test.yml'));
  writeFileSync(join(folder, 'alerts.yml'), ruleFileOf([rule]));
  return runPromtool(t, ['test', 'rules', join(folder, 'tests/mutant.test.yml')]);
}

test('all that the alerts look at is there once a model was loaded and has answered', async (t) => {
  const { jano } = await openMachineRig(t, ['a', 'b']);
  const prometheus = await startPrometheus(t, jano.url);
  if (prometheus === null) return;
  await ask(jano, 'a');

  for (const { alert, expr } of readAlertRules()) {
    const { mistakes, selectors, grouped } = parseQuery(expr);
    assert.deepEqual([mistakes, selectors.length > 0], [[], true], alert);
    for (const { metric, matchers } of selectors) {
      const labels = [...matchers.flatMap(eachWanted), ...grouped.map((label) => `${label}!=""`)];
      for (const label of labels.length === 0 ? [''] : labels) await untilThere(metric, label);
    }
  }

  function untilThere(metric: string, label: string): Promise<void> {
    const series = `${metric}{${label}}`;
    return until(series, async () => (await prometheus?.ask(`count(${series})`)) !== null);
  }
});

test('each alert fires from a real Jano with which it is so, and none while all is well', async (t) => {
  const held = new HeldAnswers();
  const answers = { now: answerMetered };
  let aheadMs = 0;
  const { jano } = await openMachineRig(t, ['a', 'b', 'broken'], {
    resident: ['a'],
    script: '[ "$1" != broken ] || exit 1; sleep 0.3',
    answer: (...question) => answers.now(...question),
    policy: { linger: 0 },
    surroundings: { now: () => Date.now() + aheadMs },
  });
  const rules = readAlertRules();
  const prometheus = await startPrometheus(t, jano.url, {
    rules: ruleFileOf(rules.map(quickened)),
  });
  if (prometheus === null) return;
  await serveWell(jano, prometheus);
  const early = await firedIn(prometheus);

  answers.now = answerAtOnce;
  await ask(jano, 'broken');
  await untilFired(prometheus, 'JanoSwapFailing');
  await untilFired(prometheus, 'JanoBackendDown');
  await untilFired(prometheus, 'JanoThrashing', () => askInTurn(jano, ['b', 'a']));
  await untilFired(prometheus, 'JanoUnmetered', () => askInTurn(jano, Array(12).fill('a')));
  answers.now = held.answer;
  const asked = ['a', 'b'].map((model) => ask(jano, model).catch(() => 'broken off'));
  await untilWaiting(jano, 1);
  aheadMs = ELEVEN_MINUTES_MS;
  await untilFired(prometheus, 'JanoOldestWait');
  await untilFired(prometheus, 'JanoStuck');
  await jano.stop(0);
  await Promise.all(asked);
  await untilFired(prometheus, 'JanoDown');

  // A busy machine may keep Jano from answering a scrape in time.
  assert.deepEqual(
    early.filter((alert) => alert !== 'JanoDown'),
    [],
  );
  assert.deepEqual(await firedIn(prometheus), rules.map(({ alert }) => alert).toSorted());
});

/** One matcher for each of the values that a label may have. */
function eachWanted(matcher: string): string[] {
  const [, label, values = ''] = /^(\w+)=~"(.*)"$/.exec(matcher) ?? [];
  return label === undefined ? [matcher] : values.split('|').map((value) => `${label}="${value}"`);
}

const answerMetered: ModelAnswer = (_model, req, res) => {
  req.resume();
  res.setHeader('Content-Type', 'application/json');
  const message = { role: 'assistant', content: 'hello' };
  res.end(JSON.stringify({ choices: [{ message }], usage: { completion_tokens: 2 } }));
};

/** One answer after another, until Prometheus has seen more of them than any alert waits for. */
async function serveWell(jano: RunningJano, prometheus: Prometheus): Promise<void> {
  await until('Prometheus has looked ten times', async () => {
    assert.equal((await ask(jano, 'a')).status, 200);
    return Number(await prometheus.ask('count_over_time(up[1m])')) >= 10;
  });
}

/** One after another, so that no two of them share a swap. */
async function askInTurn(jano: RunningJano, models: readonly string[]): Promise<void> {
  for (const model of models) await ask(jano, model);
}

/** Until then does this again and again. */
async function untilFired(
  prometheus: Prometheus,
  alert: string,
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  await until(`${alert} fires`, async () => {
    await meanwhile();
    return hasFired(prometheus, alert);
  });
}

/** All that have fired so far. */
async function firedIn(prometheus: Prometheus): Promise<string[]> {
  const fired = await Promise.all(
    readAlertRules().map(async ({ alert }) => ((await hasFired(prometheus, alert)) ? [alert] : [])),
  );
  return fired.flat().toSorted();
}

async function hasFired(prometheus: Prometheus, alert: string): Promise<boolean> {
  const firing = `ALERTS{alertname="${alert}",alertstate="firing"}`;
  return (await prometheus.ask(`count(count_over_time(${firing}[5m]))`)) !== null;
}
