// Parses the update clause of updateOne (wire: updateOne, in that order of checks).
import { isJsonObject, type JsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { isWritable } from '../column-types/column-type.js';
import { apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import {
  columnsWithoutEmbeddingService,
  type InvalidValue,
  limitError,
  parseValue,
  storable,
  type TextForVector,
  unstorableVectors,
} from '../schema/parse-row.js';
import type { Column, Table } from '../schema/table.js';
import { parsePullAll, parsePush, type ReadChange } from './parse-push.js';
import type { ColumnChange } from './write.js';

type OperatorName = '$set' | '$unset' | '$push' | '$pullAll';

/** How an operator changes a column. */
type Outcome = ReadChange | TextForVector | 'unsupported' | 'inaccessible';
type Operator = (column: Column, operand: JsonValue, table: Table) => Outcome;

const operators: Readonly<Record<OperatorName, Operator>> = {
  $set: onWritable((column, operand, table) => {
    const read = storable(table, column, parseValue(column, operand));
    return 'value' in read ? { change: { kind: 'set', column, value: read.value } } : read;
  }),
  $unset: onWritable((column) => ({ change: { kind: 'set', column, value: null } })),
  $push: onContainers(parsePush),
  $pullAll: onContainers(parsePullAll),
};

function onContainers(read: (column: Column, operand: JsonValue) => ReadChange): Operator {
  return (column, operand) => (column.type.container === undefined ? 'unsupported' : read(column, operand));
}

/** Counters support no operator; commands cannot change columns that they cannot read. */
function onWritable(read: Operator): Operator {
  return (column, operand, table) => {
    if (column.type.add !== undefined) return 'unsupported';
    return isWritable(column.type) ? read(column, operand, table) : 'inaccessible';
  };
}

const supported = Object.keys(operators);
const documentOperators = [
  '$inc',
  '$mul',
  '$min',
  '$max',
  '$rename',
  '$pop',
  '$addToSet',
  '$currentDate',
  '$setOnInsert',
];

interface Clause {
  readonly name: string;
  readonly members: JsonObject;
}

/**
 * Step 1 of the checks: the clause's structure.
 * @throws ApiError scope UPDATE
 */
export function parseUpdateClause(json: JsonObject): readonly Clause[] {
  return [...json].map(([name, members]) => {
    if (!supported.includes(name) && !documentOperators.includes(name)) {
      throw apiError('update', 'UNSUPPORTED_UPDATE_OPERATION', { operator: name, supported });
    }
    if (!isJsonObject(members)) {
      throw apiError('update', 'UNSUPPORTED_UPDATE_DATA_TYPE', { operator: name, found: showJson(members) });
    }
    return { name, members };
  });
}

/** The changes of an update to the columns of a row. Its texts for vector columns are not embedded yet. */
export interface ParsedUpdate {
  readonly changes: readonly ColumnChange[];
  /** Texts for vector columns with a service; the changes do not include these columns. */
  readonly texts: readonly TextForVector[];
}

/**
 * The other steps: the changes of the clause on this table. At least one column, no key column, no column twice.
 * @throws ApiError scope UPDATE
 */
export function resolveUpdate(clauses: readonly Clause[], table: Table): ParsedUpdate {
  const parts = clauses.map(({ name, members }) => resolveOperator(name, members, table));
  const changes = parts.flatMap((part) => part.changes);
  const texts = parts.flatMap((part) => part.texts);
  const forDocuments = clauses.map(({ name }) => name).filter((name) => documentOperators.includes(name));
  if (forDocuments.length > 0) {
    throw apiError('update', 'UNSUPPORTED_UPDATE_OPERATIONS_FOR_TABLE', {
      operators: forDocuments,
      supported,
    });
  }
  const columns = [...changes, ...texts].map(({ column }) => column);
  if (columns.length === 0) throw apiError('update', 'MISSING_UPDATE_OPERATIONS', { supported });
  const twice = columns.filter((column, at) => columns.indexOf(column) < at);
  if (twice.length > 0)
    throw apiError('update', 'UNSUPPORTED_OVERLAPPING_UPDATE_OPERATIONS', { columns: twice });
  const ofKey = columns.filter((column) => table.keyColumns.includes(column));
  if (ofKey.length > 0) {
    const primaryKey = table.keyColumns;
    throw apiError('update', 'UNSUPPORTED_UPDATE_FOR_PRIMARY_KEY_COLUMNS', { columns: ofKey, primaryKey });
  }
  return { changes, texts };
}

/** The update with a vector for each text, in order. @throws ApiError for a vector that its column cannot have */
export function updateWithVectors(
  { changes, texts }: ParsedUpdate,
  vectors: readonly Float32Array[],
  table: Table,
): ParsedUpdate {
  const invalid = unstorableVectors(texts, vectors, table);
  if (invalid.length > 0) throw refuseUpdateValues(table, invalid);
  const set = texts.map(({ column }, at) => ({ kind: 'set' as const, column, value: vectors[at] }));
  return { changes: [...changes, ...set], texts: [] };
}

function resolveOperator(name: string, members: JsonObject, table: Table): ParsedUpdate {
  const operator = Object.hasOwn(operators, name) ? operators[name as OperatorName] : undefined; // just checked
  if (operator === undefined) return { changes: [], texts: [] };
  const unknownColumns = [...members.keys()].filter((member) => !table.columnsByName.has(member));
  if (unknownColumns.length > 0) {
    const allColumns = table.columns;
    throw apiError('update', 'UNKNOWN_TABLE_COLUMNS', { table: table.name, allColumns, unknownColumns });
  }
  const changes: ColumnChange[] = [];
  const unsupported: Column[] = [];
  const inaccessible: Column[] = [];
  const misused: { readonly column: Column; readonly problem: string }[] = [];
  const invalid: InvalidValue[] = [];
  const texts: TextForVector[] = [];
  for (const [member, operand] of members) {
    const column = table.columnsByName.get(member);
    if (column === undefined) continue; // refused above
    const read = operator(column, operand, table);
    if (read === 'unsupported') unsupported.push(column);
    else if (read === 'inaccessible') inaccessible.push(column);
    else if ('change' in read) changes.push(read.change);
    else if ('text' in read) texts.push(read);
    else if ('usageProblem' in read) misused.push({ column, problem: read.usageProblem });
    else invalid.push(read);
  }
  if (unsupported.length > 0) {
    const possible = unsupported.every(({ type }) => isWritable(type)) ? ['$set', '$unset'] : [];
    throw apiError('update', 'UNSUPPORTED_UPDATE_OPERATOR', {
      operator: name,
      columns: unsupported,
      possible,
    });
  }
  if (inaccessible.length > 0) {
    throw apiError('update', 'UNSUPPORTED_COLUMN_TYPES', { table: table.name, columns: inaccessible });
  }
  const [misuse] = misused;
  if (misuse !== undefined) throw apiError('update', 'INVALID_PUSH_OPERATOR_USAGE', misuse);
  if (invalid.length > 0) throw refuseUpdateValues(table, invalid);
  const columns = columnsWithoutEmbeddingService(texts);
  if (columns.length > 0)
    throw apiError('update', 'UNSUPPORTED_VECTORIZE_WHEN_MISSING_VECTORIZE_DEFINITION', { columns });
  return { changes, texts };
}

/** The error for values of an update that do not match their columns. */
export function refuseUpdateValues(table: Table, invalid: readonly InvalidValue[]): Error {
  const facts = { table: table.name, invalidColumns: invalid };
  return limitError(invalid) ?? apiError('update', 'INVALID_COLUMN_VALUES', facts);
}
