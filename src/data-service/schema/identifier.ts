// Names of keyspaces, tables, indexes and columns (wire: Names; differences: names that begin with `$`).
import { apiError } from '../errors/api-error.js';

const schemaName = /^[A-Za-z0-9_]+$/;
const maxLengths = { keyspace: 48, table: 48, collection: 48, 'user-defined type': 48, index: 100 } as const;

/**
 * Checks the name of a new keyspace, table, collection, user-defined type or index.
 * @throws ApiError UNSUPPORTED_SCHEMA_NAME
 */
export function checkNewName(kind: keyof typeof maxLengths, name: string): void {
  const maxLength = maxLengths[kind];
  if (name.length > maxLength || !schemaName.test(name)) {
    const rule = `A name must have 1 to ${maxLength} letters (A-Z, a-z), digits or underscores`;
    throw apiError('schema', 'UNSUPPORTED_SCHEMA_NAME', { kind, name, rule });
  }
}

/**
 * Checks the name of a new column; it must not begin with `$`, which begins an operator in clauses.
 * @throws ApiError UNSUPPORTED_SCHEMA_NAME
 */
export function checkNewColumnName(name: string): void {
  if (!name.startsWith('$')) return;
  const rule = 'The name of a column must not begin with "$", with which operators begin';
  throw apiError('schema', 'UNSUPPORTED_SCHEMA_NAME', { kind: 'column', name, rule });
}
