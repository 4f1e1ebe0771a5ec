// Names of keyspaces, tables and indexes (wire: Names).
import { apiError } from '../errors/api-error.js';

const schemaName = /^[A-Za-z0-9_]+$/;
const maxLengths = { keyspace: 48, table: 48, index: 100 } as const;

/**
 * Checks the name of something new.
 * @throws ApiError UNSUPPORTED_SCHEMA_NAME
 */
export function checkNewName(kind: keyof typeof maxLengths, name: string): void {
  const maxLength = maxLengths[kind];
  if (name.length > maxLength || !schemaName.test(name)) {
    throw apiError('schema', 'UNSUPPORTED_SCHEMA_NAME', { kind, name, maxLength });
  }
}
