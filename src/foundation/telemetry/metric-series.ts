// The series of metrics as they are counted: plain additions, cheap enough for every request.
import { getOrMake } from '../get-or-make.js';

/** Name and help text of a metric. */
export interface MetricNaming {
  /** With unit and `_total`, as Prometheus prescribes: `colonnade_http_replies_total`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** What the same series of several processes make together. Default: their sum. */
  readonly together?: 'sum' | 'max';
}

/** The declaration of a metric, for rendering. */
export type Declaration =
  | { readonly kind: 'counter'; readonly naming: MetricNaming; readonly family: Family<Counter> }
  | {
      readonly kind: 'histogram';
      readonly naming: MetricNaming;
      readonly bounds: readonly number[];
      readonly family: Family<Histogram>;
    }
  | {
      readonly kind: 'gauge';
      readonly naming: MetricNaming;
      readonly read: () => number | ReadonlyMap<string, number>;
    };

/** The values of all metrics of a process. Plain data, which only the registry reads. */
export type MetricValues = readonly object[];

/** Label values by label name. */
export type Labels = Readonly<Record<string, string>>;

/** The series of one metric: one for each combination of label values. Get a series once and keep it. */
export class Family<Series> {
  readonly #labelNames: readonly string[];
  readonly #make: () => Series;
  readonly #known = new Map<string, { readonly labels: Labels; readonly series: Series }>();

  constructor(labelNames: readonly string[], make: () => Series) {
    this.#labelNames = labelNames;
    this.#make = make;
    if (labelNames.length === 0) this.series();
  }

  /** `labelValues` in the order of the label names. The same values give the same series. */
  series(...labelValues: readonly string[]): Series {
    const key = JSON.stringify(labelValues);
    return getOrMake(this.#known, key, () => {
      const labels = Object.fromEntries(this.#labelNames.map((name, at) => [name, labelValues[at] ?? '']));
      return { labels, series: this.#make() };
    }).series;
  }

  /** Each series with its labels, in the order in which they were created. */
  all(): Iterable<{ readonly labels: Labels; readonly series: Series }> {
    return this.#known.values();
  }
}

/** A series that only increases. The registry reads the value when it is scraped. */
export class Counter {
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }
}

/** One series of observations, in the unit of its name. */
export class Histogram {
  readonly bounds: readonly number[];
  /** Per bucket, not cumulative; the last one is for values above all bounds. */
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
