// The delivery log: which notices were sent, held, dropped or failed, when, for which channel, and why.
import type { OpsDelivery } from '../../descriptions/operations-replies.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { type KeptSince, makeKeptSince } from '../../foundation/telemetry/clock-jumps.js';
import type { Store } from '../store/store.js';
import type { KeptChannel } from './channel-repository.js';
import { type Notice, ruleNameOf } from './notice.js';

/** An entry without its time, which the log adds. */
export type NewDeliveryEntry = Omit<OpsDelivery, 'time'>;

/** The requested entries, newest first. */
export interface DeliveryRange {
  /** Microseconds since 1970, included. Default: the newest. */
  readonly fromUs?: number | undefined;
  readonly count: number;
  readonly channelId?: string | undefined;
  readonly alertId?: string | undefined;
}

type Stored = Omit<OpsDelivery, 'rule'> & Partial<Pick<OpsDelivery, 'rule'>>;

const keptMs = 30 * 86_400_000;
const keptCount = 500_000;
const prunedAtOnce = 10_000;
/** Entries that are compared at a time, and deleted with their cluster: some milliseconds. */
const portionCount = 1000;
const deletedPerTick = 2000;

/** Stores the entries of all clusters for 30 days. */
export class DeliveryLog {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #keptSince: KeptSince;
  #newest: number;
  /** The entries of removed clusters that are not deleted yet: up to which time, by the id of the cluster. */
  readonly #forgotten: Map<string, number>;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#keptSince = makeKeptSince(clock);
    const row = store.read((database) =>
      database.statement('SELECT max(time) AS newest FROM deliveries').get(),
    );
    this.#newest = Number(row?.['newest'] ?? 0);
    const removed = store.read((database) => database.statement('SELECT * FROM removed_deliveries').all());
    this.#forgotten = new Map(
      removed.map((of) => [String(of['removed_id']), Number(of['until_us'])] as const),
    );
  }

  /** Writes an entry. */
  append(clusterId: string, entry: NewDeliveryEntry): void {
    this.#newest = Math.max(Math.floor(this.#clock.nowMs() * 1000), this.#newest + 1);
    const time = this.#newest;
    const body = JSON.stringify({ time: String(time), ...entry } satisfies OpsDelivery);
    this.#store.record(
      (database) =>
        void database.statement('INSERT INTO deliveries VALUES (?, ?, ?)').run([time, clusterId, body]),
      { expendable: 'delivery', sizeBytes: 400 + body.length },
    );
  }

  /**
   * Newest first, without entries that wait because the disk is full. A step compares some entries, so that the caller
   * can do other work between steps.
   */
  *search(
    clusterId: string,
    { fromUs, count, channelId, alertId }: DeliveryRange,
  ): Generator<void, readonly OpsDelivery[]> {
    const found: OpsDelivery[] = [];
    let from: number | undefined = fromUs ?? Number.MAX_SAFE_INTEGER;
    const firstUs = this.#forgottenUntil(clusterId);
    while (from !== undefined && found.length < count) {
      const next = this.#timeBehind(clusterId, from);
      const range = [clusterId, from, Math.max(next ?? 0, firstUs), channelId ?? null, alertId ?? null];
      const rows = this.#store.read((database) =>
        database.statement(selectPortion).all([...range, count - found.length]),
      );
      // Written by `append`; earlier versions wrote no name of the rule.
      const entries = rows.map((row) => JSON.parse(String(row['body'])) as Stored);
      found.push(...entries.map((entry) => ({ ...entry, rule: entry.rule ?? null })));
      from = next !== undefined && next > firstUs ? next : undefined;
      yield;
    }
    return found;
  }

  /** The time of the first entry behind a portion of them, newest first. */
  #timeBehind(clusterId: string, fromUs: number): number | undefined {
    const sql =
      'SELECT time FROM deliveries WHERE cluster_id = ? AND time <= ? ORDER BY time DESC LIMIT 1 OFFSET ?';
    const row = this.#store.read((database) =>
      database.statement(sql).get([clusterId, fromUs, portionCount]),
    );
    return row === undefined ? undefined : Number(row['time']);
  }

  /** Deletes some of the entries that are too old or too many. The server calls it every minute. */
  prune(): void {
    if (!this.#store.isWritable) return;
    const untilUs = this.#keptSince(keptMs) * 1000;
    this.#store.record((database) => {
      const count = Number(database.statement('SELECT count(*) AS n FROM deliveries').get()?.['n'] ?? 0);
      database
        .statement(
          'DELETE FROM deliveries WHERE time IN (SELECT time FROM deliveries ORDER BY time LIMIT ?1) AND (time < ?2 OR ?3)',
        )
        .run([
          Math.min(prunedAtOnce, count > keptCount ? count - keptCount : prunedAtOnce),
          untilUs,
          count > keptCount ? 1 : 0,
        ]);
    });
  }

  /**
   * Forgets the entries of a removed cluster: from now on none of them is read, also if there is a new cluster of this
   * id. `tick` deletes them, and continues at the next start.
   */
  forgetCluster(clusterId: string): void {
    const untilUs = this.#newest;
    this.#forgotten.set(clusterId, untilUs);
    this.#store.record(
      (database) =>
        void database
          .statement('INSERT OR REPLACE INTO removed_deliveries VALUES (?, ?)')
          .run([clusterId, untilUs]),
    );
  }

  /** Deletes some of the entries of removed clusters. The server calls it every second. */
  tick(): void {
    if (!this.#store.isWritable) return;
    const [first] = this.#forgotten;
    if (first === undefined) return;
    const [clusterId, untilUs] = first;
    this.#store.record((database) => {
      const { changes } = database.statement(deletePortion).run([clusterId, untilUs, deletedPerTick]);
      if (changes === deletedPerTick) return;
      database
        .statement('DELETE FROM removed_deliveries WHERE removed_id = ? AND until_us = ?')
        .run([clusterId, untilUs]);
      if (this.#forgotten.get(clusterId) === untilUs) this.#forgotten.delete(clusterId);
    });
  }

  /** The time of the last entry of a removed cluster of this id. */
  #forgottenUntil(clusterId: string): number {
    return this.#forgotten.get(clusterId) ?? 0;
  }
}

const selectPortion = `SELECT body FROM deliveries WHERE cluster_id = ?1 AND time <= ?2 AND time > ?3
  AND (?4 IS NULL OR body ->> 'channel_id' = ?4) AND (?5 IS NULL OR body ->> 'alert_id' = ?5)
  ORDER BY time DESC LIMIT ?6`;
const deletePortion = `DELETE FROM deliveries WHERE time IN
  (SELECT time FROM deliveries WHERE cluster_id = ?1 AND time <= ?2 ORDER BY time LIMIT ?3)`;

/** The members of an entry about its subject; a held notice has no id yet. */
export function subject({
  id,
  status,
  alert,
  event,
  rule,
}: Pick<Notice, 'status' | 'alert' | 'event' | 'rule'> & { readonly id: string | null }): Pick<
  OpsDelivery,
  'status' | 'notice_id' | 'alert_id' | 'alert_rule_id' | 'rule' | 'node'
> {
  return {
    status,
    notice_id: id,
    alert_id: alert?.id ?? null,
    alert_rule_id: alert?.alert_rule_id ?? null,
    rule: ruleNameOf({ rule }),
    node: alert?.node ?? event.source_node,
  };
}

/** The members of an entry about the channel. */
export function addressee({ id, settings }: KeptChannel): Pick<OpsDelivery, 'channel_id' | 'channel'> {
  const { type, name } = settings;
  return { channel_id: id, channel: name === '' ? type : `${type} ${name}` };
}
