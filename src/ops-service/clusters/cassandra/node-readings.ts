// Converts the tables of one Cassandra node to readings of the metric keys (their sources: the Cassandra column of the
// keys).
import { isSystemKeyspace } from '../../../foundation/cassandra/system-keyspaces.js';
import type { HistogramPart, ValueReading } from '../cluster.js';
import type { NodeViews, ViewRow } from './node-views.js';
import { type Came, RisingCounts, rateOf } from './rising-counts.js';

/** Facts about the node that are not in its tables. */
export interface NodeFacts {
  readonly address: string;
  /** `5.0.9`. */
  readonly release: string | null;
  /** Changes when the node restarts. */
  readonly generation: number;
  /** Bytes of data as reported by gossip; null when unknown. */
  readonly loadBytes: number | null;
}

const stages: Readonly<Record<string, string>> = {
  'pending-compaction-tasks': 'CompactionExecutor',
  'pending-flushes': 'MemtableFlushWriter',
  'pending-memtable-post-flush': 'MemtablePostFlush',
  'pending-read-stage': 'ReadStage',
  'pending-mutation-stage': 'MutationStage',
  'pending-request-response-stage': 'RequestResponseStage',
  'pending-gossip-stage': 'GossipStage',
  'pending-migration-stage': 'MigrationStage',
  'pending-anti-entropy-stage': 'AntiEntropyStage',
  'pending-internal-response-stage': 'InternalResponseStage',
};

/** Converts consecutive readings of one node: counts become rates between two of them. */
export class NodeReadings {
  readonly #counts = new RisingCounts();
  #knownCompactions: { readonly ids: ReadonlySet<string>; readonly atMs: number } | undefined;
  #keepsHints: boolean | undefined;
  #readAtMs: number | undefined;
  #facts: NodeFacts | undefined;
  #readings: ValueReading[] = [];

  /** The readings for the present views. The first call gives no rates. */
  read(facts: NodeFacts, views: NodeViews, monotonicMs: number): readonly ValueReading[] {
    this.#facts = facts;
    this.#readings = [];
    this.#readAtMs = monotonicMs;
    this.#counts.begin(facts.generation, monotonicMs);
    if (facts.loadBytes !== null) this.#add('data-load', facts.loadBytes);
    this.#addCoordinator(views);
    this.#addTables(views);
    this.#addStages(views);
    this.#addCaches(views);
    this.#addHints(views);
    this.#addCompactions(views);
    return this.#readings;
  }

  #addCoordinator({ coordinatorReads, coordinatorScans, coordinatorWrites }: NodeViews): void {
    const [readRows, writeRows] = [byTable(coordinatorReads), byTable(coordinatorWrites)];
    const reads = this.#came('coordinator reads', readRows);
    const scans = this.#came('coordinator scans', byTable(coordinatorScans));
    if (reads !== undefined && scans !== undefined) this.#add('read-ops', rateOf(reads) + rateOf(scans));
    const writes = this.#came('coordinator writes', writeRows);
    if (writes !== undefined) this.#add('write-ops', rateOf(writes));
    this.#addHighest('read-histogram', readRows, reads);
    this.#addHighest('write-histogram', writeRows, writes);
  }

  /** Cassandra has no distribution for the whole node: the highest value of the tables in use is an upper bound. */
  #addHighest(key: string, rows: TableRows | undefined, came: Came | undefined): void {
    const used = (rows ?? []).filter(([table]) => (came?.counts.get(table) ?? 0) > 0);
    if (used.length === 0) return;
    for (const [part, column] of latencyColumns) {
      this.#add(key, Math.max(...used.map(([, row]) => this.#milliseconds(row[column]))), { part });
    }
  }

  #addTables({ localReads, localScans, localWrites, diskUsage }: NodeViews): void {
    const [readRows, writeRows] = [byTable(localReads), byTable(localWrites)];
    const reads = this.#came('local reads', readRows);
    const scans = this.#came('local scans', byTable(localScans));
    if (reads !== undefined && scans !== undefined) {
      for (const [table, count] of reads.counts) {
        const scanned = (scans.counts.get(table) ?? 0) / scans.seconds;
        this.#add('cf-read-ops', count / reads.seconds + scanned, { table });
      }
    }
    const writes = this.#came('local writes', writeRows);
    for (const [table, count] of writes?.counts ?? []) {
      this.#add('cf-write-ops', count / (writes?.seconds ?? 1), { table });
    }
    this.#addLatency('cf-local-read-latency', readRows);
    this.#addLatency('cf-local-write-latency', writeRows);
    for (const [table, row] of byTable(diskUsage) ?? []) {
      this.#add('cf-total-disk-used', Number(row['mebibytes']) * 1_048_576, { table });
    }
  }

  #addLatency(key: string, rows: TableRows | undefined): void {
    for (const [table, row] of rows ?? []) {
      if (Number(row['count']) === 0) continue;
      for (const [part, column] of latencyColumns) {
        this.#add(key, this.#milliseconds(row[column]), { table, part });
      }
    }
  }

  /** A pool that is not listed has not been used yet, so nothing waits for it. */
  #addStages({ threadPools, streams }: NodeViews): void {
    if (threadPools !== undefined) {
      const pending = new Map(threadPools.map((row) => [String(row['name']), Number(row['pending_tasks'])]));
      for (const [key, pool] of Object.entries(stages)) this.#add(key, pending.get(pool) ?? 0);
    }
    const isOpen = (row: ViewRow) =>
      row['status_success_timestamp'] === null && row['status_failure_timestamp'] === null;
    if (streams !== undefined) this.#add('pending-streams', streams.filter(isOpen).length);
  }

  #addCaches({ caches }: NodeViews): void {
    for (const [prefix, name] of [
      ['key-cache', 'keys'],
      ['row-cache', 'rows'],
    ] as const) {
      const row = caches?.find((cache) => cache['name'] === name);
      if (row === undefined || Number(row['capacity_bytes']) === 0) continue;
      const came = this.#counts.since(
        `${name} cache`,
        new Map([
          ['hits', Number(row['hit_count'])],
          ['requests', Number(row['request_count'])],
        ]),
      );
      if (came === undefined) continue;
      const [hits, requests] = [came.counts.get('hits') ?? 0, came.counts.get('requests') ?? 0];
      this.#add(`${prefix}-hits`, hits / came.seconds);
      this.#add(`${prefix}-requests`, requests / came.seconds);
      if (requests > 0) this.#add(`${prefix}-hit-rate`, (100 * hits) / requests);
    }
  }

  /** The setting is read less often than the hints. */
  #addHints({ hints, hintSetting }: NodeViews): void {
    if (hintSetting !== undefined) this.#keepsHints = hintSetting[0]?.['value'] !== 'false';
    if (hints === undefined || this.#keepsHints !== true) return;
    this.#add(
      'pending-hinted-handoff',
      hints.reduce((sum, row) => sum + Number(row['files']), 0),
    );
  }

  /** The history is read less often than the rest: its rates are for the time since it was last read. */
  #addCompactions({ compactions }: NodeViews): void {
    const atMs = this.#readAtMs;
    if (compactions === undefined || atMs === undefined) return;
    const known = this.#knownCompactions;
    this.#knownCompactions = { ids: new Set(compactions.map((row) => String(row['id']))), atMs };
    if (known === undefined || atMs <= known.atMs) return;
    const fresh = ofUsers(compactions).filter((row) => !known.ids.has(String(row['id'])));
    const bytes = fresh.reduce((sum, row) => sum + Number(row['bytes_in']), 0);
    const seconds = (atMs - known.atMs) / 1000;
    this.#add('total-bytes-compacted', bytes / seconds);
    this.#add('total-compactions-completed', fresh.length / seconds);
  }

  #came(name: string, rows: TableRows | undefined): Came | undefined {
    if (rows === undefined) return undefined;
    return this.#counts.since(name, new Map(rows.map(([table, row]) => [table, Number(row['count'])])));
  }

  /** Cassandra 5.0 writes seconds, rounded to thousandths, into the columns named `_ms`. */
  #milliseconds(value: unknown): number {
    return Number(value) * (this.#facts?.release?.startsWith('5.0.') === true ? 1000 : 1);
  }

  #add(key: string, value: number, place: Place = {}): void {
    if (Number.isFinite(value))
      this.#readings.push({ node: this.#facts?.address ?? '', key, value, ...place });
  }
}

type Place = { readonly table?: string; readonly part?: HistogramPart };

const latencyColumns: readonly (readonly [HistogramPart, string])[] = [
  ['P50', 'p50th_ms'],
  ['P99', 'p99th_ms'],
  ['MAX', 'max_ms'],
];

/** Rows of users' tables. */
function ofUsers(rows: readonly ViewRow[] | undefined): readonly ViewRow[] {
  return (rows ?? []).filter((row) => !isSystemKeyspace(String(row['keyspace_name'])));
}

/** Rows with the names of their tables: `keyspace.table`. */
type TableRows = readonly (readonly [table: string, row: ViewRow])[];

function byTable(rows: readonly ViewRow[] | undefined): TableRows | undefined {
  if (rows === undefined) return undefined;
  return ofUsers(rows).map((row) => [`${row['keyspace_name']}.${row['table_name']}`, row]);
}
