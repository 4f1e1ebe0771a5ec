// The time that a chart shows, in the address: a length up to now, or a part of the past that was marked in the chart.
import { place, type QueryChange } from '../state/url-state.js';
import { ranges } from './metric-lines.js';

/** A part of the past, in seconds since 1970. */
export interface PastTime {
  readonly fromS: number;
  readonly toS: number;
}

/** What the address says, as `range=6h`, or `from=1700000000&to=1700000600`. */
export interface ChartTime {
  readonly range: (typeof ranges)[number];
  /** The time that is shown in place of the range. */
  readonly past: PastTime | undefined;
}

const usualRange = '1h';
/** A shorter part has no two points. */
const shortestS = 120;

/** Reads the time; what is not a time is left out. */
export function chartTimeOf(query: Readonly<Record<string, string>>): ChartTime {
  const range = ranges.find(({ id }) => id === (query['range'] ?? usualRange)) ?? ranges[0];
  const { from = '', to = '' } = query;
  const isPast = /^\d{1,11}$/.test(from) && /^\d{1,11}$/.test(to) && Number(to) - Number(from) >= shortestS;
  return { range, past: isPast ? { fromS: Number(from), toS: Number(to) } : undefined };
}

/** The time of the place that is shown. */
export function chartTimeInAddress(): ChartTime {
  return chartTimeOf(place.value.query);
}

/** What shows a part of the past, at least as long as two points are apart. */
export function pastQuery(fromS: number, toS: number): QueryChange {
  const missingS = Math.max(0, shortestS - (toS - fromS));
  return { from: String(Math.floor(fromS - missingS / 2)), to: String(Math.ceil(toS + missingS / 2)) };
}

/** What shows a length up to now. */
export function rangeQuery(range: string): QueryChange {
  return { range, from: undefined, to: undefined };
}

/** A part of the past in words, in the form of the reader. */
export function pastText({ fromS, toS }: PastTime): string {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return format.formatRange(fromS * 1000, toS * 1000);
}

/** A time as an input of local times writes it: `2026-01-31T08:30`. */
export function localTimeText(atS: number): string {
  const at = new Date(atS * 1000);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/**
 * Seconds since 1970 of the text of such an input; not a number if it is not complete. A year that is typed digit by
 * digit is first the year 2, 20 and 202: times before 1970 are not complete.
 */
export function secondsOfLocalTime(text: string): number {
  const seconds = Math.floor(new Date(text).getTime() / 1000);
  return seconds >= 0 ? seconds : Number.NaN;
}

/** What is wrong with the texts of two such inputs, the start and the end of a time; undefined if nothing is. */
export function pastProblem(from: string, to: string): string | undefined {
  const [fromS, toS] = [secondsOfLocalTime(from), secondsOfLocalTime(to)];
  if (Number.isNaN(fromS) || Number.isNaN(toS))
    return 'Enter both times completely, with a year from 1970 on.';
  return fromS < toS ? undefined : 'From must be before To.';
}
