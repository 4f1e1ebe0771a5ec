// Prometheus metrics about the server itself, cheap enough for every request. The only file that imports prom-client.
import {
  collectDefaultMetrics,
  Gauge,
  Counter as PromCounter,
  Histogram as PromHistogram,
  Registry,
} from 'prom-client';

/** One series that only rises. Adding is a plain addition; the registry sees the sum when it is scraped. */
export interface Counter {
  add(amount?: number): void;
}

/** One series of observations, in the unit of its name. */
export interface Histogram {
  observe(value: number): void;
}

/** The series of one metric: one per combination of label values. Look series up once and keep them. */
export interface Family<Series> {
  /** `labelValues` in the order of the label names. The same values give the same series. */
  series(...labelValues: readonly string[]): Series;
}

/** How a metric is called and explained. */
export interface MetricNaming {
  /** With unit and `_total` as Prometheus wants them: `colonnade_http_replies_total`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** Where series are made and all of them are written out. */
export interface Metrics {
  /** What `render` returns. */
  readonly contentType: string;
  counter(naming: MetricNaming): Family<Counter>;
  /** `bounds`: upper bounds of the buckets, rising. */
  histogram(naming: MetricNaming, bounds: readonly number[]): Family<Histogram>;
  /** A value that is asked for when metrics are scraped. */
  gauge(naming: Omit<MetricNaming, 'labelNames'>, read: () => number): void;
  /** All metrics in Prometheus' text format. */
  render(): Promise<string>;
}

/** Upper bounds in seconds for the duration of a request: 0.25 ms to 10 s. */
export const requestSecondsBounds: readonly number[] = [
  0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** A registry of its own with the metrics of the process (CPU, memory, event loop, garbage collection) in it. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    contentType: registry.contentType,
    counter: (naming) => registerCounter(registry, naming),
    histogram: (naming, bounds) => registerHistogram(registry, naming, bounds),
    gauge: (naming, read) => {
      new Gauge({
        ...naming,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
    render: () => registry.metrics(),
  };
}

function registerCounter(registry: Registry, naming: MetricNaming): Family<Counter> {
  const family = new SeriesFamily(naming.labelNames ?? [], () => new Sum());
  new PromCounter({
    ...naming,
    labelNames: naming.labelNames ?? [],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, series } of family.all()) this.inc(labels, series.value);
    },
  });
  return family;
}

function registerHistogram(
  registry: Registry,
  naming: MetricNaming,
  bounds: readonly number[],
): Family<Histogram> {
  const family = new SeriesFamily(naming.labelNames ?? [], () => new Buckets(bounds));
  registry.registerMetric(new FamilyHistogram(naming, bounds, family));
  return family;
}

type Labels = Readonly<Record<string, string>>;

class SeriesFamily<Series> implements Family<Series> {
  readonly #labelNames: readonly string[];
  readonly #make: () => Series;
  readonly #known = new Map<string, { readonly labels: Labels; readonly series: Series }>();

  constructor(labelNames: readonly string[], make: () => Series) {
    this.#labelNames = labelNames;
    this.#make = make;
    if (labelNames.length === 0) this.series();
  }

  series(...labelValues: readonly string[]): Series {
    const key = JSON.stringify(labelValues);
    let entry = this.#known.get(key);
    if (entry === undefined) {
      const labels = Object.fromEntries(this.#labelNames.map((name, at) => [name, labelValues[at] ?? '']));
      entry = { labels, series: this.#make() };
      this.#known.set(key, entry);
    }
    return entry.series;
  }

  all(): Iterable<{ readonly labels: Labels; readonly series: Series }> {
    return this.#known.values();
  }
}

class Sum implements Counter {
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }
}

class Buckets implements Histogram {
  readonly bounds: readonly number[];
  /** Per bucket, not cumulative; the last one is for values above every bound. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
    counts[at] = (counts[at] ?? 0) + 1;
    this.sum += value;
  }
}

/** prom-client's histogram costs 0.3 µs an observation and takes no counts made elsewhere: only its place is used. */
class FamilyHistogram extends PromHistogram {
  readonly #naming: MetricNaming;
  readonly #family: SeriesFamily<Buckets>;

  constructor(naming: MetricNaming, bounds: readonly number[], family: SeriesFamily<Buckets>) {
    super({ ...naming, labelNames: naming.labelNames ?? [], buckets: [...bounds], registers: [] });
    this.#naming = naming;
    this.#family = family;
  }

  override async get() {
    const { name, help } = this.#naming;
    const values = [...this.#family.all()].flatMap(({ labels, series }) =>
      bucketSamples(name, labels, series),
    );
    return { name, help, type: 'histogram', values, aggregator: 'sum' } as unknown as Awaited<
      // The declared type of `get` names its metric type by an enum that has no value at run time.
      ReturnType<PromHistogram['get']>
    >;
  }

  /** What the registry calls instead of `get` where it is there. */
  getForPromString() {
    return this.get();
  }
}

function bucketSamples(name: string, labels: Labels, series: Buckets) {
  let count = 0;
  const buckets = [...series.counts].map((inBucket, at) => {
    count += inBucket;
    const le = series.bounds[at] ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: series.sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
