// Tables as all layers see them, made of the rows in which a cluster describes them.
import { isPublicCollection } from '../../../../foundation/cassandra/public-collection.js';
import { isSystemKeyspace } from '../../../../foundation/cassandra/system-keyspaces.js';
import { getOrMake } from '../../../../foundation/get-or-make.js';
import { JsonNumber, type JsonObject, type JsonValue } from '../../../../foundation/json/json-value.js';
import { type ColumnType, isReadable, type UserTypeDefinition } from '../../../column-types/column-type.js';
import type { Dialect } from '../../../column-types/dialect.js';
import { keyBytesOf } from '../../../column-types/key-bytes.js';
import { columnTypeNamed } from '../../../column-types/registry.js';
import { unsupportedOf } from '../../../column-types/unsupported.js';
import { userDefinedOf } from '../../../column-types/user-types.js';
import type { ReservedFor } from '../../../errors/new-collection-errors.js';
import { inOrderOfNames } from '../../../schema/keyspace.js';
import { type DroppedColumn, makeColumn, makeTable, type Table, withIndexes } from '../../../schema/table.js';
import { vectorLimits } from '../vector-limits.js';
import { columnTypeOf, isUserDefined, type TypePlace } from './column-type-of.js';
import { ownColumns } from './compact-storage.js';
import { unknownIndex } from './engine-state.js';
import { type KnownKeyspace, type KnownTable, sameOr } from './known-schema.js';
import { parseCollection } from './parse-collection.js';
import { isOfUnknownKind, nameIn, parseIndexes, parseTextIndexes } from './parse-indexes.js';
import type { ColumnRow, KeyspaceRow, SchemaRows, TableRow, TypeRow } from './schema-rows.js';
import { isSettingsTable } from './settings-table.js';
import { stableId } from './stable-id.js';
import { readSettings, settingsKey, type TableSettings } from './table-settings.js';

/**
 * The keyspaces of some rows, by name. A table that has not changed since `before` is the same object; any other gets
 * the version that `nextVersion` gives.
 */
export function parseKeyspaces(
  rows: SchemaRows,
  before: ReadonlyMap<string, KnownKeyspace>,
  nextVersion: () => number,
  dialect: Dialect = 'strict',
): readonly KnownKeyspace[] {
  const columns = groupedBy(rows.columns, placeOf);
  const dropped = groupedBy(rows.droppedColumns, placeOf);
  const indexes = groupedBy(rows.indexes, placeOf);
  const tables = groupedBy(rows.tables, ({ keyspace }) => keyspace);
  const types = groupedBy(rows.types, ({ keyspace }) => keyspace);
  const stored = new Map(
    rows.settings.map(({ keyspace, name, made, settings }) => [
      `${placeOf({ keyspace, table: name })} ${made}`,
      settings,
    ]),
  );
  const ofTable = (row: TableRow): TableRows => {
    const place = placeOf({ keyspace: row.keyspace, table: row.name });
    const settings = stored.get(`${place} ${settingsKey(row)}`);
    return {
      table: settings === undefined ? row : { ...row, stored: settings },
      columns: ownColumns(row, columns.get(place) ?? []),
      droppedColumns: dropped.get(place) ?? [],
      indexes: indexes.get(place) ?? [],
    };
  };
  return rows.keyspaces
    .filter(({ name }) => !isSystemKeyspace(name))
    .toSorted(byName)
    .map((keyspace) => {
      const known = before.get(keyspace.name);
      const own = (tables.get(keyspace.name) ?? []).toSorted(byCreation).map(ofTable).filter(isComplete);
      const userTypes = inOrderOfNames((types.get(keyspace.name) ?? []).map(parseUserType));
      const place = { dialect, userTypes: dialect === 'extended' ? userTypes : new Map() };
      const parsed = own.map(
        (each) => [each.table.name, knownTable(each, known, place, nextVersion)] as const,
      );
      const after: KnownKeyspace = {
        name: keyspace.name,
        replication: replicationOf(keyspace),
        tables: new Map(parsed.filter(([, { lacking }]) => lacking.length === 0)),
        unfinished: new Map(parsed.filter(([, { lacking }]) => lacking.length > 0)),
        userTypes,
        problem: rows.problems.get(keyspace.name),
      };
      return sameOr(known, after);
    });
}

/** Fields of other types than scalars, which native queries make, hold no values here. */
function parseUserType({ keyspace, name, fieldNames, fieldTypes }: TypeRow): UserTypeDefinition {
  const fields = fieldNames.map((field, at) => {
    const text = fieldTypes[at] ?? '';
    return { name: field, type: columnTypeNamed(text) ?? unsupportedOf(text) };
  });
  return { keyspace, name, fields };
}

interface TableRows extends Pick<SchemaRows, 'columns' | 'droppedColumns' | 'indexes'> {
  readonly table: TableRow;
}

function groupedBy<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) getOrMake(groups, keyOf(row), () => []).push(row);
  return groups;
}

function placeOf({ keyspace, table }: { readonly keyspace: string; readonly table: string }): string {
  return `${keyspace}.${table}`;
}

/** The rows of a table that is being made or dropped may have been read in part. */
function isComplete({ columns }: TableRows): boolean {
  return columns.some(({ kind }) => kind === 'partition_key');
}

function knownTable(
  rows: TableRows,
  before: KnownKeyspace | undefined,
  types: TypePlace,
  nextVersion: () => number,
): KnownTable {
  const used = [...types.userTypes].filter(([name]) => rows.columns.some(({ type }) => type.includes(name)));
  const fingerprint = JSON.stringify([rows, used.map(([, definition]) => userDefinedOf(definition).name)]);
  const { name, keyspace, uuid } = rows.table;
  const known = before?.tables.get(name) ?? before?.unfinished.get(name);
  if (known?.fingerprint === fingerprint) return known;
  const { table: place } = rows;
  const settings = readSettings(place);
  const version = nextVersion();
  if (settings.collection !== undefined) {
    const identity = { id: stableId(uuid), version, keyspace };
    return { ...parseCollection(identity, name, settings.collection, rows.indexes), fingerprint, place };
  }
  const table = parseTable(rows, settings, types, version);
  const reservedFor = reservationOf(rows);
  const ofTable = { table, fingerprint, place, lacking: [] };
  return reservedFor === undefined ? ofTable : { ...ofTable, reservedFor };
}

function reservationOf({ table, columns }: TableRows): ReservedFor | undefined {
  if (isSettingsTable(table.name, columns)) return 'settings';
  return isPublicCollection(table, columns) ? 'publicCollection' : undefined;
}

function parseTable(rows: TableRows, settings: TableSettings, types: TypePlace, version: number): Table {
  const { keyspace, name, uuid } = rows.table;
  const compared = rows.indexes.filter(isOfUnknownKind).map((row) => nameIn(row.options['target']));
  const definitions = inDefinedOrder(rows.columns, settings.columnOrder).map((row) => {
    const type = typeOfColumn(row, types);
    const service = type.vector === undefined ? undefined : settings.services.get(row.name);
    const ofVector = type.vector === undefined ? {} : { vectorLimits };
    return {
      name: row.name,
      type,
      ...ofVector,
      ...(service === undefined ? {} : { service }),
      ...(isUserDefined(row.type) ? { isPermanent: true } : {}),
      ...(compared.includes(row.name) ? { engineState: unknownIndex } : {}),
    };
  });
  const ofKey = (kind: ColumnRow['kind']) =>
    rows.columns.filter((row) => row.kind === kind).toSorted((left, right) => left.position - right.position);
  const definition = {
    name,
    columns: definitions,
    partitionKey: ofKey('partition_key').map((row) => row.name),
    clustering: ofKey('clustering').map((row) => {
      return { name: row.name, direction: row.clusteringOrder === 'desc' ? (-1 as const) : (1 as const) };
    }),
  };
  const places = definitions.map((column) => ({ id: stableId(column.name) }));
  // The indexes below make the next version.
  const identity = { id: stableId(uuid), version: version - 1, keyspace };
  const table = makeTable(identity, definition, places, droppedColumns(rows, types));
  return withIndexes(
    table,
    [
      ...parseIndexes(rows.indexes.toSorted(byName), table, settings.models, types.dialect),
      ...parseTextIndexes(settings.textIndexes, table, types.dialect),
    ].toSorted(byName),
  );
}

/** The type of a column. A key column that commands cannot read has bytes as values, by which positions name rows. */
function typeOfColumn({ type: text, kind }: ColumnRow, types: TypePlace): ColumnType {
  const type = columnTypeOf(text, kind === 'static', types);
  const isOfKey = kind === 'partition_key' || kind === 'clustering';
  return isOfKey && !isReadable(type) ? keyBytesOf(type) : type;
}

/** Orders columns as their definition does. Unknown columns come last: those of the key first, then by name. */
function inDefinedOrder(rows: readonly ColumnRow[], columnOrder: readonly string[]): readonly ColumnRow[] {
  const places = new Map(columnOrder.map((name, at) => [name, at]));
  const placeIn = ({ name }: ColumnRow) => places.get(name) ?? columnOrder.length;
  return rows.toSorted(
    (left, right) =>
      placeIn(left) - placeIn(right) ||
      rankOfKind(left) - rankOfKind(right) ||
      left.position - right.position ||
      byName(left, right),
  );
}

function rankOfKind({ kind }: ColumnRow): number {
  if (kind === 'partition_key') return 0;
  return kind === 'clustering' ? 1 : 2;
}

function droppedColumns(
  { columns, droppedColumns: rows }: TableRows,
  types: TypePlace,
): readonly DroppedColumn[] {
  const present = new Set(columns.map(({ name }) => name));
  return rows
    .filter(({ name }) => !present.has(name))
    .map(({ name, type, kind }) => {
      const column = makeColumn(stableId(name), {
        name,
        type: columnTypeOf(type, kind === 'static', types),
      });
      return { ...column, isEmpty: true };
    });
}

function replicationOf({ replication }: KeyspaceRow): JsonObject {
  const members = Object.entries(replication).map(([name, value]): [string, JsonValue] => {
    if (name === 'class') return [name, value.slice(value.lastIndexOf('.') + 1)];
    return [name, /^\d+$/.test(value) ? new JsonNumber(value) : value];
  });
  return new Map(members);
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  if (left.name === right.name) return 0;
  return left.name < right.name ? -1 : 1;
}

/** Compares the times in UUIDs, which have one where the cluster made them. Others come last, by name. */
function byCreation(left: TableRow, right: TableRow): number {
  const [earlier, later] = [timeOf(left.uuid), timeOf(right.uuid)];
  if (earlier === later) return byName(left, right);
  return earlier < later ? -1 : 1;
}

/** The parts of the time of a UUID of version 1, the highest first. */
function timeOf(uuid: string): string {
  const [low = '', middle = '', high = ''] = uuid.split('-');
  return high.startsWith('1') ? high.slice(1) + middle + low : '~';
}
