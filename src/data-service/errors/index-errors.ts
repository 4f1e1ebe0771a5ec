// Errors about indexes and about features that this server does not have.
import { entry, forTextIndexes, listed, listedColumns, type NamedColumn } from './error-entry.js';

interface ExistingIndex {
  readonly name: string;
  /** The name of the existing index, which is on `column` of `table`. */
  readonly existing: string;
  readonly column: NamedColumn;
  readonly table: string;
  /** Whether the index that exists is still being built. */
  readonly isBuilding: boolean;
}

/** Part of the family REQUEST, scope SCHEMA. */
export const indexErrors = {
  CANNOT_ADD_EXISTING_INDEX: entry({
    title: 'Index exists',
    when: 'createIndex names an index that exists in the keyspace, without `ifNotExists`, or a column, or the part of a list, set or map, that has one.',
    message: ({ name, existing, column, table, isBuilding }: ExistingIndex) => {
      const state = isBuilding ? ', which is still being built' : '';
      return (
        `The index ${name} cannot be created: ` +
        (name === existing
          ? `there is already an index ${name} on ${listedColumns([column])} of the table ${table}${state}.\n` +
            'Choose another name, drop that index first, or set the option "ifNotExists".'
          : `${listedColumns([column])} already has the index ${existing}${state}.\n` +
            'A column, or a part of it, can have one index. Keep it, or drop it first.')
      );
    },
  }),
  CANNOT_ANALYZE_ENTRIES_ON_MAP_COLUMNS: entry({
    title: 'Text options on the entries of a map',
    when: 'createIndex has `ascii`, `caseSensitive` or `normalize` for the entries of a map. Only in the extended dialect.',
    message: (p: { column: NamedColumn }) =>
      `An index on the entries of ${listedColumns([p.column])} takes no text options.\n` +
      'Leave them out, or index its "$keys" or "$values".',
  }),
  CANNOT_DROP_INDEXED_COLUMNS: entry({
    title: 'Indexed columns cannot be dropped',
    when: 'alterTable drops a column that has an index.',
    message: (p: { columns: readonly NamedColumn[]; indexes: readonly string[] }) =>
      `Columns with an index cannot be dropped: ${listedColumns(p.columns)}.\nDrop the indexes first: ${listed(p.indexes)}.`,
  }),
  CANNOT_DROP_UNKNOWN_INDEX: entry({
    title: 'Index to drop does not exist',
    when: 'dropIndex names no existing index, without `ifExists`.',
    message: (p: { keyspace: string; name: string; existing: readonly string[] }) =>
      `The keyspace ${p.keyspace} has no index "${p.name}".\nIts indexes: ${listed(p.existing)}.\n` +
      'Check the name, or set the option "ifExists".',
  }),
  INVALID_FORMAT_FOR_INDEX_CREATION_COLUMN: entry({
    title: 'Column of the index not well-formed',
    when: '`column` of createIndex is not the name of a column, nor an object with the name of a list, set or map and `$keys` or `$values`.',
    message: (p: { found: string }) =>
      `The column of an index must be a string, but is ${p.found}.\nOnly lists, sets and maps have parts ("$keys", "$values").`,
  }),
  INVALID_INDEX_DEFINITION: entry({
    title: 'Analyzer of a text index not valid',
    when: 'The `analyzer` of createTextIndex names an analyzer or a component that this server does not have, or has arguments that are not possible.',
    message: (p: { reason: string }) => `The analyzer of the text index is not valid: ${p.reason}.`,
  }),
  LEXICAL_FEATURE_NOT_ENABLED: entry({
    title: 'Text search not available',
    when: 'createTextIndex in the strict dialect.',
    message: (_: object) =>
      `This server does not have text search in tables: it needs ${forTextIndexes}.\nUse a regular index (createIndex) to find texts by equality.`,
  }),
  RERANKING_FEATURE_NOT_ENABLED: entry({
    title: 'Reranking not available',
    when: 'findRerankingProviders in the strict dialect on a server without collections.',
    message: (_: object) => 'This server does not have reranking.',
  }),
  UNKNOWN_INDEX_COLUMN: entry({
    title: 'Column of the index unknown',
    when: 'createIndex names a column that the table does not have.',
    message: (p: { column: string; allColumns: readonly NamedColumn[] }) =>
      `The table has no column "${p.column}".\nIts columns: ${listedColumns(p.allColumns)}.`,
  }),
  UNKNOWN_INDEX_TYPE: entry({
    title: 'Index type unknown',
    when: 'The value of `indexType` is not known.',
    message: (p: { given: string; known: readonly string[] }) =>
      `"${p.given}" is not a type of index.\nTypes: ${listed(p.known)}.`,
  }),
  UNKNOWN_VECTOR_SOURCE_MODEL: entry({
    title: 'Source model of a vector index unknown',
    when: 'The `sourceModel` of createVectorIndex is not known.',
    message: (p: { given: string; known: readonly string[] }) =>
      `"${p.given}" is not a source model.\nSource models: ${listed(p.known)}.`,
  }),
  UNSUPPORTED_INDEXING_FOR_DATA_TYPES: entry({
    title: 'Column cannot have an index',
    when: 'createIndex on the only partition column, on a column whose type cannot have a regular index (blob, duration, vector …), or in a table with counters.',
    message: (p: { column: NamedColumn; reason: string }) =>
      `The column ${listedColumns([p.column])} cannot have an index: ${p.reason}.`,
  }),
  UNSUPPORTED_INDEXING_FOR_FROZEN_COLUMN: entry({
    title: 'Frozen column cannot have an index',
    when: 'createIndex on a frozen list, set or map.',
    message: (p: { column: NamedColumn }) =>
      `The column ${listedColumns([p.column])} cannot have an index because it is frozen.`,
  }),
  UNSUPPORTED_INDEX_TYPE: entry({
    title: 'Index type belongs to another command',
    when: '`indexType` names a type that another command creates.',
    message: (p: { given: string; wanted: string }) =>
      `This command creates indexes of the type "${p.wanted}", not "${p.given}".\nLeave out "indexType", or use the other command.`,
  }),
  UNSUPPORTED_JSON_TYPE_FOR_TEXT_INDEX: entry({
    title: 'Analyzer of a text index of an unsupported kind',
    when: 'The `analyzer` of createTextIndex is neither a string nor an object.',
    message: (p: { found: string }) =>
      `The analyzer of a text index must be a string or an object, but is ${p.found}.`,
  }),
  UNSUPPORTED_TEXT_INDEX_FOR_DATA_TYPES: entry({
    title: 'Column cannot have a text index',
    when: 'createTextIndex on a column that is not a text column, or that is in the primary key, or with texts that are too long.',
    message: (p: { problem: string }) => `The text index cannot be created: ${p.problem}.`,
  }),
  UNSUPPORTED_VECTOR_INDEX_FOR_DATA_TYPES: entry({
    title: 'Column cannot have a vector index',
    when: 'createVectorIndex on a column that is not a vector column, or with the metric `cosine` on a column that contains zero vectors.',
    message: (p: { problem: string }) => `The vector index cannot be created: ${p.problem}.`,
  }),
  UNSUPPORTED_TEXT_ANALYSIS_FOR_DATA_TYPES: entry({
    title: 'Text options on a column without text',
    when: 'createIndex has `ascii`, `caseSensitive` or `normalize` for a column that is neither text nor ascii.',
    message: (p: { column: NamedColumn }) =>
      `The options "ascii", "caseSensitive" and "normalize" can be used on text and ascii columns only, not on ${listedColumns([p.column])}.`,
  }),
} as const;
