// Prometheus metrics about the server itself. Counting is cheap enough for every request; rendering happens at a
// scrape.
import {
  Counter,
  type Declaration,
  Family,
  Histogram,
  type MetricNaming,
  type MetricValues,
} from './metric-series.js';
import type { PrometheusRegistry } from './prometheus-registry.js';

/** Creates series and renders them. */
export interface Metrics {
  counter(naming: MetricNaming): Family<Counter>;
  /** `bounds`: upper bounds of the buckets, ascending. */
  histogram(naming: MetricNaming, bounds: readonly number[]): Family<Histogram>;
  /** A value that is read at each scrape; with one label name, a value for each value of the label. */
  gauge(naming: MetricNaming, read: () => number | ReadonlyMap<string, number>): void;
  /** Begins to measure the process itself; otherwise the first `render` does. */
  measureProcess(): Promise<void>;
  /** The present values, for the process that renders those of several. */
  values(): Promise<MetricValues>;
  /** All metrics in Prometheus' text format; with the values of other processes, one series for all of them. */
  render(others?: readonly MetricValues[]): Promise<string>;
}

/** What processes counted that have ended: their counters and histograms, added up. */
export async function sumCounts(parts: readonly MetricValues[]): Promise<MetricValues> {
  const { sumOfCounts } = await import('./prometheus-registry.js');
  return sumOfCounts(parts);
}

/** Upper bounds in seconds for the duration of a request: 0.25 ms to 10 s. */
export const requestSecondsBounds: readonly number[] = [
  0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** The series of this process, with the metrics of the process (CPU, memory, event loop, garbage collection). */
export function createMetrics(): Metrics {
  const declared: Declaration[] = [];
  const declare = <D extends Declaration>(declaration: D): D => {
    declared.push(declaration);
    return declaration;
  };
  let opening: Promise<PrometheusRegistry> | undefined;
  const open = () => {
    opening ??= import('./prometheus-registry.js').then(
      ({ PrometheusRegistry }) => new PrometheusRegistry(declared),
    );
    return opening;
  };
  return {
    counter: (naming) =>
      declare({ kind: 'counter', naming, family: new Family(naming.labelNames ?? [], () => new Counter()) })
        .family,
    histogram: (naming, bounds) => {
      const family = new Family(naming.labelNames ?? [], () => new Histogram(bounds));
      return declare({ kind: 'histogram', naming, bounds, family }).family;
    },
    gauge: (naming, read) => void declare({ kind: 'gauge', naming, read }),
    measureProcess: async () => void (await open()),
    values: async () => (await open()).values(),
    render: async (others) => (await open()).render(others),
  };
}
