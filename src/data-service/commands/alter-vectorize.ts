// The operations of alterTable on services of vector columns (specification: vectorize rules; wire: alterTable).
import { isJsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { refuseDifferentEmbeddingServices } from '../embedding/table-embedding-services.js';
import { apiError } from '../errors/api-error.js';
import { structureMismatch } from '../errors/request-problems.js';
import {
  type ColumnEmbeddingService,
  givesSameVectors,
  parseEmbeddingService,
  serviceExample,
} from '../schema/embedding-service.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { type Column, type Table, withEmbeddingServices } from '../schema/table.js';
import type { TableContext } from './command.js';
import { readNames } from './read-names.js';

/**
 * `{"v":{"provider":…,"modelName":…}}`: services for columns, which must make vectors of the column's dimension. A
 * service that makes other vectors can replace one only while the column has none, which the engine checks.
 */
export function planAddVectorize(json: JsonValue, path: string, context: TableContext): SchemaChange {
  const { table, dialect, checkEmbeddingService } = context;
  if (!isJsonObject(json))
    throw structureMismatch(path, 'an object of columns and services', json, `{"v": ${serviceExample}}`);
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
  const services = new Map<Column, ColumnEmbeddingService>();
  for (const column of vectorColumns) {
    const requested = parseEmbeddingService(json.get(column.name) ?? null, `${path}.${column.name}`);
    const { service } = checkEmbeddingService(column.name, requested, column.type.vector?.dimension);
    services.set(column, { ...service, isEnabled: true });
  }
  if (dialect === 'strict')
    refuseDifferentEmbeddingServices(table.name, withEmbeddingServices(table, services).columns);
  const withoutVectors = [...services].flatMap(([column, service]) => {
    const former = column.service;
    return former === undefined || givesSameVectors(former, service) ? [] : [column];
  });
  return { kind: 'changeEmbeddingServices', table, services, withoutVectors };
}

/** `["v"]`: from now on texts are refused. The service that made the vectors stays recorded. */
export function planDropVectorize(
  json: JsonValue,
  path: string,
  { table }: TableContext,
): SchemaChange | null {
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
  const services = new Map<Column, ColumnEmbeddingService>();
  for (const column of vectorColumns) {
    if (column.service?.isEnabled === true) services.set(column, { ...column.service, isEnabled: false });
  }
  return services.size === 0
    ? null
    : { kind: 'changeEmbeddingServices', table, services, withoutVectors: [] };
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
