import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DashboardPanel, readDashboard } from './dashboardFile.ts';

// What Grafana's panels make of a setting that is not there; each was a panel that nobody could read.

async function readPanels(wanted: string): Promise<DashboardPanel[]> {
  const panels = (await readDashboard()).panels.filter(({ type }) => type === wanted);
  assert.notDeepEqual(panels, []);
  return panels;
}

test('the states of a timeline have a legend, which a scale of colours has not', async () => {
  for (const { title, fieldConfig } of await readPanels('state-timeline')) {
    // By threshold is no way either: equal values are then merged without their mappings.
    assert.equal(fieldConfig?.defaults.color?.mode, 'fixed', title);
  }
});

test('a state that says nothing is faint, not black', async () => {
  for (const { title, fieldConfig } of await readPanels('state-timeline')) {
    const colors = [
      ...JSON.stringify(fieldConfig?.defaults.mappings).matchAll(/"color":"([^"]*)"/g),
    ];

    assert.ok(colors.length > 1, title);
    // Their opacity is the panel's, but of such as have one behind their six digits.
    for (const [, color = ''] of colors) assert.match(color, /^(?:red|green|blue|#[0-9a-f]{8})$/);
  }
});

test('a single bar has its name beside it', async () => {
  for (const { title, fieldConfig, targets = [] } of await readPanels('bargauge')) {
    const legend = targets[0]?.legendFormat ?? '';
    const name = fieldConfig?.defaults.displayName ?? '';
    assert.equal(name.replaceAll(/\$\{__field\.labels\.(\w+)\}/g, '{{$1}}'), legend, title);
  }
});

test('the cells of a heatmap are numbers of values, whatever the values are', async () => {
  for (const { title, options } of await readPanels('heatmap')) {
    assert.equal(options?.cellValues?.unit, 'short', title);
  }
});

test('a panel of names has one to show where there is no series', async () => {
  const panels = (await readPanels('stat')).filter(({ options }) => options?.textMode === 'name');

  assert.notDeepEqual(panels, []);
  for (const { targets = [] } of panels) {
    for (const { expr } of targets) assert.match(expr, / or on \(\) label_replace\(vector\(0\)/);
  }
});
