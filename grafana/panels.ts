import * as bargauge from '@grafana/grafana-foundation-sdk/bargauge';
import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import * as common from '@grafana/grafana-foundation-sdk/common';
import {
  FieldColorBuilder,
  FieldColorModeId,
  type Panel,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import * as heatmap from '@grafana/grafana-foundation-sdk/heatmap';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as statetimeline from '@grafana/grafana-foundation-sdk/statetimeline';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';

/** What every panel says of itself, and how much room it takes: columns of 24, and rows of 30 pixels. */
export interface About {
  readonly title: string;
  /** For a person who is new to it. */
  readonly description: string;
  /** As Grafana calls it. */
  readonly unit: string;
  readonly width: number;
  readonly height?: number;
  readonly decimals?: number;
  /** The first colour is that below all the others; values are in the panel's unit. */
  readonly thresholds?: readonly Step[];
}

/** From this value on, this colour; null is the lowest. */
export type Step = readonly [from: number | null, color: string];

/** A query and how its series are called; `{{model}}` stands for the label. */
export type Query = readonly [expression: string, legend: string];

/** Panels of these widths side by side make a row; the dashboard places them. */
export type PanelBuilder = Builder<Panel>;

const CHART_ROWS = 8;
/** A table of eight models, and what stands beside it. */
export const TABLE_ROWS = 10;
const STAT_ROWS = 4;
/** Of a state that says nothing: `transparent` would get the panel's opacity, and be black. */
export const FAINT = '#80808033';
const DATA_SOURCE = { type: 'prometheus', uid: '${datasource}' };

interface Common {
  title(title: string): this;
  description(description: string): this;
  datasource(source: { type: string; uid: string }): this;
  span(width: number): this;
  height(height: number): this;
  unit(unit: string): this;
  decimals(decimals: number): this;
  thresholds(thresholds: Builder<{ mode: ThresholdsMode; steps: Threshold[] }>): this;
  withTarget(target: Builder<Dataquery>): this;
}

/** Numbers of this moment. */
export function createStat(about: About, queries: readonly Query[]): stat.PanelBuilder {
  const panel = new stat.PanelBuilder()
    .graphMode(common.BigValueGraphMode.None)
    .colorMode(about.thresholds ? common.BigValueColorMode.Value : common.BigValueColorMode.None)
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false))
    .noValue('–');
  ask(panel, queries, 'instant');
  return describe(panel, { height: STAT_ROWS, ...about });
}

/** Lines over time; each model has the same colour in all panels. */
export function createLines(about: About, queries: readonly Query[]): timeseries.PanelBuilder {
  const panel = new timeseries.PanelBuilder()
    .lineWidth(1)
    .fillOpacity(8)
    .showPoints(common.VisibilityMode.Auto)
    .colorScheme(colorsByName())
    .min(0)
    .legend(legendBelow())
    .tooltip(
      new common.VizTooltipOptionsBuilder()
        .mode(common.TooltipDisplayMode.Multi)
        .sort(common.SortOrder.Descending),
    );
  if (about.thresholds) {
    panel.thresholdsStyle(
      new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Dashed),
    );
  }
  ask(panel, queries, 'range');
  return describe(panel, about);
}

/** Areas on top of each other over time: parts of a whole. */
export function createAreas(about: About, queries: readonly Query[]): timeseries.PanelBuilder {
  return createLines(about, queries)
    .fillOpacity(60)
    .lineWidth(0)
    .stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal).group('A'));
}

/** A strip of states over time, one for each series. */
export function createTimeline(
  about: About,
  queries: readonly Query[],
  mappings: ValueMapping[],
): statetimeline.PanelBuilder {
  const panel = new statetimeline.PanelBuilder()
    .mergeValues(true)
    .showValue(common.VisibilityMode.Never)
    .rowHeight(0.8)
    .lineWidth(0)
    .fillOpacity(85)
    .mappings(mappings)
    // Else it would be a scale of colours, which has no legend.
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Fixed).fixedColor('text'))
    .legend(legendBelow());
  ask(panel, queries, 'range');
  return describe(panel, about);
}

/** How many values were how large, over time: a histogram's buckets, counted between two points. */
export function createHeatmap(about: About, buckets: string): heatmap.PanelBuilder {
  const panel = new heatmap.PanelBuilder()
    // Longer than the time between two scrapes, or each value would be in several cells.
    .interval('1m')
    .calculate(false)
    .color(
      new heatmap.HeatmapColorOptionsBuilder()
        .mode(heatmap.HeatmapColorMode.Scheme)
        .scheme('Oranges')
        .steps(32),
    )
    .cellGap(1)
    .cellValues(new heatmap.CellValuesBuilder().unit('short').decimals(0))
    .filterValues(new heatmap.FilterValueRangeBuilder().le(1e-9))
    .yAxis(
      new heatmap.YAxisConfigBuilder().unit(about.unit).axisPlacement(common.AxisPlacement.Left),
    )
    .tooltip(
      new heatmap.HeatmapTooltipBuilder()
        .mode(common.TooltipDisplayMode.Single)
        .yHistogram(true)
        .showColorScale(true),
    )
    .showLegend();
  panel.withTarget(
    new DataqueryBuilder()
      .expr(buckets)
      .legendFormat('{{le}}')
      .range()
      .format(PromQueryFormat.Heatmap)
      .refId('A'),
  );
  return describe(panel, about);
}

/** Bars side by side, the longest first: sums over all that is shown. */
export function createBars(about: About, [expression, legend]: Query): bargauge.PanelBuilder {
  const panel = new bargauge.PanelBuilder()
    .displayMode(common.BarGaugeDisplayMode.Basic)
    .orientation(common.VizOrientation.Horizontal)
    .valueMode(common.BarGaugeValueMode.Text)
    .namePlacement(common.BarGaugeNamePlacement.Left)
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false))
    .colorScheme(colorsByName())
    // A single bar would go without its name.
    .displayName(legend.replaceAll(/\{\{(\w+)\}\}/g, '${__field.labels.$1}'))
    .min(0)
    .noValue('none');
  ask(panel, [[`sort_desc(${expression})`, legend]], 'instant');
  return describe(panel, about);
}

/** A line for each model, a column for each query, over all that is shown. */
export function createTable(about: About, columns: readonly Query[]): table.PanelBuilder {
  const panel = new table.PanelBuilder()
    .cellHeight(common.TableCellHeight.Sm)
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'organize',
      options: { excludeByName: { Time: true } },
    })
    .noValue('–')
    .overrides(
      columns.map(([, title], index) => ({
        matcher: { id: 'byName', options: `Value #${refId(index)}` },
        properties: [{ id: 'displayName', value: title }],
      })),
    );
  for (const [index, [expression]] of columns.entries()) {
    panel.withTarget(
      new DataqueryBuilder()
        .expr(expression)
        .instant()
        .format(PromQueryFormat.Table)
        .refId(refId(index)),
    );
  }
  return describe(panel, about);
}

/** A colour of its own for a series, whatever else is shown. */
export function colorOf(name: string, color: string): [string, { id: string; value: unknown }[]] {
  return [name, [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }]];
}

function describe<T extends Common>(panel: T, about: About): T {
  const { title, description, unit, width, height = CHART_ROWS, decimals, thresholds } = about;
  panel.title(title).description(description).datasource(DATA_SOURCE);
  panel.unit(unit).span(width).height(height);
  if (decimals !== undefined) panel.decimals(decimals);
  const steps = (thresholds ?? [[null, 'text']]).map(([value, color]) => ({ value, color }));
  panel.thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps));
  return panel;
}

function ask(panel: Common, queries: readonly Query[], how: 'instant' | 'range'): void {
  for (const [index, [expression, legend]] of queries.entries()) {
    panel.withTarget(
      new DataqueryBuilder().expr(expression).legendFormat(legend).refId(refId(index))[how](),
    );
  }
}

function refId(index: number): string {
  return String.fromCodePoint('A'.charCodeAt(0) + index);
}

function colorsByName(): FieldColorBuilder {
  return new FieldColorBuilder().mode(FieldColorModeId.PaletteClassicByName);
}

function legendBelow(): common.VizLegendOptionsBuilder {
  return new common.VizLegendOptionsBuilder()
    .displayMode(common.LegendDisplayMode.List)
    .placement(common.LegendPlacement.Bottom)
    .showLegend(true);
}
