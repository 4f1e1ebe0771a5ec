// The operations of alterTable on services of vector columns (specification: vectorize rules; wire: alterTable).
import { isJsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { refuseDifferentVectorizers } from '../embedding/table-vectorizers.js';
import type { Engine } from '../engine/engine.js';
import { apiError } from '../errors/api-error.js';
import { structureMismatch } from '../errors/request-problems.js';
import { matchAll } from '../query/filter.js';
import { finishRead, type Position, type ReadPlan } from '../query/read.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { type Column, type Table, withVectorizers } from '../schema/table.js';
import {
  type ColumnVectorizer,
  describeVectorizer,
  givesSameVectors,
  parseVectorizer,
  type Vectorizer,
} from '../schema/vectorizer.js';
import type { TableContext } from './command.js';
import { readNames } from './read-names.js';

/** Rows without a vector are looked at in pages like these. */
const pageRows = 500;
const maxPageBytes = 1024 * 1024;

/** What an alterTable does. */
export interface AlterPlan {
  /** Null where there is nothing to change. */
  readonly change: SchemaChange | null;
  /** New services of columns that had others: possible only while the column holds no vectors. */
  readonly fits: readonly VectorizerFit[];
}

/** A service in place of one that gave other vectors. */
interface VectorizerFit {
  readonly table: Table;
  readonly column: Column;
  readonly former: Vectorizer;
}

/** `{"v":{"provider":…,"modelName":…}}`: services for columns, whose dimensions they must give. */
export function planAddVectorize(json: JsonValue, path: string, context: TableContext): AlterPlan {
  const { table, dialect, checkVectorizer } = context;
  if (!isJsonObject(json)) throw structureMismatch(path, 'an object of columns and services', json);
  refuseNoColumns(json.size, 'addVectorize');
  const { unknownColumns, otherColumns, vectorColumns } = sortOut([...json.keys()], table);
  if (unknownColumns.length > 0) {
    const allColumns = table.columns;
    throw apiError('schema', 'CANNOT_VECTORIZE_UNKNOWN_COLUMNS', { unknownColumns, allColumns });
  }
  if (otherColumns.length > 0) {
    const facts = { columns: otherColumns, vectorColumns: allVectorColumns(table) };
    throw apiError('schema', 'CANNOT_VECTORIZE_NON_VECTOR_COLUMNS', facts);
  }
  const services = new Map<Column, ColumnVectorizer>();
  for (const column of vectorColumns) {
    const requested = parseVectorizer(json.get(column.name) ?? null, `${path}.${column.name}`);
    const { service } = checkVectorizer(column.name, requested, column.type.vector?.dimension);
    services.set(column, { service, isEnabled: true });
  }
  if (dialect === 'strict') refuseDifferentVectorizers(table.name, withVectorizers(table, services).columns);
  const fits = [...services].flatMap(([column, { service }]) => {
    const former = column.service?.service;
    return former === undefined || givesSameVectors(former, service) ? [] : [{ table, column, former }];
  });
  return { change: { kind: 'changeVectorizers', table, services }, fits };
}

/** `["v"]`: texts are refused from now on. What made the vectors is remembered. */
export function planDropVectorize(json: JsonValue, path: string, { table }: TableContext): AlterPlan {
  const names = readNames(json, path);
  refuseNoColumns(names.length, 'dropVectorize');
  const { unknownColumns, otherColumns, vectorColumns } = sortOut(names, table);
  if (unknownColumns.length > 0) {
    const facts = { unknownColumns, allColumns: table.columns };
    throw apiError('schema', 'CANNOT_DROP_VECTORIZE_FROM_UNKNOWN_COLUMNS', facts);
  }
  if (otherColumns.length > 0) {
    const facts = { columns: otherColumns, vectorColumns: allVectorColumns(table) };
    throw apiError('schema', 'CANNOT_DROP_VECTORIZE_FROM_NON_VECTOR_COLUMNS', facts);
  }
  const services = new Map<Column, ColumnVectorizer>();
  for (const column of vectorColumns) {
    if (column.service?.isEnabled === true)
      services.set(column, { service: column.service.service, isEnabled: false });
  }
  return { change: services.size === 0 ? null : { kind: 'changeVectorizers', table, services }, fits: [] };
}

/**
 * Looks whether columns hold vectors that a new service would not have made.
 * @throws ApiError INVALID_VECTORIZE_TABLE_CONFIGURATION, EngineError
 */
export async function refuseOtherVectors(fits: readonly VectorizerFit[], engine: Engine): Promise<void> {
  for (const { table, column, former } of fits) {
    if (!(await holdsVectors(table, column, engine))) continue;
    const problem =
      `the column ${column.name} holds vectors made by ${describeVectorizer(former)}, ` +
      'and the new service would make others; use the same provider, model and parameters, or delete the vectors';
    throw apiError('schema', 'INVALID_VECTORIZE_TABLE_CONFIGURATION', { table: table.name, problem });
  }
}

/** Ends with the first vector; only where there is none are all rows read, page by page. */
async function holdsVectors(table: Table, column: Column, engine: Engine): Promise<boolean> {
  let after: Position | null = null;
  do {
    const plan: ReadPlan = {
      table,
      columns: [column],
      filter: matchAll,
      order: table.keyOrder,
      after,
      limit: pageRows,
      wantsPosition: true,
      maxBytes: maxPageBytes,
    };
    const { rows, next } = await finishRead(plan, await engine.readRows(plan));
    if (rows.some(([vector]) => vector !== null)) return true;
    after = next;
  } while (after !== null);
  return false;
}

function sortOut(names: readonly string[], table: Table) {
  const columns = names.flatMap((name) => table.columnsByName.get(name) ?? []);
  return {
    unknownColumns: names.filter((name) => !table.columnsByName.has(name)),
    otherColumns: columns.filter(({ type }) => type.vector === undefined),
    vectorColumns: columns.filter(({ type }) => type.vector !== undefined),
  };
}

function allVectorColumns({ columns }: Table): readonly Column[] {
  return columns.filter(({ type }) => type.vector !== undefined);
}

function refuseNoColumns(count: number, operation: string): void {
  if (count === 0) throw apiError('schema', 'MISSING_ALTER_TABLE_OPERATIONS', { operations: [operation] });
}
