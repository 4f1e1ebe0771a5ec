// alterTable (wire: alterTable, in that order of checks).
import { isJsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { labelOf } from '../column-types/column-type.js';
import { refuseDifferentEmbeddingServices } from '../embedding/table-embedding-services.js';
import { changeColumns } from '../engine/change-columns.js';
import { apiError } from '../errors/api-error.js';
import { refuseUnknownMembers, structureMismatch } from '../errors/request-problems.js';
import { parseColumns, refuseTooMany, refuseUncreatable } from '../schema/parse-column-definitions.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { type Column, droppedInTheWay, isCounterTable, type Table } from '../schema/table.js';
import { planAddVectorize, planDropVectorize } from './alter-vectorize.js';
import { changesSchema, type TableContext, tableCommand } from './command.js';
import { readNames } from './read-names.js';
import { clause, noOptions, object } from './shape.js';

const at = 'command.operation';
const operationExample = '{"add": {"columns": {"age": "int"}}} or {"drop": {"columns": ["age"]}}';

export const alterTable = tableCommand({
  name: 'alterTable',
  help: 'Adds or drops columns, or adds or removes the embedding service of vector columns.',
  ...changesSchema,
  shape: object({ operation: clause(operationExample), options: noOptions('alterTable') }),
  plan: ({ operation }, context): SchemaChange | null => {
    refuseUnknownMembers(operation, at, Object.keys(operations));
    const [name, ...more] = operation.keys();
    if (name === undefined)
      throw apiError('schema', 'MISSING_ALTER_TABLE_OPERATIONS', { operations: Object.keys(operations) });
    if (more.length > 0)
      throw structureMismatch(at, 'an object with one operation', operation, operationExample);
    const body = operation.get(name) ?? null;
    if (!isJsonObject(body))
      throw structureMismatch(`${at}.${name}`, 'an object with "columns"', body, '{"columns": …}');
    refuseUnknownMembers(body, `${at}.${name}`, ['columns']);
    const plan = operations[name];
    if (plan === undefined) throw new TypeError(`the operation ${name} was not refused`);
    return plan(body.get('columns') ?? null, `${at}.${name}.columns`, context);
  },
  execute: async (plan, engine) => {
    if (plan !== null) await changeColumns(engine, plan, `${at}.add.columns`);
  },
});

type PlanOperation = (columns: JsonValue, at: string, context: TableContext) => SchemaChange | null;

const operations: Readonly<Record<string, PlanOperation>> = {
  add: planAdd,
  drop: (columns, path, { table }) => planDrop(columns, path, table),
  addVectorize: planAddVectorize,
  dropVectorize: planDropVectorize,
};

function planAdd(json: JsonValue, path: string, context: TableContext): SchemaChange {
  const { table, dialect } = context;
  const parsed = parseColumns(json, path, context);
  if (parsed.length === 0)
    throw apiError('schema', 'MISSING_ALTER_TABLE_OPERATIONS', { operations: ['add'] });
  refuseTooMany(path, parsed.length, table.columns.length);
  const existing = parsed.flatMap(({ name }) => table.columnsByName.get(name) ?? []);
  if (existing.length > 0) {
    throw apiError('schema', 'CANNOT_ADD_EXISTING_COLUMNS', { columns: existing, allColumns: table.columns });
  }
  const refuse = (refused: readonly string[], supported: readonly string[]) =>
    apiError('schema', 'CANNOT_ADD_UNSUPPORTED_DATA_TYPE_COLUMNS', { columns: refused, supported });
  const columns = refuseUncreatable(parsed, refuse);
  // A table with counters has no other columns, and commands cannot add counters.
  if (isCounterTable(table)) {
    throw refuse(
      parsed.map(({ name, typeName }) => `${name}(${typeName})`),
      [],
    );
  }
  if (dialect === 'strict') refuseDifferentEmbeddingServices(table.name, [...table.columns, ...columns]);
  for (const column of columns) {
    const dropped = droppedInTheWay(table, column);
    if (dropped !== undefined) {
      throw apiError('schema', 'CANNOT_ADD_PREVIOUSLY_DROPPED_COLUMN', {
        column,
        previousType: labelOf(dropped.type),
      });
    }
  }
  return { kind: 'addColumns', table, columns };
}

function planDrop(json: JsonValue, path: string, table: Table): SchemaChange {
  const names = readNames(json, path);
  if (names.length === 0)
    throw apiError('schema', 'MISSING_ALTER_TABLE_OPERATIONS', { operations: ['drop'] });
  const columns = names.map((name) => table.columnsByName.get(name)).filter((column) => column !== undefined);
  const ofKey = columns.filter((column) => table.keyColumns.includes(column));
  if (ofKey.length > 0) {
    throw apiError('schema', 'CANNOT_DROP_PRIMARY_KEY_COLUMNS', {
      columns: ofKey,
      primaryKey: table.keyColumns,
    });
  }
  if (columns.length < names.length) {
    const unknownColumns = names.filter((name) => !table.columnsByName.has(name));
    throw apiError('schema', 'CANNOT_DROP_UNKNOWN_COLUMNS', { unknownColumns, allColumns: table.columns });
  }
  const indexed = table.indexes.filter(({ column }) => columns.includes(column));
  if (indexed.length > 0) {
    throw apiError('schema', 'CANNOT_DROP_INDEXED_COLUMNS', {
      columns: indexed.map(({ column }) => column),
      indexes: indexed.map(({ name }) => name),
    });
  }
  const isPermanent = (column: Column) => column.isPermanent === true || table.keyColumns.includes(column);
  const permanent = columns.filter(isPermanent);
  if (permanent.length > 0) {
    const droppable = table.columns.filter((column) => !isPermanent(column));
    throw apiError('schema', 'CANNOT_DROP_PERMANENT_COLUMNS', { columns: permanent, droppable });
  }
  return { kind: 'dropColumns', table, columns };
}
