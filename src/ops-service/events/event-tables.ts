// Stores events: one row each, in the order of their times within a cluster.
import type { Database } from '../../foundation/sqlite/open-database.js';
import type { Migration } from '../store/store.js';
import { type Alert, type AlertLogEntry, type Event, levelNames } from './event.js';
import type { EventFilter } from './event-filter.js';

/** The tables of the event log. Events of a removed cluster stay until they are too old. */
export const eventMigrations: readonly Migration[] = [
  {
    name: 'events-1',
    sql: `
      CREATE TABLE events (
        cluster TEXT NOT NULL,
        time_us INTEGER NOT NULL,
        action INTEGER NOT NULL,
        level INTEGER NOT NULL,
        message TEXT NOT NULL,
        user TEXT NOT NULL,
        api_source_ip TEXT NOT NULL,
        source_node TEXT NOT NULL,
        target_node TEXT,
        success INTEGER,
        PRIMARY KEY (cluster, time_us)
      ) WITHOUT ROWID;
      CREATE TABLE event_counts (cluster TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
    `,
  },
  {
    name: 'events-2',
    sql: `
      CREATE TABLE alert_events (
        cluster TEXT NOT NULL,
        time_us INTEGER NOT NULL,
        alert_id TEXT NOT NULL,
        alert_rule_id TEXT NOT NULL,
        PRIMARY KEY (cluster, time_us)
      ) WITHOUT ROWID;
    `,
  },
];

/** Where to read, and how far. */
interface TimeRange {
  /** Microseconds since 1970, included. */
  readonly fromUs: number;
  readonly count: number;
  readonly order: 'backward' | 'forward';
}

/** Adds an event, whose time is not in use, and the alert that it is about. */
export function insertEvent(
  database: Database,
  clusterId: string,
  event: Event,
  alert?: Pick<Alert, 'id' | 'alert_rule_id'>,
): void {
  database
    .statement('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    .run([
      clusterId,
      Number(event.time),
      event.action,
      event.level,
      event.message,
      event.user,
      event.api_source_ip,
      event.source_node,
      event.target_node,
      event.success === null ? null : Number(event.success),
    ]);
  if (alert !== undefined)
    database
      .statement('INSERT INTO alert_events VALUES (?, ?, ?, ?)')
      .run([clusterId, Number(event.time), alert.id, alert.alert_rule_id]);
  addToCount(database, clusterId, 1);
}

/** Events from a time on, which is included, backward or forward. */
export function selectEvents(
  database: Database,
  clusterId: string,
  { fromUs, count, order }: TimeRange,
): Event[] {
  const sql = `SELECT * FROM events WHERE cluster = ? AND ${clauseOf(order)} LIMIT ?`;
  return database.statement(sql).all([clusterId, fromUs, count]).map(toEvent);
}

/** The tables whose rows are read in portions. */
export type PortionedTable = 'events' | 'alert_events';

/** The time of the row that is `distance` rows behind the first one of a range; undefined beyond the last one. */
export function timeAfter(
  database: Database,
  table: PortionedTable,
  clusterId: string,
  { fromUs, order, distance }: Pick<TimeRange, 'fromUs' | 'order'> & { readonly distance: number },
): number | undefined {
  const sql = `SELECT time_us FROM ${table} WHERE cluster = ? AND ${clauseOf(order)} LIMIT 1 OFFSET ?`;
  const row = database.statement(sql).get([clusterId, fromUs, distance]);
  return row === undefined ? undefined : Number(row['time_us']);
}

/** A part of a range; what is at `endUs` or behind it is not read. */
export interface Portion extends TimeRange {
  readonly endUs: number;
}

/** The events of a range that fit a filter; those from `endUs` on are not read. */
export function selectFitting(
  database: Database,
  clusterId: string,
  { fromUs, count, order, endUs }: Portion,
  { leastLevel, actions, node }: EventFilter,
): Event[] {
  const sql = `SELECT * FROM events WHERE cluster = ?1 AND ${portionClauseOf(order)} AND level >= ?4
    AND (?5 IS NULL OR action IN (SELECT value FROM json_each(?5)))
    AND (?6 IS NULL OR source_node = ?6 OR target_node = ?6)
    ORDER BY time_us ${order === 'backward' ? 'DESC' : 'ASC'} LIMIT ?7`;
  const codes = actions === undefined ? null : JSON.stringify(actions);
  return database
    .statement(sql)
    .all([clusterId, fromUs, endUs, leastLevel, codes, node ?? null, count])
    .map(toEvent);
}

/** The events of alerts of a range. */
export function selectAlertEvents(
  database: Database,
  clusterId: string,
  { fromUs, count, order, endUs }: Portion,
): AlertLogEntry[] {
  const sql = `SELECT * FROM alert_events JOIN events USING (cluster, time_us)
    WHERE cluster = ?1 AND ${portionClauseOf(order)}
    ORDER BY time_us ${order === 'backward' ? 'DESC' : 'ASC'} LIMIT ?4`;
  return database
    .statement(sql)
    .all([clusterId, fromUs, endUs, count])
    .map((row) => ({
      ...toEvent(row),
      alert_id: String(row['alert_id']),
      alert_rule_id: String(row['alert_rule_id']),
    }));
}

/** Compares times with the parameters 2, which is included, and 3, which is not. */
function portionClauseOf(order: TimeRange['order']): string {
  return order === 'backward' ? 'time_us <= ?2 AND time_us > ?3' : 'time_us >= ?2 AND time_us < ?3';
}

/** Compares times with one parameter, which is included, and sorts by them. */
function clauseOf(order: TimeRange['order']): string {
  return order === 'backward' ? 'time_us <= ? ORDER BY time_us DESC' : 'time_us >= ? ORDER BY time_us';
}

/** The time of the newest event; undefined when there is none. */
export function newestTime(database: Database, clusterId: string): number | undefined {
  const row = database
    .statement('SELECT max(time_us) AS newest FROM events WHERE cluster = ?')
    .get([clusterId]);
  return typeof row?.['newest'] === 'number' ? row['newest'] : undefined;
}

/** The number of events of each cluster that has any. */
export function countEvents(database: Database): ReadonlyMap<string, number> {
  const rows = database.statement('SELECT cluster, count FROM event_counts').all();
  return new Map(rows.map((row) => [String(row['cluster']), Number(row['count'])]));
}

/** Deletes up to `limit` of the oldest events: those before `untilUs`, and more until `surplus` events are deleted. */
export function pruneEvents(
  database: Database,
  clusterId: string,
  { untilUs, surplus, limit }: { untilUs: number; surplus: number; limit: number },
): number {
  const old = deleteOldest(database, clusterId, untilUs, limit);
  const rest = Math.min(limit, surplus) - old;
  const removed = rest <= 0 ? old : old + deleteOldest(database, clusterId, Number.MAX_SAFE_INTEGER, rest);
  if (removed > 0) {
    addToCount(database, clusterId, -removed);
    database
      .statement(
        `DELETE FROM alert_events WHERE cluster = ?1 AND time_us <
           (SELECT coalesce(min(time_us), 9e18) FROM events WHERE cluster = ?1)`,
      )
      .run([clusterId]);
  }
  return removed;
}

function deleteOldest(database: Database, clusterId: string, untilUs: number, limit: number): number {
  return database
    .statement(
      `DELETE FROM events WHERE cluster = ?1 AND time_us IN
         (SELECT time_us FROM events WHERE cluster = ?1 AND time_us < ?2 ORDER BY time_us LIMIT ?3)`,
    )
    .run([clusterId, untilUs, limit]).changes;
}

/** The counts are stored, because counting twenty million events takes seconds. */
function addToCount(database: Database, clusterId: string, change: number): void {
  database
    .statement(
      `INSERT INTO event_counts VALUES (?1, ?2)
         ON CONFLICT (cluster) DO UPDATE SET count = count + excluded.count`,
    )
    .run([clusterId, change]);
}

type EventRow = Readonly<Record<string, unknown>>;

function toEvent(row: EventRow): Event {
  const level = Number(row['level']);
  return {
    action: Number(row['action']),
    api_source_ip: String(row['api_source_ip']),
    event_source: 'Colonnade',
    level,
    level_str: levelNames[level] ?? 'INFO',
    message: String(row['message']),
    source_node: String(row['source_node']),
    success: row['success'] === null ? null : row['success'] === 1,
    target_node: row['target_node'] === null ? null : String(row['target_node']),
    time: String(row['time_us']),
    user: String(row['user']),
  };
}
