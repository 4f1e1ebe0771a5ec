// Reads column definitions, of new tables and of columns to add (specification: Column definition shapes).
import { isJsonObject, JsonNumber, type JsonValue } from '../../foundation/json/json-value.js';
import type { ColumnType } from '../column-types/column-type.js';
import { columnTypeNamed, columnTypes } from '../column-types/registry.js';
import { apiError } from '../errors/api-error.js';
import { invalidFieldValue, refuseUnknownMembers, structureMismatch } from '../errors/request-problems.js';
import type { ColumnDefinition } from './table.js';

/** Below the 2,000 of SQLite. */
const maxColumns = 1_500;
/** Members a column definition in object form may have. */
const columnMembers = ['type', 'keyType', 'valueType', 'udtName', 'dimension', 'service'];
/** Types of the public API that this version knows by name and does not create. */
const otherTypes = ['list', 'set', 'map', 'vector', 'userDefined'];

/** A definition of the right form; `type` is undefined for a type that is known by name only. */
export interface ParsedColumn {
  readonly name: string;
  readonly typeName: string;
  readonly type: ColumnType | undefined;
}

/**
 * Reads an object of column definitions; `at` is its path in the command.
 * @throws ApiError for the first that has another form or an unknown type
 */
export function parseColumns(json: JsonValue, at: string): readonly ParsedColumn[] {
  if (!isJsonObject(json)) throw structureMismatch(at, 'an object of column definitions', json);
  return [...json].map(([name, definition]) => {
    if (name === '') throw invalidFieldValue(at, name, 'a column needs a name');
    return { name, ...parseType(name, definition, `${at}.${name}`) };
  });
}

/**
 * Refuses more columns than a table can have; dropped ones count, for they stay in the file.
 * @throws ApiError COMMAND_FIELD_VALUE_INVALID
 */
export function refuseTooMany(at: string, added: number, present: number): void {
  if (added + present <= maxColumns) return;
  const problem = `the table would have ${added + present} columns (dropped ones count), at most ${maxColumns} are possible`;
  throw invalidFieldValue(at, new JsonNumber(String(added)), problem);
}

/**
 * The columns, if new columns can have all their types.
 * @throws what `refuse` makes of the others and of the types to choose from
 */
export function refuseUncreatable(
  columns: readonly ParsedColumn[],
  refuse: (columns: readonly string[], supported: readonly string[]) => Error,
): readonly ColumnDefinition[] {
  const creatable = columns.flatMap(({ name, type }) =>
    type?.traits.creatable === true ? [{ name, type }] : [],
  );
  if (creatable.length === columns.length) return creatable;
  const others = columns.filter(({ type }) => type?.traits.creatable !== true);
  throw refuse(
    others.map(({ name, typeName }) => `${name}(${typeName})`),
    creatableNames(),
  );
}

function parseType(column: string, definition: JsonValue, at: string): Omit<ParsedColumn, 'name'> {
  if (typeof definition === 'string') {
    const type = columnTypeNamed(definition);
    if (type !== undefined) return { typeName: definition, type };
    throw apiError('schema', 'UNKNOWN_PRIMITIVE_DATA_TYPE', {
      column,
      type: definition,
      known: creatableNames(),
    });
  }
  if (!isJsonObject(definition)) {
    throw structureMismatch(at, 'the name of a type, or an object with a "type"', definition);
  }
  refuseUnknownMembers(definition, at, columnMembers);
  const typeName = definition.get('type') ?? null;
  if (typeof typeName !== 'string') throw structureMismatch(`${at}.type`, 'the name of a type', typeName);
  const type = columnTypeNamed(typeName);
  if (type !== undefined || otherTypes.includes(typeName)) return { typeName, type };
  const known = [...creatableNames(), ...otherTypes];
  throw apiError('schema', 'UNKNOWN_DATA_TYPE', { column, type: typeName, known });
}

function creatableNames(): readonly string[] {
  return columnTypes.filter(({ traits }) => traits.creatable).map(({ name }) => name);
}
