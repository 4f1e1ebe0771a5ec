// Warnings in status.warnings of replies.
import { entry, listedColumns, type NamedColumn } from './error-entry.js';

interface SortedColumns {
  readonly columns: readonly NamedColumn[];
  readonly clustering: readonly NamedColumn[];
  /** The maximum number of rows in a reply. */
  readonly most: number;
}

function sortedInMemory<More extends object>(reason: (p: More) => string) {
  return (p: SortedColumns & More) =>
    `The rows were sorted in memory by ${listedColumns(p.columns)}, because ${reason(p)}.\n` +
    `A reply has at most ${p.most} rows. Use "skip" to get the next rows.\n` +
    `The clustering columns are: ${listedColumns(p.clustering)}.`;
}

function notServed(use: string) {
  return (p: { columns: readonly NamedColumn[] }) =>
    `The indexes on these columns do not support ${use}, so the read may scan many rows: ${listedColumns(p.columns)}.`;
}

/** Family REQUEST, scope WARNING. */
export const warnings = {
  DEPRECATED_COMMAND: entry({
    title: 'Command deprecated',
    when: 'createNamespace, dropNamespace or findNamespaces was used.',
    message: (p: { command: string; replacement: string }) =>
      `The command ${p.command} is deprecated.\nUse ${p.replacement} instead.`,
  }),
  INCOMPLETE_PRIMARY_KEY_FILTER: entry({
    title: 'Primary key incomplete in the filter',
    when: 'A read filters on key columns only, but not on all partition columns, or skips a clustering column.',
    message: (p: { primaryKey: readonly NamedColumn[]; missing: readonly NamedColumn[] }) =>
      `The filter does not restrict the columns of the primary key in their order, so the read may scan many rows.\n` +
      `The primary key is: ${listedColumns(p.primaryKey)}.\nMissing: ${listedColumns(p.missing)}.`,
  }),
  IN_MEMORY_SORTING_DUE_SKIP_OPTIONS: entry({
    title: 'Sorted in memory because of "skip"',
    when: 'A sort with the option `skip`.',
    message: sortedInMemory(() => 'rows are skipped'),
  }),
  IN_MEMORY_SORTING_DUE_TO_NON_PARTITION_SORTING: entry({
    title: 'Sorted in memory because of other columns',
    when: 'A sort by columns that are not clustering columns.',
    message: sortedInMemory(() => 'not all of them are clustering columns'),
  }),
  IN_MEMORY_SORTING_DUE_TO_OUT_OF_ORDER_PARTITION_SORTING: entry({
    title: 'Sorted in memory because of the order of columns',
    when: 'A sort by clustering columns in a different order, or with directions that are neither those of the table nor all reversed.',
    message: sortedInMemory(
      () => 'they are not the first clustering columns in their order or in the reverse order',
    ),
  }),
  IN_MEMORY_SORTING_DUE_TO_PARTITION_KEY_NOT_RESTRICTED: entry({
    title: 'Sorted in memory because no partition is selected',
    when: 'A sort by clustering columns without a filter that selects one partition.',
    message: sortedInMemory(
      (p: { partitionKey: readonly NamedColumn[] }) =>
        `the filter does not select one partition (${listedColumns(p.partitionKey)})`,
    ),
  }),
  EQUALITY_FILTER_UNSUPPORTED_BY_INDEXING: entry({
    title: 'Equality not supported by the index',
    when: 'On a cluster, `$eq` or `$in` on a text column whose index folds texts, unless all texts of the filter have letters of common languages alone, and the index does not have the option `ascii`.',
    message: notServed('this comparison of folded texts'),
  }),
  COMPARISON_FILTER_UNSUPPORTED_BY_INDEXING: entry({
    title: 'Range not fully supported by the index',
    when: '`$gt`, `$gte`, `$lt` or `$lte` on an indexed text, ascii, boolean or uuid column.',
    message: notServed('ranges'),
  }),
  NOT_EQUALS_UNSUPPORTED_BY_INDEXING: entry({
    title: 'Inequality not supported by the index',
    when: '`$ne` on an indexed text, ascii, boolean or uuid column.',
    message: notServed('$ne'),
  }),
  NOT_IN_FILTER_UNSUPPORTED_BY_INDEXING: entry({
    title: 'Exclusion not supported by the index',
    when: '`$nin` on an indexed text, ascii, boolean or uuid column.',
    message: notServed('$nin'),
  }),
  INDEX_BEING_BUILT: entry({
    title: 'Index not built yet',
    when: 'listIndexes lists an index that does not have all rows yet.',
    message: (p: { indexes: readonly string[] }) =>
      `Still being built: ${p.indexes.join(', ')}.\nUntil then, a search by words is refused with UNAVAILABLE_DATABASE, and filters read more rows.`,
  }),
  MISSING_INDEX: entry({
    title: 'Filter without an index',
    when: 'A read filters on columns without an index.',
    message: (p: { columns: readonly NamedColumn[] }) =>
      `The filter has columns without an index, so the read may scan many rows: ${listedColumns(p.columns)}.`,
  }),
  TEXTS_CUT_BY_MODEL: entry({
    title: 'Texts longer than the model reads',
    when: 'A local model read the beginning of a text only, because the text has more tokens than the model takes.',
    message: (p: { provider: string; model: string; count: number; mostTokens: number }) =>
      `The model ${p.model} of the provider ${p.provider} reads ${p.mostTokens} tokens of a text, and ${p.count} ` +
      `${p.count === 1 ? 'text has' : 'texts have'} more. What is behind them was stored, but searches by meaning ` +
      `do not find it, and rankings do not know it.\nSplit long texts into passages.`,
  }),
  UNSUPPORTED_COLUMN_TYPES: entry({
    title: 'Columns that cannot be read are left out',
    when: 'A read without a projection, or with a projection that only excludes columns, on a table with frozen, static, tuple or user-defined columns.',
    message: (p: { columns: readonly NamedColumn[] }) =>
      `The rows do not have these columns, because commands cannot read their types: ${listedColumns(p.columns)}.`,
  }),
  ZERO_FILTER_OPERATIONS: entry({
    title: 'Read without a filter',
    when: 'find or findOne has no filter.',
    message: (p: { table: string }) =>
      `The read of the table ${p.table} has no filter, so it may scan all rows.`,
  }),
} as const;
