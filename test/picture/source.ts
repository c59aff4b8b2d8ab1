import type { Prometheus, Range } from '../rig/prometheus.ts';
import type { Source } from './page.ts';
import { rateInterval } from './variables.ts';

/** The last minutes of a Jano that a Prometheus scrapes every so many seconds: there are no finer steps. Rejects where it scrapes none. */
export async function sourceOf(
  prometheus: Prometheus,
  minutes: number,
  scrapeS: number,
): Promise<Source> {
  const end = Math.floor(Date.now() / 1000 / scrapeS) * scrapeS;
  const range: Range = { start: end - minutes * 60, end, step: scrapeS };
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
      __interval: `${scrapeS}s`,
      __rate_interval: `${rateInterval(scrapeS, scrapeS)}s`,
      __range: `${minutes * 60}s`,
      __from: String(range.start * 1000),
      __to: String(range.end * 1000),
    },
  };
}
