// Converts statements about tables to changes of the schema, with the checks that Cassandra makes.

import { firstRepeated } from '../../foundation/first-repeated.js';
import { labelOf } from '../column-types/column-type.js';
import { NativeQueryRefused } from '../engine/native-result.js';
import { listed, listedColumns } from '../errors/error-entry.js';
import { checkNewColumnName, checkNewName } from '../schema/identifier.js';
import type { Keyspace } from '../schema/keyspace.js';
import { refuseTooMany } from '../schema/parse-column-definitions.js';
import { maxKeyColumns } from '../schema/parse-table-definition.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { type ColumnDefinition, droppedInTheWay, type Table, type TableDefinition } from '../schema/table.js';
import { sharedTypeOf } from './read-type.js';
import type { StatedColumn, Statement } from './statement.js';

type TypedColumn = Omit<StatedColumn, 'type'> & Pick<ColumnDefinition, 'type'>;

type Of<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>;

/** Null if the table exists and IF NOT EXISTS is given. @throws NativeQueryRefused, ApiError */
export function planCreateTable(statement: Of<'createTable'>, keyspace: Keyspace): SchemaChange | null {
  const { target, ifNotExists } = statement;
  checkNewName('table', target.table);
  if (keyspace.tables.has(target.table)) {
    if (ifNotExists) return null;
    throw new NativeQueryRefused(`the table ${target.keyspace}.${target.table} already exists`);
  }
  const definition = definitionOf(statement, typed(statement.columns, keyspace));
  return { kind: 'createTable', keyspace: keyspace.name, definition };
}

/** Null if there is nothing to add. @throws NativeQueryRefused, ApiError */
export function planAddColumns(
  { columns: stated, ifNotExists }: Of<'addColumns'>,
  table: Table,
  keyspace: Keyspace,
): SchemaChange | null {
  const columns = typed(stated, keyspace);
  const added = ifNotExists ? columns.filter(({ name }) => !table.columnsByName.has(name)) : columns;
  if (added.length === 0) return null;
  refuseTwice(added.map(({ name }) => name));
  refuseTooMany('ALTER TABLE', added.length, table.columns.length);
  const existing = added.flatMap(({ name }) => table.columnsByName.get(name) ?? []);
  if (existing.length > 0) throw new NativeQueryRefused(`the table already has ${listedColumns(existing)}`);
  const others = table.columns.filter((column) => !table.keyColumns.includes(column));
  refuseMixedCounters([...others.map((column) => ({ ...column, isStatic: false })), ...added]);
  const definitions = added.map((column) => columnOf(column, table.clustering.length > 0));
  for (const column of definitions) {
    const dropped = droppedInTheWay(table, column);
    if (dropped === undefined) continue;
    throw new NativeQueryRefused(
      `a column ${column.name} was dropped; its type was ${labelOf(dropped.type)}: add it with that type`,
    );
  }
  return { kind: 'addColumns', table, columns: definitions };
}

/** Null if there is nothing to drop. @throws NativeQueryRefused */
export function planDropColumns(statement: Of<'dropColumns'>, table: Table): SchemaChange | null {
  const names = [...new Set(statement.columns)];
  const columns = names.flatMap((name) => table.columnsByName.get(name) ?? []);
  if (columns.length < names.length && !statement.ifColumnExists) {
    const unknown = names.filter((name) => !table.columnsByName.has(name));
    throw new NativeQueryRefused(`unknown columns: ${listed(unknown)}`);
  }
  const ofKey = columns.filter((column) => table.keyColumns.includes(column));
  if (ofKey.length > 0)
    throw new NativeQueryRefused(`columns of the primary key cannot be dropped: ${listedColumns(ofKey)}`);
  const indexes = table.indexes.filter(({ column }) => columns.includes(column));
  if (indexes.length > 0)
    throw new NativeQueryRefused(`drop the indexes first: ${listed(indexes.map(({ name }) => name))}`);
  return columns.length === 0 ? null : { kind: 'dropColumns', table, columns };
}

function typed(columns: readonly StatedColumn[], { userTypes }: Keyspace): readonly TypedColumn[] {
  return columns.map((column) => ({ ...column, type: column.type(userTypes) }));
}

function definitionOf(statement: Of<'createTable'>, columns: readonly TypedColumn[]): TableDefinition {
  const { target, partitionKey } = statement;
  const names = columns.map(({ name }) => name);
  refuseTwice(names);
  refuseTooMany('CREATE TABLE', columns.length, 0);
  const clustering = orderedClustering(statement);
  checkKey(columns, [...partitionKey, ...statement.clustering]);
  if (partitionKey.length === 0) throw new NativeQueryRefused('the table needs a PRIMARY KEY');
  const others = columns.filter(
    ({ name }) => !partitionKey.includes(name) && !statement.clustering.includes(name),
  );
  refuseMixedCounters(others);
  const definitions = columns.map((column) => columnOf(column, clustering.length > 0));
  return { name: target.table, columns: definitions, partitionKey, clustering };
}

/** The order must name the clustering columns from the first one, as in Cassandra. */
function orderedClustering({ clustering, order }: Of<'createTable'>): TableDefinition['clustering'] {
  const isPrefix = order.every(({ column }, at) => column === clustering[at]);
  if (!isPrefix)
    throw new NativeQueryRefused(
      `CLUSTERING ORDER BY must name the clustering columns in their order: ${listed(clustering)}`,
    );
  return clustering.map((name, at) => ({ name, direction: order[at]?.direction ?? 1 }));
}

function checkKey(columns: readonly TypedColumn[], key: readonly string[]): void {
  refuseTwice(key);
  if (key.length > maxKeyColumns)
    throw new NativeQueryRefused(
      `the primary key has ${key.length} columns; at most ${maxKeyColumns} are allowed`,
    );
  const unknown = key.filter((name) => !columns.some((column) => column.name === name));
  if (unknown.length > 0)
    throw new NativeQueryRefused(`the primary key names columns that are not defined: ${listed(unknown)}`);
  const refused = columns.filter(
    ({ name, type, isStatic }) => key.includes(name) && (isStatic || !type.traits.key),
  );
  if (refused.length > 0)
    throw new NativeQueryRefused(`these columns cannot be in the primary key: ${listedColumns(refused)}`);
}

function refuseTwice(names: readonly string[]): void {
  const twice = firstRepeated(names);
  if (twice !== undefined) throw new NativeQueryRefused(`the column ${twice} is named twice`);
}

/** Outside the key a table has either counters only or no counters. */
function refuseMixedCounters(columns: readonly Pick<TypedColumn, 'name' | 'type'>[]): void {
  const counters = columns.filter(({ type }) => type.add !== undefined);
  if (counters.length > 0 && counters.length < columns.length) {
    const others = columns.filter((column) => !counters.includes(column));
    throw new NativeQueryRefused(
      `counters (${listedColumns(counters)}) and other columns (${listedColumns(others)}) cannot be mixed outside the primary key`,
    );
  }
}

function columnOf({ name, type, isStatic }: TypedColumn, hasClustering: boolean): ColumnDefinition {
  checkNewColumnName(name);
  if (!isStatic) return { name, type };
  if (!hasClustering)
    throw new NativeQueryRefused(`the column ${name} cannot be static: the table has no clustering columns`);
  return { name, type: sharedTypeOf(type) };
}
