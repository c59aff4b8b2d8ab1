import type { Prometheus, Range } from '../rig/prometheus.ts';
import type { Source } from './page.ts';
import { rateInterval } from './variables.ts';

/** How often Prometheus asks, as in prometheus.yml; a picture has no finer steps. */
export const SCRAPE_S = 5;

/** The last minutes of a Jano that a Prometheus scrapes; rejects where it scrapes none. */
export async function sourceOf(prometheus: Prometheus, minutes: number): Promise<Source> {
  const end = Math.floor(Date.now() / 1000 / SCRAPE_S) * SCRAPE_S;
  const range: Range = { start: end - minutes * 60, end, step: SCRAPE_S };
  const [first] = await prometheus.askAll('jano_uptime_seconds');
  if (first === undefined) throw new Error('this Prometheus scrapes no Jano');
  const { job = '', instance = '' } = first.metric;
  return {
    prometheus,
    range,
    variables: {
      job,
      instance,
      model: '.*',
      datasource: 'Prometheus',
      traces_url: 'http://localhost:16686',
      __interval: `${SCRAPE_S}s`,
      __rate_interval: `${rateInterval(SCRAPE_S, SCRAPE_S)}s`,
      __range: `${minutes * 60}s`,
      __from: String(range.start * 1000),
      __to: String(range.end * 1000),
    },
  };
}
