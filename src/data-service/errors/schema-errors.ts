// Errors about keyspaces, tables and column definitions.
import { nearestName } from '../../foundation/nearest-name.js';
import {
  entry,
  listed,
  listedColumns,
  listedNames,
  type NamedColumn,
  type NamesOfKeyspace,
} from './error-entry.js';

const elementProblem =
  (kind: string) => (p: { column: string; valueType: string; supported: readonly string[] }) =>
    `The column ${p.column} cannot be a ${kind} with the value type ${p.valueType}.\nValue types: ${listed(p.supported)}.`;

interface UnknownScalarType {
  readonly column: string;
  readonly type: string;
  readonly known: readonly string[];
  readonly withParts: readonly string[];
  /** The object form of a type with parameters. */
  readonly example: string | undefined;
}

interface NameInKeyspace {
  readonly keyspace: string;
  readonly table: string;
  readonly existing: NamesOfKeyspace;
}

interface UnknownName extends NameInKeyspace {
  /** Whether commands can create collections. */
  readonly hasCollections: boolean;
  /** deleteCollection names a table. */
  readonly isToDelete: boolean;
}

/** A keyspace may have thousands of names; each comparison takes some microseconds. */
const mostCompared = 1000;

function nearestHint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known.slice(0, mostCompared));
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

/** Family REQUEST, scope SCHEMA. */
export const schemaErrors = {
  CANNOT_ADD_EXISTING_COLUMNS: entry({
    title: 'Columns exist',
    when: 'alterTable adds columns that the table already has.',
    message: (p: { columns: readonly NamedColumn[]; allColumns: readonly NamedColumn[] }) =>
      `The table already has these columns: ${listedColumns(p.columns)}.\nIts columns: ${listedColumns(p.allColumns)}.`,
  }),
  CANNOT_ADD_EXISTING_TABLE: entry({
    title: 'Table exists',
    when: 'createTable names a table or collection that exists, without `ifNotExists`.',
    message: ({ keyspace, table, existing }: NameInKeyspace) =>
      existing.collections.includes(table)
        ? `The keyspace ${keyspace} already has a collection ${table}; collections and tables have one name space.\n` +
          `${listedNames(existing)}\nChoose another name, or delete the collection first with deleteCollection.`
        : `The keyspace ${keyspace} already has a table ${table}.\n${listedNames(existing)}\n` +
          'Choose another name, drop the table first, or set the option "ifNotExists".',
  }),
  CANNOT_ADD_PREVIOUSLY_DROPPED_COLUMN: entry({
    title: 'Column was dropped with another type',
    when: 'alterTable adds a column with the name of a dropped column that had another type.',
    message: (p: { column: NamedColumn; previousType: string }) =>
      `The column ${listedColumns([p.column])} was dropped; its type was ${p.previousType}.\n` +
      'Add the column with that type, or choose another name.',
  }),
  CANNOT_ADD_UNSUPPORTED_DATA_TYPE_COLUMNS: entry({
    title: 'Column types not supported in alterTable',
    when: 'alterTable adds a column of a type that commands cannot create or that this version does not support, or adds any column to a table with counters.',
    message: (p: { columns: readonly string[]; supported: readonly string[] }) =>
      `These columns cannot be added: ${listed(p.columns)}.\nTypes for new columns: ${listed(p.supported)}.`,
  }),
  CANNOT_DROP_PERMANENT_COLUMNS: entry({
    title: 'Columns of user-defined types cannot be dropped',
    when: 'alterTable drops a column of a user-defined type that is not frozen, in a Cassandra cluster.',
    message: (p: { columns: readonly NamedColumn[]; droppable: readonly NamedColumn[] }) =>
      `Cassandra does not drop columns of user-defined types unless they are frozen: ${listedColumns(p.columns)}.\n` +
      `Columns that can be dropped: ${listedColumns(p.droppable)}.`,
  }),
  CANNOT_DROP_PRIMARY_KEY_COLUMNS: entry({
    title: 'Primary key columns cannot be dropped',
    when: 'alterTable drops a column of the primary key.',
    message: (p: { columns: readonly NamedColumn[]; primaryKey: readonly NamedColumn[] }) =>
      `Columns of the primary key cannot be dropped: ${listedColumns(p.columns)}.\n` +
      `The primary key is: ${listedColumns(p.primaryKey)}.`,
  }),
  CANNOT_DROP_UNKNOWN_COLUMNS: entry({
    title: 'Columns to drop do not exist',
    when: 'alterTable drops columns that the table does not have.',
    message: (p: { unknownColumns: readonly string[]; allColumns: readonly NamedColumn[] }) =>
      `The table does not have these columns: ${listed(p.unknownColumns)}.\nIts columns: ${listedColumns(p.allColumns)}.`,
  }),
  CANNOT_DROP_UNKNOWN_TABLE: entry({
    title: 'Table to drop does not exist',
    when: 'dropTable names no existing table, or a collection, without `ifExists`.',
    message: ({ keyspace, table, existing }: NameInKeyspace) =>
      existing.collections.includes(table)
        ? `${table} is a collection of the keyspace ${keyspace}, and not a table.\nDelete it with deleteCollection.`
        : `The keyspace ${keyspace} has no table "${table}".${nearestHint(table, existing.tables)}\n` +
          `Its tables: ${listed(existing.tables)}.\nCheck the name, or set the option "ifExists".`,
  }),
  MISSING_ALTER_TABLE_OPERATIONS: entry({
    title: 'Nothing to alter',
    when: 'alterTable has no operation, or the operation has no columns.',
    message: (p: { operations: readonly string[] }) =>
      `The command does not change the table.\nUse one of these operations with at least one column: ${listed(p.operations)}.`,
  }),
  MISSING_DIMENSION_IN_VECTOR_COLUMN: entry({
    title: 'Vector dimension missing',
    when: 'The definition of a vector column without a service has no `dimension`.',
    message: (p: { column: string; maxDimension: number }) =>
      `The vector column ${p.column} has no dimension.\nAdd a "dimension" from 1 to ${p.maxDimension}.`,
  }),
  MISSING_PARTITION_COLUMNS: entry({
    title: 'Partition columns missing',
    when: 'The primary key has no partition column.',
    message: (p: { columns: readonly string[] }) =>
      `The primary key needs at least one column in "partitionBy".\nColumns of the definition: ${listed(p.columns)}.`,
  }),
  UNKNOWN_COLLECTION_OR_TABLE: entry({
    title: 'Table or collection unknown',
    when: 'The path names neither a table nor a collection of the keyspace. Or deleteCollection names a table.',
    message: ({ keyspace, table, existing, hasCollections, isToDelete }: UnknownName) => {
      if (isToDelete)
        return `${table} is a table of the keyspace ${keyspace}, and not a collection.\nDrop it with dropTable.`;
      const [kinds, commands] = hasCollections
        ? ['table or collection', 'the table with createTable or the collection with createCollection']
        : ['table', 'the table with createTable'];
      const hint = nearestHint(table, [...existing.tables, ...existing.collections]);
      return (
        `The keyspace ${keyspace} has no ${kinds} "${table}".${hint}\n${listedNames(existing)}\n` +
        `Check the path, or create ${commands}.`
      );
    },
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
      `There is no keyspace "${p.keyspace}".${nearestHint(p.keyspace, p.existing)}\n` +
      `Keyspaces: ${listed(p.existing)}.\n` +
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
    message: ({ column, type, known, withParts, example }: UnknownScalarType) =>
      example === undefined
        ? `The column ${column} has the unknown type "${type}".\nTypes in string form: ${listed(known)}.\n` +
          `Types in object form, {"type": …}: also ${listed(withParts)}.`
        : `The type "${type}" of the column ${column} has parts, which a string cannot name.\n` +
          `Give it in object form: ${example}`,
  }),
  UNSUPPORTED_DATA_TYPE_TABLE_CREATION: entry({
    title: 'Column types not supported in createTable',
    when: 'createTable uses a type that can only be read in existing tables (timeuuid, counter, varchar) or is not supported by this version (user-defined).',
    message: (p: { columns: readonly string[]; supported: readonly string[] }) =>
      `Tables cannot be created with these columns: ${listed(p.columns)}.\nTypes for new tables: ${listed(p.supported)}.`,
  }),
  UNSUPPORTED_LIST_DEFINITION: entry({
    title: 'List definition not supported',
    when: 'The `valueType` of a list is missing or is not a scalar type that new columns can have.',
    message: elementProblem('list'),
  }),
  UNSUPPORTED_MAP_DEFINITION: entry({
    title: 'Map definition not supported',
    when: 'The `keyType` of a map is missing or is neither text nor ascii, or its `valueType` is missing or is not a scalar type that new columns can have.',
    message: (p: {
      column: string;
      keyType: string;
      valueType: string;
      supportedKeys: readonly string[];
      supportedValues: readonly string[];
    }) =>
      `The column ${p.column} cannot be a map with the key type ${p.keyType} and the value type ${p.valueType}.\n` +
      `Key types: ${listed(p.supportedKeys)}.\nValue types: ${listed(p.supportedValues)}.`,
  }),
  UNSUPPORTED_PRIMARY_KEY_TYPES: entry({
    title: 'Column types not supported in the primary key',
    when: 'A column of the primary key has a type that cannot be a key, such as duration, vector, list, set or map.',
    message: (p: { columns: readonly string[]; supported: readonly string[] }) =>
      `These columns cannot be in the primary key: ${listed(p.columns)}.\nTypes for keys: ${listed(p.supported)}.`,
  }),
  UNSUPPORTED_SET_DEFINITION: entry({
    title: 'Set definition not supported',
    when: 'The `valueType` of a set is missing, or is duration or not a scalar type that new columns can have.',
    message: elementProblem('set'),
  }),
  UNSUPPORTED_VECTOR_DIMENSION: entry({
    title: 'Vector dimension not supported',
    when: 'The `dimension` of a vector column is not a whole number from 1 to 8192; or it is 1, and the metric of a vector index is `cosine`.',
    message: (p: { column: string; problem: string; least: number; most: number }) =>
      `The dimension of the vector column ${p.column} is not supported: ${p.problem}.\n` +
      `The dimension must be a whole number from ${p.least} to ${p.most}.`,
  }),
  UNSUPPORTED_SCHEMA_NAME: entry({
    title: 'Name not supported',
    when: 'The name of a new keyspace, table or index has characters other than letters, digits and underscore, or is too long; or the name of a new column begins with `$`.',
    message: (p: { kind: string; name: string; rule: string }) =>
      `"${p.name}" cannot be the name of ${p.kind === 'index' ? 'an' : 'a'} ${p.kind}.\n${p.rule}.`,
  }),
} as const;
