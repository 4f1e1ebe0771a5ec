// What a comparison of two builds found, as a table to be read.
import { median } from '../figures.js';

/** A value of each of both builds. */
export interface Sides<Value> {
  readonly older: Value;
  readonly newer: Value;
}

/** One run of one build. */
export interface Measured {
  /** In the unit of the comparison. */
  readonly value: number;
  /** Processor time of the server for a request or a row, in microseconds. */
  readonly costUs?: number;
  readonly p99Ms?: number;
}

/** One line of the table: the rounds of one work. */
export interface Comparison {
  readonly name: string;
  readonly unit: string;
  /** Whether a higher value is the better one, such as a rate, or a lower one, such as a time. */
  readonly isBetter: 'higher' | 'lower';
  readonly rounds: readonly Sides<Measured>[];
}

/** A work whose median ratio is beyond a tenth on the wrong side is slower. */
const tolerance = 0.1;

/** The ratio of the newer build to the older one in each round, ascending. */
function ratiosOf(rounds: Comparison['rounds'], figureOf: (measured: Measured) => number): readonly number[] {
  return rounds
    .map(({ older, newer }) => figureOf(newer) / figureOf(older))
    .sort((left, right) => left - right);
}

/** A Markdown table with the medians of both builds, and the median, least and greatest ratio of a round. */
export function formatComparisons(comparisons: readonly Comparison[]): string {
  const lines = comparisons.map(({ name, unit, rounds }) => {
    const ratios = ratiosOf(rounds, ({ value }) => value);
    const middles = (figureOf: (measured: Measured) => number) =>
      [rounds.map(({ older }) => figureOf(older)), rounds.map(({ newer }) => figureOf(newer))].map((values) =>
        shown(median(values)),
      );
    const spread = `${shown(ratios[0])} to ${shown(ratios.at(-1))}`;
    const arrow = (values: readonly string[]) => (values.includes('–') ? '–' : values.join(' → '));
    const cells = [
      name,
      `${arrow(middles(({ value }) => value))} ${unit}`,
      shown(median(ratios)),
      spread,
      arrow(middles(({ costUs = Number.NaN }) => costUs)),
      arrow(middles(({ p99Ms = Number.NaN }) => p99Ms)),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| work | older → this | ratio | spread | processor time, µs | p99, ms |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

/** The names of works that are more than a tenth worse than in the older build, each with its ratio. */
export function slowerWorks(comparisons: readonly Comparison[]): readonly string[] {
  return comparisons.flatMap(({ name, isBetter, rounds }) => {
    const ratio = median(ratiosOf(rounds, ({ value }) => value));
    const isWorse = isBetter === 'higher' ? ratio < 1 - tolerance : ratio > 1 + tolerance;
    return isWorse ? [`${name}: ${shown(ratio)}`] : [];
  });
}

function shown(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–';
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
