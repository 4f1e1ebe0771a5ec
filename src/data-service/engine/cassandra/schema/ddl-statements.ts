// Changes of the schema as statements.
import type { ChangeText } from '../../../../foundation/cassandra/cql-session.js';
import { JsonNumber, type JsonObject } from '../../../../foundation/json/json-value.js';
import type { SchemaChange } from '../../../schema/schema-change.js';
import type { ColumnDefinition, Table } from '../../../schema/table.js';
import { quotedName, quotedTable, textLiteral } from '../cql-names.js';
import { collectionMembers } from '../documents/collection-layout.js';
import type { WriteTimes } from '../write-times.js';
import { dropColumnsStatement } from './dropped-columns.js';
import { createIndexStatement } from './index-statement.js';
import {
  placeOfCollection,
  placeOfNewTable,
  type SettingsPlace,
  type TableSettings,
} from './table-settings.js';

/** A change of a kind. */
export type ChangeOf<Kind extends SchemaChange['kind']> = Extract<SchemaChange, { kind: Kind }>;

/** The change of a table that exists. */
export type TableChange = ChangeOf<
  'dropTable' | 'addColumns' | 'dropColumns' | 'createIndex' | 'dropIndex' | 'changeEmbeddingServices'
>;

/** Makes a keyspace unless it is there. */
export function createKeyspaceStatement({ name, replication }: ChangeOf<'createKeyspace'>): string {
  return `CREATE KEYSPACE IF NOT EXISTS ${quotedName(name)} WITH replication = ${replicationLiteral(replication)}`;
}

/** Drops a keyspace if it is there. */
export function dropKeyspaceStatement({ name }: ChangeOf<'dropKeyspace'>): string {
  return `DROP KEYSPACE IF EXISTS ${quotedName(name)}`;
}

/** Makes a table with its settings; a collection lacks its indexes then. `madeMs`: the present time. */
export function createTableStatement(
  { keyspace, definition }: ChangeOf<'createTable'>,
  madeMs: number,
): string {
  const { name, columns, partitionKey, clustering, collection } = definition;
  if (collection !== undefined) {
    const settings = settingsClause(placeOfCollection(collection));
    const members = collectionMembers(definition).join(', ');
    return `CREATE TABLE ${quotedTable({ keyspace, name })} (${members}) WITH ${settings}`;
  }
  const partition = partitionKey.map(quotedName).join(', ');
  const key = [`(${partition})`, ...clustering.map((column) => quotedName(column.name))].join(', ');
  const order = clustering.map(
    (column) => `${quotedName(column.name)} ${column.direction === 1 ? 'ASC' : 'DESC'}`,
  );
  const settings: TableSettings = {
    columnOrder: columns.map((column) => column.name),
    services: servicesOf(columns),
    models: new Map(),
    textIndexes: new Map(),
  };
  const options = [
    ...(order.length === 0 ? [] : [`CLUSTERING ORDER BY (${order.join(', ')})`]),
    settingsClause(placeOfNewTable(settings, madeMs)),
  ];
  const members = [...columns.map(columnText), `PRIMARY KEY (${key})`];
  return `CREATE TABLE ${quotedTable({ keyspace, name })} (${members.join(', ')}) WITH ${options.join(' AND ')}`;
}

/** Drops the table of a collection whose indexes could not be made. */
export function dropUnfinishedStatement(table: { readonly keyspace: string; readonly name: string }): string {
  return `DROP TABLE IF EXISTS ${quotedTable(table)}`;
}

/** Makes a user-defined type. */
export function createTypeStatement({ type }: ChangeOf<'createType'>): string {
  const fields = type.fields.map((field) => `${quotedName(field.name)} ${field.type.cql.type}`);
  return `CREATE TYPE ${quotedTable(type)} (${fields.join(', ')})`;
}

/** Renames fields, at once, and adds fields, one with each statement: CQL has no other form. */
export function alterTypeStatements({ before, after }: ChangeOf<'alterType'>): readonly string[] {
  const type = `ALTER TYPE ${quotedTable(after)}`;
  const renames = before.fields.flatMap(({ name }, at) => {
    const to = after.fields[at]?.name ?? name;
    return to === name ? [] : [`${quotedName(name)} TO ${quotedName(to)}`];
  });
  const added = after.fields.slice(before.fields.length);
  return [
    ...(renames.length === 0 ? [] : [`${type} RENAME ${renames.join(' AND ')}`]),
    ...added.map((field) => `${type} ADD ${quotedName(field.name)} ${field.type.cql.type}`),
  ];
}

/** Drops a user-defined type. */
export function dropTypeStatement({ type }: ChangeOf<'dropType'>): string {
  return `DROP TYPE ${quotedTable(type)}`;
}

/** Whether a change is one of settings alone: nodes have neither embedding services nor text indexes. */
export function isOfSettingsAlone(change: TableChange): boolean {
  const isOfIndex = change.kind === 'createIndex' || change.kind === 'dropIndex';
  return change.kind === 'changeEmbeddingServices' || (isOfIndex && change.index.kind === 'text');
}

/**
 * The statement of a change itself; undefined where only settings change. `times`: gives the present time to a
 * statement that has one, each time that its text is made.
 */
export function tableStatement(change: TableChange, times: Pick<WriteTimes, 'next'>): ChangeText | undefined {
  if (isOfSettingsAlone(change)) return undefined;
  const { table } = change;
  switch (change.kind) {
    case 'dropTable':
      return `DROP TABLE ${quotedTable(table)}`;
    case 'addColumns':
      return `ALTER TABLE ${quotedTable(table)} ADD (${change.columns.map(columnText).join(', ')})`;
    case 'dropColumns':
      return () => dropColumnsStatement(table, namesOf(change.columns), times.next());
    case 'createIndex':
      return createIndexStatement(table, change.index);
    case 'dropIndex':
      return `DROP INDEX ${quotedTable({ keyspace: table.keyspace, name: change.index.name })}`;
    case 'changeEmbeddingServices':
      return undefined;
  }
}

/**
 * Whether the settings of a change are stored before it, else behind it. Where only the first step was done, the change
 * can be asked for again: settings of columns and indexes that are not there have no effect.
 */
export function settlesFirst({ kind }: TableChange): boolean {
  return kind !== 'dropColumns' && kind !== 'dropIndex';
}

/** Changes nothing, and is refused to users who may not change the table. */
export function probeStatement(table: Table): string {
  const [column] = table.keyColumns;
  if (column === undefined) throw new TypeError(`the table ${table.name} has no key`);
  return `ALTER TABLE ${quotedTable(table)} ADD IF NOT EXISTS ${columnText(column)}`;
}

/** Stores what the schema has of settings. */
export function placeStatement(table: Table, place: SettingsPlace): string {
  return `ALTER TABLE ${quotedTable(table)} WITH ${settingsClause(place)}`;
}

/** The settings of the table after a change; undefined for the same. */
export function settingsBehind(change: TableChange, before: TableSettings): TableSettings | undefined {
  const columnOrder = completed(before.columnOrder, namesOf(change.table.columns));
  switch (change.kind) {
    case 'dropTable':
      return undefined;
    case 'addColumns': {
      const names = namesOf(change.columns);
      const own = servicesOf(change.columns);
      // What is there already keeps its place: two servers that each moved it would change the settings by turns.
      const bare = names.filter((name) => !own.has(name));
      const services = new Map([...without(before.services, bare), ...own]);
      return { ...before, columnOrder: completed(columnOrder, names), services };
    }
    case 'dropColumns': {
      const names = namesOf(change.columns);
      const left = columnOrder.filter((name) => !names.includes(name));
      return { ...before, columnOrder: left, services: without(before.services, names) };
    }
    case 'createIndex': {
      const { index } = change;
      if (index.kind === 'text') {
        const own = { column: index.column.name, analyzer: index.analyzer.definition };
        return { ...before, columnOrder, textIndexes: new Map([...before.textIndexes, [index.name, own]]) };
      }
      const models = new Map(without(before.models, [index.name]));
      if (index.kind === 'vector' && index.sourceModel !== 'other') models.set(index.name, index.sourceModel);
      const isKept =
        models.size === before.models.size && models.get(index.name) === before.models.get(index.name);
      return isKept ? undefined : { ...before, columnOrder, models };
    }
    case 'dropIndex': {
      const { name, kind } = change.index;
      if (kind === 'text')
        return { ...before, columnOrder, textIndexes: without(before.textIndexes, [name]) };
      if (!before.models.has(name)) return undefined;
      return { ...before, columnOrder, models: without(before.models, [name]) };
    }
    case 'changeEmbeddingServices': {
      const changed = [...change.services].map(([column, service]) => [column.name, service] as const);
      return { ...before, columnOrder, services: new Map([...before.services, ...changed]) };
    }
  }
}

/** The names, and behind them those that are missing. Names that only others know stay: another server added them. */
function completed(names: readonly string[], all: readonly string[]): readonly string[] {
  return [...names, ...all.filter((name) => !names.includes(name))];
}

/** Clients spell the factor of SimpleStrategy in two ways; Cassandra knows one, and wants it. */
function replicationLiteral(replication: JsonObject): string {
  const strategy = String(replication.get('class') ?? 'SimpleStrategy');
  const members = [...replication].flatMap(([name, value]): readonly (readonly [string, string])[] => {
    if (name === 'class') return [];
    return [
      [
        name === 'replicationFactor' ? factor : name,
        value instanceof JsonNumber ? value.text : String(value),
      ],
    ];
  });
  if (strategy === 'SimpleStrategy' && !members.some(([name]) => name === factor))
    members.push([factor, '1']);
  const literals = [['class', strategy] as const, ...members];
  return `{${literals.map(([name, value]) => `${textLiteral(name)}: ${textLiteral(value)}`).join(', ')}}`;
}

const factor = 'replication_factor';

function settingsClause({ comment, extensions }: SettingsPlace): string {
  const members = Object.entries(extensions).map(
    ([key, value]) => `${textLiteral(key)}: 0x${value.toString('hex')}`,
  );
  return `comment = ${textLiteral(comment)} AND extensions = {${members.join(', ')}}`;
}

/** The type of a static column says so at its beginning; CQL wants it at the end. */
function columnText({ name, type }: ColumnDefinition): string {
  const ofStatic = /^static (.*)$/.exec(type.cql.type)?.[1];
  return `${quotedName(name)} ${ofStatic === undefined ? type.cql.type : `${ofStatic} static`}`;
}

function servicesOf(columns: readonly ColumnDefinition[]): TableSettings['services'] {
  return new Map(
    columns.flatMap(({ name, service }) => (service === undefined ? [] : [[name, service] as const])),
  );
}

function namesOf(columns: readonly ColumnDefinition[]): readonly string[] {
  return columns.map(({ name }) => name);
}

function without<Value>(
  members: ReadonlyMap<string, Value>,
  names: readonly string[],
): ReadonlyMap<string, Value> {
  return new Map([...members].filter(([name]) => !names.includes(name)));
}
