// Resolves a filter clause on a table: columns, operators for their types, typed values (wire: Scalar columns).
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import {
  type ColumnType,
  isReadable,
  labelOf,
  type MemberType,
  ValueMismatch,
} from '../column-types/column-type.js';
import { foldText, isExact } from '../column-types/text-fold.js';
import { apiError } from '../errors/api-error.js';
import { type Column, containerIndexOn, regularIndexOn, type Table, textIndexOn } from '../schema/table.js';
import {
  type Comparison,
  comparedPart,
  type Filter,
  fixesPartition,
  type MemberComparison,
} from './filter.js';
import {
  type ClauseComparison,
  type ClauseMembers,
  clauseComparisons,
  type FilterClause,
  isExtendedValue,
  parseFilterClause,
} from './filter-clause.js';
import {
  type FilterOperator,
  filterOperatorNamed,
  filterOperators,
  matchOperator,
  textSearchOperator,
} from './filter-operators.js';
import { readMemberClause } from './member-clause.js';
import { memberOperators } from './member-operators.js';
import { distinctTokens, searchedIndexOn, tokensToFind } from './word-search.js';

/**
 * Parses the filter of a read.
 * @throws ApiError scope FILTER, in this order: structure, unknown columns, columns that cannot be read, operators and
 * values
 */
export function parseFilter(json: JsonObject | undefined, table: Table): Filter {
  // The kind of the column is checked before the form of the operand.
  const clause = parseFilterClause(json, {
    takesOperator: (name, operator) => {
      const type = table.columnsByName.get(name)?.type;
      return type === undefined || takesOperator(type, operator);
    },
    readMembers: (name, value) => readMemberClause(table.columnsByName.get(name), value),
  });
  refuseUnknownColumns(clause, table);
  refuseUnreadableColumns(clause, table);
  return foldFilter(resolveClause(clause, table, false), table);
}

/** @throws ApiError UNKNOWN_TABLE_COLUMNS that names all of them */
export function refuseUnknownColumns(clause: FilterClause, table: Table): void {
  const unknown = clauseComparisons(clause).filter(({ columnName }) => !table.columnsByName.has(columnName));
  if (unknown.length > 0) {
    const unknownColumns = [...new Set(unknown.map(({ columnName }) => columnName))];
    throw apiError('filter', 'UNKNOWN_TABLE_COLUMNS', {
      table: table.name,
      allColumns: table.columns,
      unknownColumns,
    });
  }
}

/** Whether the type of a column supports the operator, as far as this is checked before the operand. */
function takesOperator({ traits }: ColumnType, operator: string): boolean {
  return traits.filterable && (operator !== textSearchOperator || traits.matchable);
}

function refuseUnreadableColumns(clause: FilterClause, table: Table): void {
  if (table.readableColumns === table.columns) return;
  const compared = clauseComparisons(clause).map((comparison) => comparedColumn(comparison, table));
  const columns = [...new Set(compared)].filter(({ type }) => !isReadable(type));
  if (columns.length > 0) {
    throw apiError('filter', 'UNSUPPORTED_COLUMN_TYPES', { table: table.name, columns });
  }
}

/** The column of a comparison; it is known to exist. */
export function comparedColumn({ columnName }: Pick<ClauseComparison, 'columnName'>, table: Table): Column {
  const column = table.columnsByName.get(columnName);
  if (column === undefined) throw new TypeError(`the column ${columnName} was not checked to exist`);
  return column;
}

/**
 * Resolves a clause whose columns exist; `isNegated` under an odd number of `$not`.
 * @throws ApiError for an operator or value that does not match its column
 */
export function resolveClause(clause: FilterClause, table: Table, isNegated: boolean): Filter {
  switch (clause.kind) {
    case 'comparison':
      return resolveComparison(clause, table, isNegated);
    case 'members':
      return resolveMembers(clause, comparedColumn(clause, table), isNegated);
    case 'not':
      return { kind: 'and', filters: clause.clauses.map((part) => resolveClause(part, table, !isNegated)) };
    case 'and':
    case 'or': {
      const filters = clause.clauses.map((part) => resolveClause(part, table, isNegated));
      return { kind: (clause.kind === 'and') === isNegated ? 'or' : 'and', filters };
    }
  }
}

function resolveComparison(clause: ClauseComparison, table: Table, isNegated: boolean): Comparison {
  const column = comparedColumn(clause, table);
  const isEquality = clause.operator === '$eq' || clause.operator === '$ne';
  if (column.type.userType !== undefined && isEquality && isPlainObject(clause.operand))
    throw apiError('filter', 'FILTER_UNSUPPORTED_DATA_TYPE', { at: column.name });
  if (!column.type.traits.filterable)
    throw impossible(column, `columns of the type ${labelOf(column.type)} cannot be filtered`);
  if (clause.operator === textSearchOperator) return resolveMatch(clause, column, table, isNegated);
  if (column.type.userType !== undefined && filterOperatorNamed(clause.operator)?.operand !== 'list')
    throw impossible(column, `only $in and $nin compare values of the type ${labelOf(column.type)}`);
  const written = filterOperatorNamed(clause.operator);
  if (written === undefined) throw refuseOperator(clause.operator, column);
  if (written.isRange && !column.type.traits.range) {
    throw impossible(
      column,
      `${clause.operator} needs an ordered type, and values of the type ${labelOf(column.type)} have no order`,
    );
  }
  const operands = written.operand === 'list' ? listOf(clause.operand) : [clause.operand];
  const inEffect = isNegated ? filterOperators[written.negation] : written;
  // A list with one value becomes an equality, which engines can use.
  const operator = inEffect.name === '$in' && operands.length === 1 ? filterOperators.$eq : inEffect;
  return {
    kind: 'comparison',
    column,
    operator,
    operands: operands.map((json) => parseOperand(json, column, written)),
  };
}

function resolveMembers(
  { part, operator, operands }: ClauseMembers,
  column: Column,
  isNegated: boolean,
): MemberComparison {
  const { type } = comparedPart({ column, part });
  return {
    kind: 'members',
    column,
    part,
    operator: isNegated ? memberOperators[operator.negation] : operator,
    operands: operands.map((json) => {
      if (json === null) throw impossible(column, `${operator.name} cannot compare with null`);
      // The key and the value of an entry can also be extended values.
      return parseValue(isJsonArray(json) ? json.map(plainValue) : json, column, type);
    }),
  };
}

function resolveMatch(
  { operand }: ClauseComparison,
  column: Column,
  table: Table,
  isNegated: boolean,
): Comparison {
  if (!column.type.traits.matchable)
    throw impossible(column, '$match needs a column of the type text with a text index');
  const index = searchedIndexOn(table, column);
  if (index === undefined) {
    const indexed = table.columns.filter((each) => textIndexOn(table, each) !== undefined);
    throw apiError('filter', 'CANNOT_LEXICAL_FILTER_NON_INDEXED_COLUMNS', { column, indexed });
  }
  const invalid = (problem: string) => apiError('filter', 'FILTER_INVALID_EXPRESSION', { problem });
  if (isNegated) throw invalid(`$match on "${column.name}" cannot stand under $not`);
  if (typeof operand !== 'string') throw invalid(`$match on "${column.name}" needs a string`);
  const { analyzer } = index;
  const operands = distinctTokens(tokensToFind(operand, analyzer, invalid));
  return { kind: 'comparison', column, operator: matchOperator, analyzer, operands };
}

function refuseOperator(operator: string, column: Column): Error {
  const usable = Object.values(filterOperators).filter(({ isRange }) => !isRange || column.type.traits.range);
  const names = usable.map(({ name }) => name).join(', ');
  return impossible(
    column,
    `${operator} cannot be used on columns of the type ${labelOf(column.type)}; use one of ${names}`,
  );
}

function parseOperand(json: JsonValue, column: Column, operator: FilterOperator): unknown {
  refuseOperand(json, column, operator);
  return parseValue(json, column, column.type);
}

function parseValue(json: JsonValue, column: Column, type: Pick<MemberType, 'parse'>): unknown {
  try {
    return type.parse(plainValue(json));
  } catch (error) {
    if (!(error instanceof ValueMismatch)) throw error;
    if (error.kind === 'limit') {
      throw apiError('document', 'SHRED_DOC_LIMIT_VIOLATION', {
        problem: `${column.name}: ${error.message}`,
      });
    }
    throw apiError('filter', 'INVALID_FILTER_COLUMN_VALUES', { column, reason: error.message });
  }
}

/**
 * Refuses operands that are not a value of any column. For ranges and arrays the error is about the form of the filter.
 */
function refuseOperand(json: JsonValue, column: Column, operator: FilterOperator): void {
  const isObject = isPlainObject(json);
  if (column.type.userType !== undefined && (isObject || isJsonArray(json))) return;
  if (isJsonArray(json) || (operator.isRange && (json === null || isObject))) {
    const found = json === null ? 'null' : isObject ? 'an object' : 'an array';
    const problem = `${operator.name} on "${column.name}" cannot compare with ${found}`;
    throw apiError('filter', 'FILTER_INVALID_EXPRESSION', { problem });
  }
  if (json === null) throw impossible(column, `${operator.name} cannot compare with null`);
  if (isObject) throw apiError('filter', 'FILTER_UNSUPPORTED_DATA_TYPE', { at: column.name });
}

/** An object that does not represent one value. */
function isPlainObject(json: JsonValue): boolean {
  return isJsonObject(json) && !isExtendedValue(json);
}

/** `{"$uuid":…}` and `{"$objectId":…}` become strings; other extended values are parsed by the column's type. */
function plainValue(json: JsonValue): JsonValue {
  if (!isJsonObject(json)) return json;
  return json.get('$uuid') ?? json.get('$objectId') ?? json;
}

function listOf(json: JsonValue): readonly JsonValue[] {
  return isJsonArray(json) ? json : [json];
}

function impossible(column: Column, problem: string): Error {
  return apiError('filter', 'INVALID_FILTER_EXPRESSION', { column, problem });
}

/**
 * The filter with its texts folded as the indexes fold them (differences: index options act on $eq $ne $in $nin).
 * Inside one partition the key is compared without a fold.
 */
function foldFilter(filter: Filter, table: Table): Filter {
  const hasFolds = table.indexes.some(
    (index) => 'fold' in index && index.fold !== null && !isExact(index.fold),
  );
  return hasFolds ? foldPart(filter, table, fixesPartition(filter, table)) : filter;
}

function foldPart(filter: Filter, table: Table, isInPartition: boolean): Filter {
  if (filter.kind === 'comparison') return foldComparison(filter, table, isInPartition);
  if (filter.kind === 'members') return foldMembers(filter, table);
  if (filter.kind === 'document') return filter;
  return { kind: filter.kind, filters: filter.filters.map((part) => foldPart(part, table, isInPartition)) };
}

function foldComparison(comparison: Comparison, table: Table, isInPartition: boolean): Comparison {
  const { column, operator, operands, analyzer } = comparison;
  if (analyzer !== undefined) return comparison;
  const fold = regularIndexOn(table, column)?.fold ?? null;
  if (fold === null || isExact(fold) || operator.isRange) return comparison;
  if (isInPartition && table.keyColumns.includes(column)) return comparison;
  // Only text columns have folds.
  return { ...comparison, fold, operands: operands.map((operand) => foldText(operand as string, fold)) };
}

function foldMembers(comparison: MemberComparison, table: Table): MemberComparison {
  const { column, part, operands } = comparison;
  const fold = containerIndexOn(table, column, part)?.fold ?? null;
  if (fold === null || isExact(fold)) return comparison;
  // Only texts have folds.
  return { ...comparison, fold, operands: operands.map((operand) => foldText(operand as string, fold)) };
}
