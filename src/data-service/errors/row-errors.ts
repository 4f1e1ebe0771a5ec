// Errors about the columns and values of inserts, updates and projections.
import { entry, listed, listedColumns, type NamedColumn, unknownColumns } from './error-entry.js';

/** A column, and why its value is not accepted. */
export interface InvalidColumn extends NamedColumn {
  /** The reason of its type. */
  readonly reason: string;
}

const textsWithoutService = (p: { columns: readonly NamedColumn[] }) =>
  `The command has texts for vector columns without an embedding service: ${listedColumns(p.columns)}.\n` +
  'Write vectors: an array of numbers, or {"$binary": "<base64 of big-endian floats>"}.';

const invalidValues = (subject: string) => (p: { table: string; invalidColumns: readonly InvalidColumn[] }) =>
  `${subject} values that do not fit the columns of the table ${p.table}.\n` +
  p.invalidColumns
    .map((column) => `${column.name}(${column.type.label ?? column.type.name}) - Cause: ${column.reason}.`)
    .join('\n') +
  '\nCorrect the values and send the command again.';

const unsupportedColumns = (use: string) => (p: { table: string; columns: readonly NamedColumn[] }) =>
  `${use} columns of the table ${p.table} with types that the command does not support: ` +
  `${listedColumns(p.columns)}.\n` +
  'Remove them from the command. Native queries can read or write some of them.';

/** Family REQUEST, scope DOCUMENT: a row to insert. */
export const documentErrors = {
  UNKNOWN_TABLE_COLUMNS: entry({
    title: 'Columns unknown in the table',
    when: 'A row to insert has members that are not columns of the table.',
    message: unknownColumns('The row has'),
  }),
  INVALID_COLUMN_VALUES: entry({
    title: 'Values do not fit their columns',
    when: 'A value of a row to insert does not match the type of its column. All such columns are named.',
    message: invalidValues('The row has'),
  }),
  UNSUPPORTED_COLUMN_TYPES: entry({
    title: 'Columns that cannot be inserted',
    when: 'A row to insert names a frozen, static, tuple or user-defined column, or the table has counters.',
    message: unsupportedColumns('The row writes'),
  }),
  MISSING_PRIMARY_KEY_COLUMNS: entry({
    title: 'Primary key columns missing',
    when: 'A row to insert has no value, or null, for a column of the primary key.',
    message: (p: { primaryKey: readonly NamedColumn[]; missing: readonly NamedColumn[] }) =>
      `The row has no value for columns of the primary key: ${listedColumns(p.missing)}.\n` +
      `The primary key is: ${listedColumns(p.primaryKey)}.\nAdd a value for each of them and send the command again.`,
  }),
  SHRED_DOC_LIMIT_VIOLATION: entry({
    title: 'Limit of a document exceeded',
    when:
      'A number literal has more than 100 characters, or a number has more than 200,000 digits without an exponent. ' +
      'Or a row would take more than 20 MiB of storage after the insert or update. ' +
      'Or a body has more than 4,000,000 values, or more than 1,000,000 objects and arrays.',
    message: (p: { problem: string }) =>
      `A limit is exceeded: ${p.problem}.\nChange the command to stay within the limit.`,
  }),
  UNSUPPORTED_VECTORIZE_CONFIGURATIONS: entry({
    title: 'One key for several providers',
    when: 'A command has a key in its header and texts for columns of several providers, and each provider needs a key.',
    message: (p: { providers: readonly string[] }) =>
      `The key in the header cannot be sent to several providers: ${listed(p.providers)}.\n` +
      'Use a separate command for the columns of each provider, or use credentials of the key store.',
  }),
  UNSUPPORTED_VECTORIZE_WHEN_MISSING_VECTORIZE_DEFINITION: entry({
    title: 'Text for a vector column without service',
    when: 'A row to insert has a text for a vector column that has no embedding service.',
    message: textsWithoutService,
  }),
} as const;

/** Family REQUEST, scope UPDATE. */
export const updateErrors = {
  UNKNOWN_TABLE_COLUMNS: entry({
    title: 'Columns unknown in the table',
    when: 'An update has members that are not columns of the table. Dotted paths are not columns.',
    message: unknownColumns('The update has'),
  }),
  INVALID_COLUMN_VALUES: entry({
    title: 'Values do not fit their columns',
    when: 'A value in `$set`, `$push` or `$pullAll` does not match the type of its column. All such columns are named.',
    message: invalidValues('The update has'),
  }),
  INVALID_PUSH_OPERATOR_USAGE: entry({
    title: 'Operand of $push not well-formed',
    when: '`$push` has an array without `$each`, a `$each` without an array, or for a map something other than one entry.',
    message: (p: { column: NamedColumn; problem: string }) =>
      `$push cannot be applied to ${listedColumns([p.column])}: ${p.problem}.`,
  }),
  MISSING_UPDATE_OPERATIONS: entry({
    title: 'Nothing to update',
    when: 'The update has no column.',
    message: (p: { supported: readonly string[] }) =>
      `The update does not change any column.\nUse at least one of ${listed(p.supported)} with a column.`,
  }),
  UNSUPPORTED_COLUMN_TYPES: entry({
    title: 'Columns that cannot be updated',
    when: 'An update changes a frozen, static, tuple or user-defined column.',
    message: unsupportedColumns('The update changes'),
  }),
  UNSUPPORTED_OVERLAPPING_UPDATE_OPERATIONS: entry({
    title: 'A column is assigned twice',
    when: 'More than one operator changes the same column.',
    message: (p: { columns: readonly NamedColumn[] }) =>
      `Columns are changed by more than one operator: ${listedColumns(p.columns)}.\nUse each column in one operator only.`,
  }),
  UNSUPPORTED_UPDATE_DATA_TYPE: entry({
    title: 'Operator takes an object',
    when: 'The value of an update operator is not an object of columns, or the update of documents is not an object.',
    message: (p: { operator: string; found: string } | { found: string }) =>
      'operator' in p
        ? `The update operator ${p.operator} needs an object of names and values, but has: ${p.found}.\n` +
          `Example: {"${p.operator}": {"name": …}}`
        : `The update must be an object of operators, but is ${p.found}.\nExample: {"$set": {"name": …}}`,
  }),
  UNSUPPORTED_UPDATE_FOR_PRIMARY_KEY_COLUMNS: entry({
    title: 'Primary key columns cannot be updated',
    when: 'An update changes a column of the primary key.',
    message: (p: { columns: readonly NamedColumn[]; primaryKey: readonly NamedColumn[] }) =>
      `Columns of the primary key cannot change: ${listedColumns(p.columns)}.\n` +
      `The primary key is: ${listedColumns(p.primaryKey)}.\nDelete the row and insert it with the new key instead.`,
  }),
  UNSUPPORTED_UPDATE_OPERATION: entry({
    title: 'Update operator unknown',
    when: 'The update has a member that is not an update operator.',
    message: (p: { operator: string; supported: readonly string[]; kind?: 'collections' }) =>
      `"${p.operator}" is not an update operator.\nOperators for ${p.kind ?? 'tables'}: ${listed(p.supported)}.`,
  }),
  UNSUPPORTED_UPDATE_OPERATIONS_FOR_TABLE: entry({
    title: 'Update operators not supported on tables',
    when: 'The update uses operators that exist for document collections only.',
    message: (p: { operators: readonly string[]; supported: readonly string[] }) =>
      `These update operators cannot be used on tables: ${listed(p.operators)}.\nOperators for tables: ${listed(p.supported)}.`,
  }),
  UNSUPPORTED_UPDATE_OPERATOR: entry({
    title: 'Update operator not supported by the column',
    when: 'The operator cannot be used on the type of the column: `$push` and `$pullAll` need a list, set or map column that is not frozen, and no operator can be used on a counter.',
    message: (p: { operator: string; columns: readonly NamedColumn[]; possible: readonly string[] }) =>
      `The update operator ${p.operator} cannot be used on: ${listedColumns(p.columns)}.\nOperators for them: ${listed(p.possible)}.`,
  }),
  UNSUPPORTED_VECTORIZE_WHEN_MISSING_VECTORIZE_DEFINITION: entry({
    title: 'Text for a vector column without service',
    when: '`$set` has a text for a vector column that has no embedding service.',
    message: textsWithoutService,
  }),
} as const;

/** Family REQUEST, scope PROJECTION. */
export const projectionErrors = {
  UNKNOWN_TABLE_COLUMNS: entry({
    title: 'Columns unknown in the table',
    when: 'A projection selects no column that the table has.',
    message: unknownColumns('The projection has only'),
  }),
  UNSUPPORTED_COLUMN_TYPES: entry({
    title: 'Columns that cannot be read',
    when: 'A projection selects a frozen, static, tuple or user-defined column by its name.',
    message: unsupportedColumns('The read needs'),
  }),
  UNSUPPORTED_PROJECTION_DEFINITION: entry({
    title: 'Projection is not an object',
    when: 'The projection is an array with elements. On a collection: it is not an object.',
    message: (p: { found: string }) =>
      `The projection must be an object of names to include (1) or exclude (0), but is ${p.found}.\n` +
      'Example: {"age": 1} or {"age": 0}',
  }),
  UNSUPPORTED_PROJECTION_PARAM: entry({
    title: 'Projection parameter not supported',
    when: 'A projection both includes and excludes columns, is nested, has an empty name, or has `*` together with other names.',
    message: (p: { problem: string }) =>
      `The projection is not valid: ${p.problem}.\nUse {"column": 1} to include columns, or {"column": 0} to exclude columns, but not both.`,
  }),
} as const;
