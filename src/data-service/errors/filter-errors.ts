// Errors about filters and sorts.
import {
  counted,
  entry,
  forTextIndexes,
  listed,
  listedColumns,
  type NamedColumn,
  unknownColumns,
} from './error-entry.js';

/** Family REQUEST, scope FILTER. */
export const filterErrors = {
  CANNOT_LEXICAL_FILTER_NON_INDEXED_COLUMNS: entry({
    title: 'Text search needs a text index',
    when: '`$match` on a column without a text index; in the extended dialect only on columns of the types text and ascii.',
    message: (p: { column: NamedColumn; indexed: readonly NamedColumn[] }) =>
      `The operator $match needs a text index on ${listedColumns([p.column])}.\n` +
      `Columns with a text index: ${listedColumns(p.indexed)}.\nUse $eq or $in instead, or createTextIndex, which needs ${forTextIndexes}.`,
  }),
  FILTER_FIELDS_LIMIT_VIOLATION: entry({
    title: 'Too many comparisons in the filter',
    when: 'A filter has more than 64 comparisons.',
    message: (p: { count: number; limit: number }) =>
      `The filter has ${p.count} comparisons; at most ${p.limit} are allowed.\nSplit the command into several.`,
  }),
  FILTER_INVALID_EXPRESSION: entry({
    title: 'Filter expression not well-formed',
    when: 'The operand of an operator has the wrong form: something other than an array for `$in`, more than 100 values, an empty `$and`, an array as a value …',
    message: (p: { problem: string }) =>
      `The filter is not valid: ${p.problem}.\nCorrect the filter and send the command again.`,
  }),
  FILTER_UNSUPPORTED_DATA_TYPE: entry({
    title: 'Filter value of an unsupported kind',
    when: 'A value is a JSON object that is neither an operator nor an extended value. On a collection: the filter is not an object, an element of `$and` or `$or` is an array, or `$ne` or `$nin` on `_id` has something other than strings and numbers.',
    message: (p: { at: string } | { problem: string }) =>
      'problem' in p
        ? `The filter is not possible: ${p.problem}.\nCorrect the filter and send the command again.`
        : `The filter compares "${p.at}" with a JSON object.\n` +
          `Use a string, a number, a boolean or an extended value such as {"$binary": "…"}.`,
  }),
  FILTER_UNSUPPORTED_OPERATOR: entry({
    title: 'Filter operator unknown',
    when: 'The filter has a member whose name begins with `$` and that is not an operator there. Some operators apply to a column or a path, others combine filters.',
    message: (p: {
      operator: string;
      place: string;
      onColumns: readonly string[];
      aroundFilters: readonly string[];
    }) =>
      `"${p.operator}" is not a filter operator ${p.place}.\n` +
      `On a column or path: ${listed(p.onColumns)}. Around filters: ${listed(p.aroundFilters)}.`,
  }),
  INVALID_FILTER_COLUMN_VALUES: entry({
    title: 'Filter value does not fit the column',
    when: 'A value in the filter cannot be converted to the type of its column.',
    message: (p: { column: NamedColumn; reason: string }) =>
      `The filter compares ${listedColumns([p.column])} with a value that does not fit its type.\nCause: ${p.reason}.`,
  }),
  INVALID_FILTER_EXPRESSION: entry({
    title: 'Filter operation not possible on the column',
    when: 'The type of the column does not support the operation: any operation on a vector, list, set or map column (in the extended dialect lists, sets and maps take `$in`, `$nin` and `$all`, without null, and `$match` is refused on columns without text); a range on a duration; null, `$exists`, `$size` or `$all` on a scalar column.',
    message: (p: { column: NamedColumn; problem: string }) =>
      `The filter on ${listedColumns([p.column])} is not possible: ${p.problem}.`,
  }),
  INVALID_MAP_SET_LIST_FILTER: entry({
    title: 'Filter on a list, set or map not well-formed',
    when: 'The filter on a list, set or map has something other than `$in`, `$nin` or `$all` with an array; on a map also under `$keys` and `$values`, and without them with `[key, value]` arrays.',
    message: (p: {
      column: NamedColumn;
      problem: string;
      operators: readonly string[];
      parts: readonly string[];
    }) =>
      `The filter on ${listedColumns([p.column])} is not valid: ${p.problem}.\n` +
      `Use one of ${listed(p.operators)} with an array` +
      (p.parts.length === 0
        ? '.'
        : ` of [key, value] arrays, or with an array of keys or values under one of ${listed(p.parts)}.`),
  }),
  INVALID_PRIMARY_KEY_FILTER: entry({
    title: 'Filter selects no key, partition or slice',
    when: 'The filter of deleteMany does not restrict all partition columns, skips a clustering column, or uses an operator that cannot select a slice.',
    message: (p: {
      partitionKey: readonly NamedColumn[];
      clustering: readonly NamedColumn[];
      problem: string;
    }) =>
      `The filter does not select rows by their primary key: ${p.problem}.\n` +
      `Restrict every partition column (${listedColumns(p.partitionKey)}) with $eq or $in. ` +
      `Restrict the clustering columns (${listedColumns(p.clustering)}) in their order, without a gap; only the last one restricted may have a range.`,
  }),
  MISSING_FILTER_FOR_UPDATE_DELETE: entry({
    title: 'Filter missing',
    when: 'updateOne or deleteOne has an empty filter.',
    message: (p: { primaryKey: readonly NamedColumn[] }) =>
      `The command needs a filter that selects one row.\nFilter on the primary key: ${listedColumns(p.primaryKey)}.`,
  }),
  MISSING_FULL_PRIMARY_KEY_FOR_UPDATE_DELETE: entry({
    title: 'Primary key incomplete in the filter',
    when: 'The filter of updateOne or deleteOne lacks a column of the primary key.',
    message: (p: { primaryKey: readonly NamedColumn[]; missing: readonly NamedColumn[] }) =>
      `The filter must have every column of the primary key: ${listedColumns(p.primaryKey)}.\nMissing: ${listedColumns(p.missing)}.`,
  }),
  UNKNOWN_TABLE_COLUMNS: entry({
    title: 'Columns unknown in the table',
    when: 'A filter names columns that the table does not have.',
    message: unknownColumns('The filter has'),
  }),
  UNSUPPORTED_COLUMN_TYPES: entry({
    title: 'Columns that cannot be filtered on',
    when: 'The filter of a read names a frozen, static, tuple or user-defined column.',
    message: (p: { table: string; columns: readonly NamedColumn[] }) =>
      `The filter has columns of the table ${p.table} that commands cannot read: ${listedColumns(p.columns)}.\n` +
      'Remove them from the filter.',
  }),
  UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE: entry({
    title: 'Only equality can select one row',
    when: 'The filter of updateOne or deleteOne uses an operator other than `$eq`, or restricts a column twice.',
    message: (p: { operators: readonly string[] }) =>
      `The filter must compare every column of the primary key once, with $eq.\nNot allowed here: ${listed(p.operators)}.`,
  }),
  UNSUPPORTED_NON_PRIMARY_KEY_FILTER_FOR_UPDATE_DELETE: entry({
    title: 'Filter on other columns than the primary key',
    when: 'The filter of an update or delete names a column outside the primary key.',
    message: (p: { primaryKey: readonly NamedColumn[]; columns: readonly NamedColumn[] }) =>
      `The filter may only have columns of the primary key: ${listedColumns(p.primaryKey)}.\nOther columns: ${listedColumns(p.columns)}.`,
  }),
} as const;

/** Family REQUEST, scope SORT. */
export const sortErrors = {
  CANNOT_SORT_UNKNOWN_COLUMNS: entry({
    title: 'Sort columns unknown in the table',
    when: 'A sort names columns that the table does not have.',
    message: unknownColumns('The sort has'),
  }),
  CANNOT_LEXICAL_SORT_NON_INDEXED_COLUMNS: entry({
    title: 'Text search needs a text index',
    when: 'A sort gives a text for a text column without a text index.',
    message: (p: { column: NamedColumn; indexed: readonly NamedColumn[] }) =>
      `The sort gives a text for ${listedColumns([p.column])}, which needs a text index.\n` +
      `Columns with a text index: ${listedColumns(p.indexed)}.\nSort with 1 (ascending) or -1 (descending), or createTextIndex, which needs ${forTextIndexes}.`,
  }),
  CANNOT_LEXICAL_SORT_WITH_SKIP_OPTION: entry({
    title: 'Skip not supported by text search',
    when: 'find with a text search has the option `skip`.',
    message: (_: object) =>
      'A text search does not support the option "skip".\nUse a higher limit and ignore the first rows of the reply.',
  }),
  CANNOT_SORT_ON_SPECIAL_WITH_OTHERS: entry({
    title: 'Search cannot be combined with a sort',
    when: 'A sort has a vector or a text for one column, and the sort has other columns, too.',
    message: (p: { byVector: readonly string[]; byText: readonly string[]; regular: readonly string[] }) =>
      `A sort that searches by vector or text must have only one column.\n` +
      `Searched by vector: ${listed(p.byVector)}.\n` +
      `Searched by text: ${listed(p.byText)}.\nSorted: ${listed(p.regular)}.`,
  }),
  CANNOT_VECTOR_SORT_NON_VECTOR_COLUMNS: entry({
    title: 'Vector search needs a vector column',
    when: 'A sort gives a vector for a column of another type.',
    message: (p: { column: NamedColumn }) =>
      `The sort gives a vector for ${listedColumns([p.column])}, which is not a vector column.\nSort with 1 (ascending) or -1 (descending).`,
  }),
  CANNOT_VECTORIZE_SORT_NON_VECTOR_COLUMN: entry({
    title: 'Search by text needs a vector or text column',
    when: 'A sort gives a text for a column of another type.',
    message: (p: { column: NamedColumn }) =>
      `The sort gives a text for ${listedColumns([p.column])}, which is neither a vector column nor a text column.\nSort with 1 (ascending) or -1 (descending).`,
  }),
  CANNOT_VECTOR_SORT_NON_INDEXED_VECTOR_COLUMNS: entry({
    title: 'Vector search needs a vector index',
    when: 'A sort gives a vector for a vector column without an index.',
    message: (p: { column: NamedColumn; indexed: readonly NamedColumn[] }) =>
      `The sort searches ${listedColumns([p.column])}, which has no vector index.\n` +
      `Columns with a vector index: ${listedColumns(p.indexed)}.\nCreate an index with createVectorIndex.`,
  }),
  CANNOT_VECTOR_SORT_ON_MISMATCHED_VECTOR_DIMENSIONS: entry({
    title: 'Vector dimension differs from the column',
    when: 'A sort gives a vector whose dimension is not that of the column.',
    message: (p: { column: NamedColumn; actualDimension: number; providedDimension: number }) =>
      `The sort searches ${listedColumns([p.column])} for a vector of ${counted(p.providedDimension, 'element')}.\n` +
      `The vectors of that column have ${p.actualDimension}.`,
  }),
  CANNOT_VECTOR_SORT_WITH_LIMIT_EXCEEDS_MAX: entry({
    title: 'Limit of a vector search too high',
    when: 'find with a vector search has a `limit` over 1000.',
    message: (p: { limit: number; maxLimit: number }) =>
      `A vector search returns at most ${p.maxLimit} rows, but the limit is ${p.limit}.\nLower the limit.`,
  }),
  CANNOT_VECTOR_SORT_WITH_SKIP_OPTION: entry({
    title: 'Skip not supported by vector search',
    when: 'find with a vector search has the option `skip`.',
    message: (_: object) =>
      'A vector search does not support the option "skip".\nUse a higher limit and ignore the first rows of the reply.',
  }),
  CANNOT_VECTORIZE_SORT_WHEN_MISSING_VECTORIZE_DEFINITION: entry({
    title: 'Search by text needs an embedding service',
    when: 'A sort gives a text for a vector column that has no embedding service.',
    message: (p: { column: NamedColumn }) =>
      `The sort searches ${listedColumns([p.column])} for a text, but the column has no embedding service.\n` +
      'Search for a vector: an array of numbers, or {"$binary": "<base64 of big-endian floats>"}.',
  }),
  INVALID_VECTOR_SORT_EXPRESSION: entry({
    title: 'Vector to search for not valid',
    when: 'A sort gives a vector column something other than a vector or a text, a vector with an element that is not a finite 32-bit float, or a zero vector when the metric of the index is `cosine`.',
    message: (p: { column: NamedColumn; problem: string }) =>
      `The sort of ${listedColumns([p.column])} is not possible: ${p.problem}.`,
  }),
  SORT_CLAUSE_VALUE_INVALID: entry({
    title: 'Value of a sort not usable',
    when: 'The `$binary` of a sort is not the base64 form of 32-bit floats, or the text of a text search has no words, or too many. On a collection: the value at a path is not 1 or -1, or the value of `$vector`, `$vectorize` or `$lexical` cannot be searched for.',
    message: (p: { column: NamedColumn; problem: string } | { path: string; problem: string }) =>
      'path' in p
        ? `The sort has a value for "${p.path}" that cannot be used: ${p.problem}.`
        : `The sort of ${listedColumns([p.column])} has a value that cannot be searched for: ${p.problem}.`,
  }),
  INVALID_REGULAR_SORT_EXPRESSION: entry({
    title: 'Sort direction not valid',
    when: 'A sort gives something other than 1 or -1 for a column, or names a list, set or map column.',
    message: (p: { column: NamedColumn; problem: string }) =>
      `The sort of ${listedColumns([p.column])} ${p.problem}.`,
  }),
  OVERLOADED_SORT_ROW_LIMIT: entry({
    title: 'Too many rows to sort',
    when: 'A sort in memory found more than 10,000 rows or more than 64 MiB of rows, or the rows that a vector search found are larger than 32 MiB.',
    message: (p: { limit: number; isSearch: boolean }) =>
      p.isSearch
        ? 'The rows that the search found are larger than 32 MiB, the limit of a reply.\n' +
          'Exclude large columns with a projection, or request fewer rows with "limit".'
        : `The command must sort more than ${p.limit} rows, or more than 64 MiB of rows, in memory.\n` +
          'Narrow the filter or the projection, or sort by clustering columns inside one partition.',
  }),
  UNSUPPORTED_PAGINATION_WITH_IN_MEMORY_SORTING: entry({
    title: 'Rows sorted in memory have no pages',
    when: 'A page state was sent with a sort that is done in memory.',
    message: (_: object) =>
      'Rows that are sorted in memory come in one reply, without pages.\nRemove the page state and use "skip" and "limit" instead.',
  }),
  UNSUPPORTED_SORT_FOR_TABLE_DELETE_COMMAND: entry({
    title: 'Sort not supported by delete',
    when: 'deleteOne has a sort.',
    message: (_: object) =>
      'deleteOne does not support a sort on tables.\nSelect the row by its primary key in the filter.',
  }),
  UNSUPPORTED_SORT_FOR_TABLE_UPDATE_COMMAND: entry({
    title: 'Sort not supported by update',
    when: 'updateOne has a sort.',
    message: (_: object) =>
      'updateOne does not support a sort on tables.\nSelect the row by its primary key in the filter.',
  }),
} as const;
