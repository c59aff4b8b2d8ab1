import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const FOLDER = join(import.meta.dirname, '../../prometheus');
export const RULES_PATH = join(FOLDER, 'alerts.yml');
const TESTS_FOLDER = join(FOLDER, 'tests');

const alertRule = z.object({
  alert: z.string(),
  expr: z.string(),
  for: z.string(),
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
});
const ruleFile = z.object({ groups: z.tuple([z.object({ rules: z.array(alertRule) })]) });

const unitTestFile = z.object({
  tests: z.array(
    z.object({
      alert_rule_test: z.array(
        z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()).default([]) }),
      ),
    }),
  ),
});

/** One alert of prometheus/alerts.yml. */
export type AlertRule = z.infer<typeof alertRule>;

export function readAlertRules(): AlertRule[] {
  return ruleFile.parse(parse(readFileSync(RULES_PATH, 'utf8'))).groups[0].rules;
}

/** A file with these rules only; JSON is YAML. */
export function ruleFileOf(rules: readonly AlertRule[]): string {
  return JSON.stringify({ groups: [{ name: 'jano', rules }] });
}

/** What the unit tests of one alert expect of it, at how many moments each. */
export interface Expectations {
  readonly path: string;
  readonly alert: string;
  readonly firing: number;
  readonly silent: number;
}

/** By the names of their files, which are those of the alerts. */
export function readExpectations(): Expectations[] {
  return readdirSync(TESTS_FOLDER).map((file) => {
    const path = join(TESTS_FOLDER, file);
    const alert = file.replace(/\.test\.yml$/, '');
    const { tests } = unitTestFile.parse(parse(readFileSync(path, 'utf8')));
    const moments = tests
      .flatMap((one) => one.alert_rule_test)
      .filter(({ alertname }) => alertname === alert);
    const firing = moments.filter((moment) => moment.exp_alerts.length > 0).length;
    return { path, alert, firing, silent: moments.length - firing };
  });
}

const WINDOW = /(?<=\[)\d+[mh](?=\])/g;
const BOUND = /(?<=[<>]=? )\d+(?:\.\d+)?/g;

/** The rule as it could be by mistake: one at a time of its lengths of time and bounds is smaller, or larger. */
export function mutantsOf(rule: AlertRule): AlertRule[] {
  const minutes = Number.parseInt(rule.for);
  const lasting = [minutes - 1, minutes + 1].map((other) => ({ ...rule, for: `${other}m` }));
  const exprs = [WINDOW, BOUND].flatMap((number) =>
    [...rule.expr.matchAll(number)].flatMap(({ 0: found, index }) =>
      halfAndTwice(found).map(
        (other) => rule.expr.slice(0, index) + other + rule.expr.slice(index + found.length),
      ),
    ),
  );
  return [...lasting, ...exprs.map((expr) => ({ ...rule, expr }))];
}

/** A bound of 0 stays: more than nothing is more than a half, too. */
function halfAndTwice(found: string): string[] {
  const [, number, unit] = /^([\d.]+)(.*)$/.exec(found) ?? [];
  const value = Number(number);
  if (value === 0) return [];
  if (unit === '') return [`${value / 2}`, `${value * 2}`];
  const seconds = value * (unit === 'h' ? 3600 : 60);
  return [`${seconds / 2}s`, `${seconds * 2}s`];
}

/** The rule for a test that has no hours: all its lengths of time are seconds, its bounds as they are. */
export function quickened(rule: AlertRule): AlertRule {
  return { ...rule, for: '400ms', expr: rule.expr.replace(WINDOW, '3s') };
}
