// What a benchmark found, as a table to be read: each figure with its reference, its target and whether it is met.
import { cpus, totalmem } from 'node:os';

/** One line of the table. `reference` is measured in the same run on the same machine. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly reference?: number;
  /** Compared with `value / reference`, or with `value` where there is no reference. */
  readonly target: { readonly kind: 'atLeast' | 'atMost'; readonly limit: number };
}

/** Whether a figure meets its target; one that could not be measured does not. */
export function isMet(figure: Figure): boolean {
  const { kind, limit } = figure.target;
  return kind === 'atLeast' ? comparedOf(figure) >= limit : comparedOf(figure) <= limit;
}

/** The figures as a Markdown table, in their order. */
export function formatFigures(figures: readonly Figure[]): string {
  const lines = figures.map((figure) => {
    const { name, value, unit, reference, target } = figure;
    const compared = comparedOf(figure);
    const shownRatio = reference === undefined ? '' : compared.toFixed(2);
    const shownTarget = `${target.kind === 'atLeast' ? '≥' : '≤'} ${target.limit}`;
    const cells = [
      name,
      `${round(value)} ${unit}`,
      reference === undefined ? '' : `${round(reference)} ${unit}`,
    ];
    return `| ${[...cells, shownRatio, shownTarget, isMet(figure) ? 'yes' : '**no**'].join(' | ')} |`;
  });
  return [
    '| figure | measured | reference | ratio | target | met |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

/** What is compared with the target. */
function comparedOf({ value, reference }: Figure): number {
  return reference === undefined ? value : value / reference;
}

/** The machine and the versions that the figures belong to, in one line. */
export function describeMachine(): string {
  const processors = cpus();
  const cores = `${processors.length} cores (${processors[0]?.model.trim()})`;
  return `${cores}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}, Node ${process.version}`;
}

/** The middle one of an odd number of values; of an even number, the upper of the two. */
export function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** What a server was measured with, and the reference right before it. */
export interface Pair {
  readonly reference: number;
  readonly value: number;
}

/** The pair whose ratio is the median: what changes on a machine from minute to minute meets both halves of a pair. */
export function medianPair(pairs: readonly Pair[]): Pair {
  const middle = median(pairs.map(({ reference, value }) => value / reference));
  const none = { reference: Number.NaN, value: Number.NaN };
  return pairs.find(({ reference, value }) => value / reference === middle) ?? none;
}

function round(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
