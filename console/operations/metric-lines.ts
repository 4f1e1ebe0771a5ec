// Reads the lines of a chart: one metric of some nodes in a time range.
import { pathOf, read } from '../net/ops-api.js';
import type { ChartLine, ChartProps, Points } from './chart.js';

/** What to read. */
export interface MetricRange {
  readonly cluster: string;
  readonly metric: string;
  /** Further metrics of the same unit and scope; then the names of lines begin with their metric. */
  readonly also?: readonly string[];
  /** The addresses of nodes. If there are none, the values of all nodes are combined. */
  readonly nodes: readonly string[];
  /** `keyspace.table`, for metrics of tables. */
  readonly table?: string | undefined;
  readonly fromS: number;
  readonly toS: number;
}

type Reply = Readonly<Record<string, Readonly<Record<string, Points>>>>;

/** The lengths that charts can show, with the step of their points in minutes. */
export const ranges = [
  { id: '15m', label: 'Last 15 minutes', seconds: 900, step: 1 },
  { id: '1h', label: 'Last hour', seconds: 3600, step: 1 },
  { id: '6h', label: 'Last 6 hours', seconds: 6 * 3600, step: 1 },
  { id: '24h', label: 'Last day', seconds: 86_400, step: 5 },
  { id: '7d', label: 'Last 7 days', seconds: 7 * 86_400, step: 5 },
  { id: '30d', label: 'Last 30 days', seconds: 30 * 86_400, step: 120 },
  { id: '1y', label: 'Last year', seconds: 365 * 86_400, step: 1440 },
] as const;

/** The minutes between two points of a chart of this length. */
function stepMinutesOf(seconds: number): number {
  return ranges.find((range) => seconds <= range.seconds)?.step ?? 1440;
}

const dayS = 86_400;
/** How long the values of a step are stored, with some time to spare. */
const storedFor = [
  { step: 1, seconds: 1.9 * dayS },
  { step: 5, seconds: 13.5 * dayS },
  { step: 120, seconds: 179 * dayS },
] as const;

/** The distance of points, in minutes, for a part of the past: as fine as it is still stored. */
export function storedStepMinutes(fromS: number, toS: number, nowS: number): number {
  const stored = storedFor.find(({ seconds }) => nowS - fromS <= seconds)?.step ?? 1440;
  return Math.max(stepMinutesOf(toS - fromS), stored);
}

/** The lines of a range, and where the chart begins. */
export interface LinesInRange extends Pick<ChartProps, 'lines' | 'fromS' | 'toS' | 'stepS'> {
  /** Whether nothing older is stored: then the chart begins with the first value. */
  readonly isAll: boolean;
}

/** The shortest time that a chart shows. */
const shortestS = 600;

/**
 * Reads the lines up to now. Where values exist only for the last part of the range, as on a new server, the chart
 * begins with the first of them.
 */
export async function readFittedLines(
  what: Omit<MetricRange, 'fromS' | 'toS'>,
  seconds: number,
  signal: AbortSignal,
): Promise<LinesInRange> {
  const toS = Math.floor(Date.now() / 1000);
  const asked = toS - seconds;
  const found = await readLines({ ...what, fromS: asked, toS }, stepMinutesOf(seconds), signal);
  const fromS = fittedStart(found, asked, toS);
  const stepS = stepMinutesOf(toS - fromS) * 60;
  const isFiner = stepMinutesOf(seconds) * 60 > stepS;
  return {
    lines: isFiner ? await readLines({ ...what, fromS, toS }, stepS / 60, signal) : found,
    ...{ fromS, toS, stepS, isAll: fromS > asked },
  };
}

/** Reads the lines of a part of the past. */
export async function readPastLines(range: MetricRange, signal: AbortSignal): Promise<LinesInRange> {
  const { fromS, toS } = range;
  const step = storedStepMinutes(fromS, toS, Date.now() / 1000);
  return { lines: await readLines(range, step, signal), fromS, toS, stepS: step * 60, isAll: false };
}

/** Where a chart of these lines begins, within its range: not long before the first value. */
export function fittedStart(lines: readonly ChartLine[], fromS: number, toS: number): number {
  const firstS = Math.min(...lines.map(({ points }) => points[0]?.[0] ?? toS), toS);
  const lead = Math.min(60, (toS - firstS) / 20);
  const startS = Math.floor(Math.min(firstS - lead, toS - shortestS));
  // A short gap at the beginning is a gap, not the beginning of all values.
  return startS - fromS > (toS - fromS) / 10 ? startS : fromS;
}

/** Reads the lines of all metrics. */
async function readLines(
  range: MetricRange,
  stepMinutes: number,
  signal: AbortSignal,
): Promise<readonly ChartLine[]> {
  const { metric, also = [] } = range;
  if (also.length === 0) return readLinesOfMetric(range, stepMinutes, signal);
  const lines = await Promise.all(
    [metric, ...also].map(async (one) => {
      const found = await readLinesOfMetric({ ...range, metric: one }, stepMinutes, signal);
      return found.map(({ name, points }) => ({ name: `${one} ${name}`, points }));
    }),
  );
  return lines.flat();
}

/** Reads the lines of a metric, one for each node, device or percentile. */
async function readLinesOfMetric(
  range: MetricRange,
  stepMinutes: number,
  signal: AbortSignal,
): Promise<readonly ChartLine[]> {
  const { cluster, metric, nodes, table, fromS, toS } = range;
  const query = `?start=${fromS}&end=${toS}&step=${stepMinutes}`;
  const place = table === undefined ? [metric] : [...splitTable(table), metric];
  const owners = nodes.length === 0 ? [['cluster-metrics', 'all']] : nodes.map((node) => ['metrics', node]);
  const replies = await Promise.all(
    owners.map((owner) => read<Reply>(`${pathOf(cluster, ...owner, ...place)}${query}`, signal)),
  );
  return replies.flatMap((reply, at) => linesOf(reply, nodes.length > 1 ? (nodes[at] ?? '') : ''));
}

function linesOf(reply: Reply, node: string): readonly ChartLine[] {
  return Object.entries(reply).flatMap(([label, parts]) => {
    const name = label === node || node === '' ? label : `${node} ${label}`;
    // The lines are the averages of ordinary metrics, and every percentile of distributions.
    if (parts['AVERAGE'] !== undefined) return [{ name, points: parts['AVERAGE'] }];
    return Object.entries(parts)
      .filter(([part]) => part !== 'MIN')
      .map(([part, points]) => ({ name: `${part} ${name}`, points }));
  });
}

function splitTable(table: string): readonly string[] {
  const at = table.indexOf('.');
  return [table.slice(0, at), table.slice(at + 1)];
}
