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

/** Stores the entries of all clusters for 30 days. */
export class DeliveryLog {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #keptSince: KeptSince;
  #newest: number;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#keptSince = makeKeptSince(clock);
    const row = store.read((database) =>
      database.statement('SELECT max(time) AS newest FROM deliveries').get(),
    );
    this.#newest = Number(row?.['newest'] ?? 0);
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

  /** Newest first, without entries that wait because the disk is full. */
  read(clusterId: string, { fromUs, count, channelId, alertId }: DeliveryRange): readonly OpsDelivery[] {
    const rows = this.#store.read((database) =>
      database
        .statement(
          `SELECT body FROM deliveries WHERE cluster_id = ?1 AND time <= ?2
            AND (?3 IS NULL OR body ->> 'channel_id' = ?3) AND (?4 IS NULL OR body ->> 'alert_id' = ?4)
            ORDER BY time DESC LIMIT ?5`,
        )
        .all([clusterId, fromUs ?? Number.MAX_SAFE_INTEGER, channelId ?? null, alertId ?? null, count]),
    );
    // Written by `append`; earlier versions wrote no name of the rule.
    const entries = rows.map((row) => JSON.parse(String(row['body'])) as Stored);
    return entries.map((entry) => ({ ...entry, rule: entry.rule ?? null }));
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

  /** Deletes the entries of a removed cluster. */
  forgetCluster(clusterId: string): void {
    this.#store.record(
      (database) => void database.statement('DELETE FROM deliveries WHERE cluster_id = ?').run([clusterId]),
    );
  }
}

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
