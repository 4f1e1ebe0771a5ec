// The schema of a cluster as this engine knows it, and as all layers see it.
import { type JsonObject, stringifyJson } from '../../../../foundation/json/json-value.js';
import type { UserTypeDefinition } from '../../../column-types/column-type.js';
import { userDefinedOf } from '../../../column-types/user-types.js';
import type { ReservedFor } from '../../../errors/new-collection-errors.js';
import type { Keyspace, Schema } from '../../../schema/keyspace.js';
import type { Table } from '../../../schema/table.js';
import type { TableRow } from './schema-rows.js';
import { settingsTableName } from './settings-table.js';

/** A table, and what else is known of it. */
export interface KnownTable {
  readonly table: Table;
  /** Equal where nothing of the definition has changed. */
  readonly fingerprint: string;
  readonly place: Pick<TableRow, 'uuid' | 'comment' | 'extensions' | 'stored'>;
  /** The statements that make the indexes which a collection lacks. */
  readonly lacking: readonly string[];
  /** Why commands neither show nor change it. Absent: they do. */
  readonly reservedFor?: ReservedFor;
}

/** A keyspace with its tables by name, in order of creation. */
export interface KnownKeyspace {
  readonly name: string;
  readonly replication: JsonObject;
  readonly tables: ReadonlyMap<string, KnownTable>;
  /** Collections that lack an index, by name: their creation has not ended, and no command sees them. */
  readonly unfinished: ReadonlyMap<string, KnownTable>;
  /** They are in the order of their names, which are the keys. */
  readonly userTypes: ReadonlyMap<string, UserTypeDefinition>;
  /** Why its tables cannot be used now: their settings are not known. */
  readonly problem?: string | undefined;
}

/** The keyspaces in the form that all layers see. */
export function schemaOf(keyspaces: Iterable<KnownKeyspace>): Schema {
  return { keyspaces: new Map([...keyspaces].map((keyspace) => [keyspace.name, shown(keyspace)])) };
}

function shown({ name, replication, tables, unfinished, userTypes, problem }: KnownKeyspace): Keyspace {
  const own = new Map<string, Table>();
  // The name is reserved before the first settings are stored. A table of another program may have it already.
  const isTaken = tables.has(settingsTableName) || unfinished.has(settingsTableName);
  const reserved = new Map<string, ReservedFor>(isTaken ? [] : [[settingsTableName, 'settings']]);
  for (const [table, known] of tables)
    if (known.reservedFor === undefined) own.set(table, known.table);
    else reserved.set(table, known.reservedFor);
  const keyspace = {
    ...{ name, replication, tables: own, userTypes, reserved },
    ...(problem === undefined ? {} : { problem }),
  };
  if (unfinished.size === 0) return keyspace;
  return { ...keyspace, unfinished: new Map([...unfinished].map(([each, { table }]) => [each, table])) };
}

/** The keyspace as it was known where it has not changed. */
export function sameOr(before: KnownKeyspace | undefined, after: KnownKeyspace): KnownKeyspace {
  if (before === undefined) return after;
  const isSame =
    stringifyJson(before.replication) === stringifyJson(after.replication) &&
    before.problem === after.problem &&
    before.tables.size === after.tables.size &&
    before.unfinished.size === after.unfinished.size &&
    JSON.stringify(typeNames(before)) === JSON.stringify(typeNames(after)) &&
    [...after.tables].every(([name, table]) => before.tables.get(name) === table) &&
    [...after.unfinished].every(([name, table]) => before.unfinished.get(name) === table);
  return isSame ? before : after;
}

function typeNames({ userTypes }: KnownKeyspace): readonly string[] {
  return [...userTypes.values()].map((definition) => userDefinedOf(definition).name);
}
