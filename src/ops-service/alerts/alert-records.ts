// Stores firing alerts, which must still be listed after a restart.
import type { SqlRow } from '../../foundation/sqlite/open-database.js';
import type { Store } from '../store/store.js';
import type { Recording } from '../store/waiting-recordings.js';
import type { Target } from './rule.js';

/** A firing alert as it is stored. */
export interface AlertRecord {
  readonly clusterId: string;
  readonly ruleId: string;
  /** Identifies the target among those of the rule. */
  readonly key: string;
  readonly id: string;
  readonly target: Target;
  /** Seconds since 1970. */
  readonly firstFired: number;
  /** The value at the last transition. */
  readonly value: number;
  readonly isAboutNoData: boolean;
  readonly isAcknowledged: boolean;
}

/** All stored alerts. */
export function readAlertRecords(store: Store): readonly AlertRecord[] {
  return store.read((database) => database.statement('SELECT * FROM fired_alerts').all()).map(toRecord);
}

/** Stores a new or changed alert. */
export function keepAlert(store: Store, record: AlertRecord): void {
  store.record(writeAlert(record), { key: recordingKey(record) });
}

/** The statements that store an alert. */
export function writeAlert(record: AlertRecord): Recording {
  const { clusterId, ruleId, key, id, target, firstFired, value, isAboutNoData, isAcknowledged } = record;
  const flags = [isAboutNoData ? 1 : 0, isAcknowledged ? 1 : 0];
  const place = [target.node, target.dc, target.table, target.device];
  return (database) => {
    database
      .statement('INSERT OR REPLACE INTO fired_alerts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run([clusterId, ruleId, key, id, ...place, firstFired, value, ...flags]);
  };
}

/** Forgets an alert that has cleared. */
export function dropAlert(store: Store, record: AlertRecord): void {
  const { clusterId, ruleId, key } = record;
  store.record(
    (database) => {
      database
        .statement('DELETE FROM fired_alerts WHERE cluster_id = ? AND rule_id = ? AND target_key = ?')
        .run([clusterId, ruleId, key]);
    },
    { key: recordingKey(record) },
  );
}

function recordingKey({ clusterId, ruleId, key }: AlertRecord): string {
  return `fired_alerts ${clusterId} ${ruleId} ${key}`;
}

function toRecord(row: SqlRow): AlertRecord {
  const text = (name: string) => String(row[name]);
  const textOrNull = (name: string) => (row[name] === null ? null : String(row[name]));
  return {
    clusterId: text('cluster_id'),
    ruleId: text('rule_id'),
    key: text('target_key'),
    id: text('id'),
    target: {
      node: text('node'),
      dc: textOrNull('dc'),
      table: textOrNull('table_name'),
      device: textOrNull('device'),
    },
    firstFired: Number(row['first_fired']),
    value: Number(row['value']),
    isAboutNoData: row['is_about_no_data'] === 1,
    isAcknowledged: row['is_acknowledged'] === 1,
  };
}
