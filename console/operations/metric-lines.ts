// Reads the lines of a chart: one metric of some nodes in a time range.
import type { ChartLine, Points } from './chart.js';
import { pathOf, read } from './ops-api.js';

/** What to read. */
export interface MetricRange {
  readonly cluster: string;
  readonly metric: string;
  /** Empty for the combination of all nodes. */
  readonly nodes: readonly string[];
  /** `keyspace.table`, for metrics of tables. */
  readonly table?: string | undefined;
  readonly fromS: number;
  readonly toS: number;
}

type Reply = Readonly<Record<string, Readonly<Record<string, Points>>>>;

/** The lengths that charts can show, with the step of their points in minutes. */
export const ranges = [
  { id: '1h', label: 'Last hour', seconds: 3600, step: 1 },
  { id: '6h', label: 'Last 6 hours', seconds: 6 * 3600, step: 1 },
  { id: '24h', label: 'Last day', seconds: 86_400, step: 5 },
  { id: '7d', label: 'Last 7 days', seconds: 7 * 86_400, step: 5 },
  { id: '30d', label: 'Last 30 days', seconds: 30 * 86_400, step: 120 },
  { id: '1y', label: 'Last year', seconds: 365 * 86_400, step: 1440 },
] as const;

/** The distance of points for a length. */
export function stepMinutesOf(seconds: number): number {
  return ranges.find((range) => seconds <= range.seconds)?.step ?? 1440;
}

/** Reads the lines, one for each node, device or percentile. */
export async function readLines(range: MetricRange, signal: AbortSignal): Promise<readonly ChartLine[]> {
  const { cluster, metric, nodes, table, fromS, toS } = range;
  const query = `?start=${fromS}&end=${toS}&step=${stepMinutesOf(toS - fromS)}`;
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
    // Of ordinary metrics the averages; of distributions every percentile.
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
