// Renders metrics in Prometheus' text format. The only file that imports prom-client, which takes longer to load than
// the rest of the server: it is loaded at the first request, or after the start.
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Gauge,
  Counter as PromCounter,
  Histogram as PromHistogram,
  Registry,
} from 'prom-client';
import type {
  Counter,
  Declaration,
  Family,
  Histogram,
  Labels,
  MetricNaming,
  MetricValues,
} from './metric-series.js';

/**
 * Gauges of prom-client that have names of counters, which `promtool check metrics` reports. The gauges without
 * `_total` have the same numbers, by kind.
 */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** The metrics of the process, which its servers share: their observers cannot be ended. */
let ofProcess: Registry | undefined;

function measureProcess(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  return registry;
}

/** A separate registry, which also measures the process. It also shows metrics that are declared later. */
export class PrometheusRegistry {
  readonly #registry = new Registry();
  readonly #ofProcess: Registry;
  readonly #declared: readonly Declaration[];
  #registered = 0;

  constructor(declared: readonly Declaration[]) {
    this.#declared = declared;
    ofProcess ??= measureProcess();
    this.#ofProcess = ofProcess;
  }

  values(): Promise<MetricValues> {
    return this.#all().getMetricsAsJSON();
  }

  async render(others: readonly MetricValues[] = []): Promise<string> {
    return others.length === 0 ? this.#all().metrics() : together([await this.values(), ...others]).metrics();
  }

  #all(): Registry {
    this.#registerDeclared();
    return Registry.merge([this.#ofProcess, this.#registry]);
  }

  #registerDeclared(): void {
    for (const declaration of this.#declared.slice(this.#registered)) register(this.#registry, declaration);
    this.#registered = this.#declared.length;
  }
}

/** See `sumCounts`. */
export function sumOfCounts(parts: readonly MetricValues[]): Promise<MetricValues> {
  const isCounted = (metric: object) => 'type' in metric && metric.type !== 'gauge';
  return together(parts.map((values) => values.filter(isCounted))).getMetricsAsJSON();
}

function together(parts: readonly MetricValues[]): Registry {
  return AggregatorRegistry.aggregate([...parts]);
}

function register(registry: Registry, declaration: Declaration): void {
  const { kind, naming } = declaration;
  if (kind === 'counter') registerCounter(registry, naming, declaration.family);
  else if (kind === 'gauge') registerGauge(registry, naming, declaration.read);
  else registry.registerMetric(new FamilyHistogram(naming, declaration.bounds, declaration.family));
}

function registerCounter(registry: Registry, naming: MetricNaming, family: Family<Counter>): void {
  new PromCounter({
    ...naming,
    labelNames: naming.labelNames ?? [],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, series } of family.all()) this.inc(labels, series.value);
    },
  });
}

function registerGauge(
  registry: Registry,
  { name, help, labelNames = [], together: aggregator = 'sum' }: MetricNaming,
  read: () => number | ReadonlyMap<string, number>,
): void {
  const [labelName = ''] = labelNames;
  new Gauge({
    name,
    help,
    labelNames,
    aggregator,
    registers: [registry],
    collect() {
      const found = read();
      if (typeof found === 'number') this.set(found);
      else for (const [label, value] of found) this.set({ [labelName]: label }, value);
    },
  });
}

/**
 * prom-client's histogram takes 0.3 µs per observation and cannot take counts made elsewhere, so `get` is overridden.
 */
class FamilyHistogram extends PromHistogram {
  readonly #naming: MetricNaming;
  readonly #family: Family<Histogram>;

  constructor(naming: MetricNaming, bounds: readonly number[], family: Family<Histogram>) {
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

  /** The registry calls this instead of `get` if it exists. */
  getForPromString() {
    return this.get();
  }
}

function bucketSamples(name: string, labels: Labels, series: Histogram) {
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
