import * as text from '@grafana/grafana-foundation-sdk/text';
import type { PanelBuilder } from '../panels.ts';

const SEARCH = '${traces_url}/search?service=jano';
const SINCE = 'lookback=custom&start=${__from}000&end=${__to}000';

/** The way from the pictures to single requests. */
export function createTraces(): PanelBuilder[] {
  return [
    new text.PanelBuilder()
      .title('Single requests')
      .description(
        'Links to Jaeger, for the time shown. Traces are made when Jano is started with OTEL_EXPORTER_OTLP_ENDPOINT.',
      )
      .mode(text.TextMode.Markdown)
      .span(24)
      .height(5)
      .content(
        [
          `- [All requests and swaps](${SEARCH}&${SINCE}&limit=100)`,
          `- [Requests of more than 30 seconds](${SEARCH}&${SINCE}&minDuration=30s&limit=100): queue, swap and answer of each`,
          `- [What failed](${SEARCH}&${SINCE}&tags=%7B%22error%22%3A%22true%22%7D&limit=100)`,
          '',
          'With Tempo in place of Jaeger: *Explore*, data source *Tempo*, `{ resource.service.name = "jano" && duration > 30s }`.',
        ].join('\n'),
      ),
  ];
}
