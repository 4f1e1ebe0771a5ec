// Errors about keyspaces, tables and column definitions.
import { entry, listed } from './error-entry.js';

/** Family REQUEST, scope SCHEMA. */
export const schemaErrors = {
  CANNOT_ADD_EXISTING_TABLE: entry({
    title: 'Table exists',
    when: 'createTable names a table that exists, without `ifNotExists`.',
    message: (p: { keyspace: string; table: string; existing: readonly string[] }) =>
      `The keyspace ${p.keyspace} has a table ${p.table} already.\nIts tables: ${listed(p.existing)}.\n` +
      'Choose another name, drop the table first, or set the option "ifNotExists".',
  }),
  CANNOT_DROP_UNKNOWN_TABLE: entry({
    title: 'Table to drop does not exist',
    when: 'dropTable names no existing table, without `ifExists`.',
    message: (p: { keyspace: string; table: string; existing: readonly string[] }) =>
      `The keyspace ${p.keyspace} has no table "${p.table}".\nIts tables: ${listed(p.existing)}.\n` +
      'Check the name, or set the option "ifExists".',
  }),
  MISSING_PARTITION_COLUMNS: entry({
    title: 'Partition columns missing',
    when: 'The primary key has no partition column.',
    message: (p: { columns: readonly string[] }) =>
      `The primary key needs at least one column in "partitionBy".\nColumns of the definition: ${listed(p.columns)}.`,
  }),
  UNKNOWN_COLLECTION_OR_TABLE: entry({
    title: 'Table unknown',
    when: 'The path names a table that the keyspace does not have.',
    message: (p: { keyspace: string; table: string; existing: readonly string[] }) =>
      `The keyspace ${p.keyspace} has no table "${p.table}".\nIts tables: ${listed(p.existing)}.\n` +
      'Check the path, or create the table with createTable.',
  }),
  UNKNOWN_DATA_TYPE: entry({
    title: 'Column type unknown',
    when: 'The `type` of a column definition in object form is not known.',
    message: (p: { column: string; type: string; known: readonly string[] }) =>
      `The column ${p.column} has the unknown type "${p.type}".\nTypes: ${listed(p.known)}.`,
  }),
  UNKNOWN_KEYSPACE: entry({
    title: 'Keyspace unknown',
    when: 'The path names a keyspace that does not exist.',
    message: (p: { keyspace: string; existing: readonly string[] }) =>
      `There is no keyspace "${p.keyspace}".\nKeyspaces: ${listed(p.existing)}.\n` +
      'Check the path, or create the keyspace with createKeyspace.',
  }),
  UNKNOWN_PARTITION_COLUMNS: entry({
    title: 'Partition columns unknown',
    when: '`partitionBy` names columns that the definition does not have.',
    message: (p: { columns: readonly string[]; unknownColumns: readonly string[] }) =>
      `"partitionBy" names unknown columns: ${listed(p.unknownColumns)}.\nColumns of the definition: ${listed(p.columns)}.`,
  }),
  UNKNOWN_PARTITION_SORT_COLUMNS: entry({
    title: 'Partition sort columns unknown',
    when: '`partitionSort` names columns that the definition does not have.',
    message: (p: { columns: readonly string[]; unknownColumns: readonly string[] }) =>
      `"partitionSort" names unknown columns: ${listed(p.unknownColumns)}.\nColumns of the definition: ${listed(p.columns)}.`,
  }),
  UNKNOWN_PRIMITIVE_DATA_TYPE: entry({
    title: 'Column type unknown',
    when: 'The type of a column definition in string form is not a scalar type.',
    message: (p: { column: string; type: string; known: readonly string[] }) =>
      `The column ${p.column} has the unknown type "${p.type}".\nTypes in string form: ${listed(p.known)}.`,
  }),
  UNSUPPORTED_DATA_TYPE_TABLE_CREATION: entry({
    title: 'Column types not supported in createTable',
    when: 'createTable uses a type that can only be read in existing tables (timeuuid, counter, varchar) or is not supported by this version (list, set, map, vector, user-defined).',
    message: (p: { columns: readonly string[]; supported: readonly string[] }) =>
      `Tables cannot be created with these columns: ${listed(p.columns)}.\nTypes for new tables: ${listed(p.supported)}.`,
  }),
  UNSUPPORTED_PRIMARY_KEY_TYPES: entry({
    title: 'Column types not supported in the primary key',
    when: 'A column of the primary key has a type that cannot be a key, such as duration.',
    message: (p: { columns: readonly string[]; supported: readonly string[] }) =>
      `These columns cannot be in the primary key: ${listed(p.columns)}.\nTypes for keys: ${listed(p.supported)}.`,
  }),
  UNSUPPORTED_SCHEMA_NAME: entry({
    title: 'Name not supported',
    when: 'The name of a new keyspace or table has other characters than letters, digits and underscore, or is too long.',
    message: (p: { kind: string; name: string; maxLength: number }) =>
      `"${p.name}" cannot be the name of a ${p.kind}.\nA name has 1 to ${p.maxLength} letters (A-Z, a-z), digits or underscores.`,
  }),
} as const;
