// Warnings: given beside a result, in status.warnings.
import { entry, listedColumns, type NamedColumn } from './error-entry.js';

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
      `The filter does not restrict the primary key from its first column on, so many rows may be read.\n` +
      `The primary key is: ${listedColumns(p.primaryKey)}.\nMissing: ${listedColumns(p.missing)}.`,
  }),
  MISSING_INDEX: entry({
    title: 'Filter without an index',
    when: 'A read filters on columns without an index.',
    message: (p: { columns: readonly NamedColumn[] }) =>
      `The filter is on columns without an index, so many rows may be read: ${listedColumns(p.columns)}.`,
  }),
  ZERO_FILTER_OPERATIONS: entry({
    title: 'Read without a filter',
    when: 'find or findOne has no filter.',
    message: (p: { table: string }) =>
      `The read of the table ${p.table} has no filter, so all rows may be read.`,
  }),
} as const;
