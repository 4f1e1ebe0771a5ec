// What a change does to the schema, without its rows. Each change makes new objects, so that plans keep theirs.
import { type Dialect, inDialect } from '../../src/data-service/column-types/dialect.js';
import { userTypesIn } from '../../src/data-service/column-types/replace-user-type.js';
import { userDefinedOf } from '../../src/data-service/column-types/user-types.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import {
  indexNamed,
  inOrderOfNames,
  type Keyspace,
  type Schema,
  tablesWithUserType,
} from '../../src/data-service/schema/keyspace.js';
import type { SchemaChange } from '../../src/data-service/schema/schema-change.js';
import {
  type ColumnDefinition,
  changedTable,
  makeColumn,
  makeTable,
  type Table,
  withEmbeddingServices,
  withIndexes,
  withoutColumns,
} from '../../src/data-service/schema/table.js';
import { withUserType } from '../../src/data-service/schema/with-user-type.js';

/** The refusal of a plan or a change that was made for an earlier schema. */
export function schemaChanged(name: string): EngineError {
  return new EngineError('schemaChanged', `${name} is gone or changed, or exists by now`);
}

/**
 * The schema after a change. `newTableId` was never an id before; new columns get their types in the dialect.
 * @throws EngineError `schemaChanged` if the change was planned for another schema
 */
export function schemaAfter(
  schema: Schema,
  change: SchemaChange,
  newTableId: number,
  dialect: Dialect,
): Schema {
  switch (change.kind) {
    case 'createKeyspace': {
      const { name, replication } = change;
      if (schema.keyspaces.has(name)) return schema;
      return withKeyspace(schema, { name, replication, tables: new Map(), userTypes: new Map() });
    }
    case 'dropKeyspace':
      return { keyspaces: without(schema.keyspaces, change.name) };
    case 'createTable': {
      const keyspace = schema.keyspaces.get(change.keyspace);
      return withKeyspace(schema, withNewTable(keyspace, change, newTableId, dialect));
    }
    case 'createType':
    case 'alterType':
    case 'dropType':
      return withKeyspace(schema, withChangedType(schema, change));
    case 'dropTable':
    case 'addColumns':
    case 'dropColumns':
    case 'createIndex':
    case 'dropIndex':
    case 'changeEmbeddingServices':
      return withKeyspace(schema, withChangedTable(keyspaceOf(schema, change.table), change, dialect));
  }
}

/** The keyspace of a table. @throws EngineError `schemaChanged` if this version of the table is not the present one */
export function keyspaceOf({ keyspaces }: Schema, table: Table): Keyspace {
  const keyspace = keyspaces.get(table.keyspace);
  if (keyspace?.tables.get(table.name) === table) return keyspace;
  throw schemaChanged(table.name);
}

function withNewTable(
  keyspace: Keyspace | undefined,
  { definition }: Extract<SchemaChange, { kind: 'createTable' }>,
  id: number,
  dialect: Dialect,
): Keyspace {
  const { name, columns, indexes = [] } = definition;
  if (keyspace === undefined || keyspace.tables.has(name)) throw schemaChanged(name);
  for (const index of indexes) refuseTakenIndex(keyspace, index.name);
  const typed = columnsFor(keyspace, columns, dialect);
  return withTables(keyspace, [
    makeTable({ id, version: 1, keyspace: keyspace.name }, { ...definition, columns: typed }),
  ]);
}

type TableChange = Extract<SchemaChange, { readonly table: Table }>;

function withChangedTable(keyspace: Keyspace, change: TableChange, dialect: Dialect): Keyspace {
  const { table } = change;
  switch (change.kind) {
    case 'dropTable':
      return { ...keyspace, tables: without(keyspace.tables, table.name) };
    case 'addColumns': {
      const lastId = Math.max(...[...table.columns, ...table.droppedColumns].map(({ id }) => id));
      const added = columnsFor(keyspace, change.columns, dialect);
      const made = added.map((column, at) => makeColumn(lastId + at + 1, column));
      return withTables(keyspace, [changedTable(table, { columns: [...table.columns, ...made] })]);
    }
    case 'dropColumns':
      return withTables(keyspace, [withoutColumns(table, change.columns)]);
    case 'createIndex': {
      refuseTakenIndex(keyspace, change.index.name);
      const id = Math.max(0, ...table.indexes.map((index) => index.id)) + 1;
      return withTables(keyspace, [withIndexes(table, [...table.indexes, { ...change.index, id }])]);
    }
    case 'dropIndex':
      return withTables(keyspace, [
        withIndexes(
          table,
          table.indexes.filter((index) => index !== change.index),
        ),
      ]);
    case 'changeEmbeddingServices':
      return withTables(keyspace, [withEmbeddingServices(table, change.services)]);
  }
}

type TypeChange = Extract<SchemaChange, { kind: 'createType' | 'alterType' | 'dropType' }>;

/** Values of a type have no names of fields: they stay as they are when it is changed. */
function withChangedType(schema: Schema, change: TypeChange): Keyspace {
  const before = change.kind === 'alterType' ? change.before : change.type;
  const keyspace = schema.keyspaces.get(before.keyspace);
  const expected = change.kind === 'createType' ? undefined : before;
  if (keyspace === undefined || keyspace.userTypes.get(before.name) !== expected)
    throw schemaChanged(before.name);
  const others = [...keyspace.userTypes.values()].filter((type) => type !== before);
  const using = tablesWithUserType(keyspace, before.name);
  if (change.kind === 'dropType' && using.length > 0) throw schemaChanged(before.name);
  if (change.kind === 'dropType') return { ...keyspace, userTypes: inOrderOfNames(others) };
  if (change.kind === 'createType')
    return { ...keyspace, userTypes: inOrderOfNames([...others, change.type]) };
  const tables = using.map((table) => withUserType(table, before, change.after));
  return { ...withTables(keyspace, tables), userTypes: inOrderOfNames([...others, change.after]) };
}

/** @throws EngineError `schemaChanged` for columns of types that were changed or dropped since the plan */
function columnsFor(
  { userTypes }: Keyspace,
  columns: readonly ColumnDefinition[],
  dialect: Dialect,
): readonly ColumnDefinition[] {
  for (const used of columns.flatMap(({ type }) => userTypesIn(type))) {
    const present = userTypes.get(used.name);
    if (present === undefined || userDefinedOf(present).name !== userDefinedOf(used).name)
      throw schemaChanged(used.name);
  }
  return columns.map((column) => ({ ...column, type: inDialect(column.type, dialect) }));
}

function refuseTakenIndex(keyspace: Keyspace, name: string): void {
  if (indexNamed(keyspace, name) !== undefined) throw schemaChanged(name);
}

function withTables(keyspace: Keyspace, tables: readonly Table[]): Keyspace {
  const changed = tables.map((table) => [table.name, table] as const);
  return { ...keyspace, tables: new Map([...keyspace.tables, ...changed]) };
}

function withKeyspace({ keyspaces }: Schema, keyspace: Keyspace): Schema {
  return { keyspaces: new Map([...keyspaces, [keyspace.name, keyspace]]) };
}

function without<Value>(all: ReadonlyMap<string, Value>, name: string): ReadonlyMap<string, Value> {
  return new Map([...all].filter(([each]) => each !== name));
}
