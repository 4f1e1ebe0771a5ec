// The table of settings that changed since their tables were made: one in each keyspace that has such settings. Servers
// change its rows by conditional writes, so that none loses what another one stored.
import type { CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { readAllRows } from '../../../../foundation/cassandra/read-all-rows.js';
import { quotedTable } from '../cql-names.js';

/** The name of the table, which commands neither show nor change. */
export const settingsTableName = 'colonnade_settings';

/** A table whose settings are stored: `made` distinguishes it from others that had or will have its name. */
export interface SettingsOwner {
  readonly keyspace: string;
  readonly name: string;
  readonly made: string;
}

/** The stored settings of a table. */
export interface SettingsRow extends SettingsOwner {
  /** It begins with 1, and each change adds 1. */
  readonly version: number;
  /** JSON, as `describeSettings` writes it. */
  readonly settings: string;
}

/** What a cluster says of a column: its type as CQL writes it, and its kind as `system_schema.columns` names it. */
interface ColumnShape {
  readonly name: string;
  readonly type: string;
  readonly kind: string;
}

/** All rows are in one partition, so that a few nodes of the cluster answer for all of them. */
const partition = Buffer.from('table');
const columns: readonly ColumnShape[] = [
  { name: 'kind', type: 'text', kind: 'partition_key' },
  { name: 'name', type: 'text', kind: 'clustering' },
  { name: 'made', type: 'text', kind: 'clustering' },
  { name: 'version', type: 'int', kind: 'regular' },
  { name: 'settings', type: 'text', kind: 'regular' },
];

/**
 * Whether a table of a keyspace is the one with its settings. `rows`: its columns, because another program may have
 * made a table of this name.
 */
export function isSettingsTable(name: string, rows: readonly ColumnShape[]): boolean {
  if (name !== settingsTableName) return false;
  return columns.every(({ name: column, type, kind }) =>
    rows.some((row) => row.name === column && row.type === type && row.kind === kind),
  );
}

/** Makes the table unless it is there. */
export function createSettingsTableStatement(keyspace: string): string {
  const members = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
  return (
    `CREATE TABLE IF NOT EXISTS ${tableIn(keyspace)} (${members}, PRIMARY KEY (kind, name, made)) ` +
    `WITH comment = 'Settings of columns and indexes of the tables in this keyspace, stored by Colonnade'`
  );
}

/** The settings of all tables of a keyspace that has the table. @throws CassandraFailure */
export async function readAllSettings(
  session: Pick<CqlSession, 'run'>,
  keyspace: string,
): Promise<readonly SettingsRow[]> {
  const rows = await readAllRows(session, {
    cql: `SELECT name, made, version, settings FROM ${tableIn(keyspace)} WHERE kind = ?`,
    values: [partition],
    isIdempotent: true,
  });
  // The columns have these types.
  return rows.map(
    ([name, made, version, settings]) => ({ keyspace, name, made, version, settings }) as SettingsRow,
  );
}

/**
 * The settings of one table as the last conditional write left them; undefined if none are stored.
 * @throws CassandraFailure
 */
export async function readLatestSettings(
  session: Pick<CqlSession, 'run'>,
  owner: SettingsOwner,
): Promise<SettingsRow | undefined> {
  const { rows } = await session.run({
    cql: `SELECT version, settings FROM ${tableIn(owner.keyspace)} WHERE kind = ? AND name = ? AND made = ?`,
    values: keyOf(owner),
    isIdempotent: true,
    consistency: 'SERIAL',
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return { ...owner, version: Number(row[0]), settings: String(row[1]) };
}

/**
 * Stores the settings unless the row is no longer `before`; undefined stands for no row. Resolves to whether it stored
 * them. @throws CassandraFailure
 */
export async function storeSettings(
  session: Pick<CqlSession, 'run'>,
  owner: SettingsOwner,
  before: SettingsRow | undefined,
  settings: string,
): Promise<boolean> {
  const table = tableIn(owner.keyspace);
  const version = int(nextVersion(before));
  const { rows } = await session.run({
    ...(before === undefined
      ? {
          cql: `INSERT INTO ${table} (kind, name, made, version, settings) VALUES (?, ?, ?, ?, ?) IF NOT EXISTS`,
          values: [...keyOf(owner), version, Buffer.from(settings)],
        }
      : {
          cql: `UPDATE ${table} SET version = ?, settings = ? WHERE kind = ? AND name = ? AND made = ? IF version = ?`,
          values: [version, Buffer.from(settings), ...keyOf(owner), int(before.version)],
        }),
    isIdempotent: false,
    isConditional: true,
    consistency: 'QUORUM',
  });
  return rows[0]?.[0] === true;
}

function nextVersion(before: SettingsRow | undefined): number {
  return (before?.version ?? 0) + 1;
}

/** Deletes the settings of a table that was dropped. @throws CassandraFailure */
export async function forgetSettings(session: Pick<CqlSession, 'run'>, owner: SettingsOwner): Promise<void> {
  await session.run({
    cql: `DELETE FROM ${tableIn(owner.keyspace)} WHERE kind = ? AND name = ? AND made = ? IF EXISTS`,
    values: keyOf(owner),
    isIdempotent: false,
    isConditional: true,
    consistency: 'QUORUM',
  });
}

function tableIn(keyspace: string): string {
  return quotedTable({ keyspace, name: settingsTableName });
}

function keyOf({ name, made }: SettingsOwner): readonly Buffer[] {
  return [partition, Buffer.from(name), Buffer.from(made)];
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
