// The data of a text index in the file: which rows have a token, and statistics. Triggers keep both in the transaction
// of the row.
import type { Table, TextIndex } from '../../../schema/table.js';
import { sqlColumn, sqlPostings, sqlTable, sqlTextStatistics } from '../file/sql-names.js';
import { lengthBits } from '../file/text-functions.js';
import type { BuildSteps } from './build-steps.js';
import type { WriteStatement } from './write-statements.js';

/** The names of an index in the file, and the SQL of its tokens. */
export interface TextIndexNames {
  readonly table: string;
  readonly column: string;
  readonly postings: string;
  readonly statistics: string;
  /** The definition of the analyzer as a SQL literal. */
  readonly analyzer: string;
}

/** The names of an index. */
export function textIndexNames(table: Table, index: TextIndex): TextIndexNames {
  return {
    table: sqlTable(table),
    column: sqlColumn(index.column),
    postings: sqlPostings(table, index),
    statistics: sqlTextStatistics(table, index),
    // JSON has no control characters.
    analyzer: `'${index.analyzer.definition.replaceAll("'", "''")}'`,
  };
}

const triggerNames = ['insert', 'update', 'delete'] as const;

/**
 * Creates the postings, the statistics and the triggers. The rows that exist are added later, in steps
 * (`buildIndex`): up to the row `built` they are in the index, and the triggers ignore changes of the rows after it
 * up to `last`.
 */
export function createTextStatements(table: Table, index: TextIndex): readonly WriteStatement[] {
  const names = textIndexNames(table, index);
  const { column, postings, statistics } = names;
  const isKept = (row: string) =>
    `EXISTS (SELECT 1 FROM ${statistics} WHERE ${row}.row_id <= built OR ${row}.row_id > last)`;
  const trigger = (
    name: (typeof triggerNames)[number],
    event: string,
    condition: string,
    actions: readonly string[],
  ) =>
    once(
      `CREATE TRIGGER ${postings}_${name} AFTER ${event} ON ${names.table} WHEN ${condition} ` +
        `BEGIN ${actions.join('; ')}; END`,
    );
  const added = addedTokens(names, 'new');
  const removed = removedTokens(names, 'old');
  return [
    once(
      `CREATE TABLE ${postings} (token TEXT NOT NULL, row INTEGER NOT NULL, count INTEGER NOT NULL, ` +
        'length INTEGER NOT NULL, PRIMARY KEY (token, row)) WITHOUT ROWID',
    ),
    once(
      `CREATE TABLE ${statistics} AS SELECT 0 AS rows, 0 AS length, 0 AS built, ` +
        `coalesce(max(row_id), 0) AS last FROM ${names.table}`,
    ),
    trigger('insert', 'INSERT', `new.${column} IS NOT NULL`, added),
    trigger('update', `UPDATE OF ${column}`, `new.${column} IS NOT old.${column} AND ${isKept('new')}`, [
      ...removed,
      ...added,
    ]),
    trigger('delete', 'DELETE', `old.${column} IS NOT NULL AND ${isKept('old')}`, removed),
  ];
}

/** Drops all that `createTextStatements` created. */
export function dropTextStatements(table: Table, index: TextIndex): readonly WriteStatement[] {
  const { postings, statistics } = textIndexNames(table, index);
  const triggers = triggerNames.map((name) => once(`DROP TRIGGER ${postings}_${name}`));
  return [...triggers, once(`DROP TABLE ${postings}`), once(`DROP TABLE ${statistics}`)];
}

/** Empties the index before all rows are deleted, without analyzing their texts: the triggers then ignore the rows. */
export function beforeDeleteAll(table: Table, index: TextIndex): readonly WriteStatement[] {
  const { postings, statistics } = textIndexNames(table, index);
  return [
    once(`DELETE FROM ${postings}`),
    once(`UPDATE ${statistics} SET rows = 0, length = 0, built = -1, last = ${largestRow}`),
  ];
}

/** After all rows were deleted: the triggers work again. */
export function afterDeleteAll(table: Table, index: TextIndex): WriteStatement {
  return once(`UPDATE ${textIndexNames(table, index).statistics} SET built = 0, last = 0`);
}

const largestRow = '9223372036854775807';

/** The steps that add the rows that exist. */
export function textBuildSteps(table: Table, index: TextIndex): BuildSteps {
  const names = textIndexNames(table, index);
  const { statistics } = names;
  return {
    table: names.table,
    readProgress: `SELECT built, last FROM ${statistics}`,
    noteProgress: `UPDATE ${statistics} SET built = ?`,
    adds: [addRowsText(names), countRowsText(names)],
  };
}

/** The rows of a part of the table as postings; its values are the bounds of row numbers, exclusive and inclusive. */
function addRowsText(names: TextIndexNames): string {
  const { table, column, postings } = names;
  return (
    `INSERT INTO ${postings} SELECT ${tokenParts(`${table}.row_id`)} FROM ${table} ` +
    `CROSS JOIN json_each(${tokensOf(names, column)}) WHERE ${table}.row_id > ? AND ${table}.row_id <= ? ORDER BY 1, 2`
  );
}

/** Counts the same rows in the statistics; takes the same values. */
function countRowsText({ table, column, statistics, analyzer }: TextIndexNames): string {
  return (
    `UPDATE ${statistics} SET rows = rows + own.texts, length = length + own.tokens FROM ` +
    `(SELECT count(${column}) AS texts, coalesce(sum(text_length(${column}, ${analyzer})), 0) AS tokens ` +
    `FROM ${table} WHERE row_id > ? AND row_id <= ?) AS own`
  );
}

function addedTokens(names: TextIndexNames, row: string): readonly string[] {
  const { column, postings, statistics, analyzer } = names;
  const text = `${row}.${column}`;
  return [
    `INSERT INTO ${postings} SELECT ${tokenParts(`${row}.row_id`)} FROM json_each(${tokensOf(names, text)})`,
    `UPDATE ${statistics} SET rows = rows + 1, length = length + text_length(${text}, ${analyzer}) ` +
      `WHERE ${text} IS NOT NULL`,
  ];
}

function removedTokens(names: TextIndexNames, row: string): readonly string[] {
  const { column, postings, statistics, analyzer } = names;
  const text = `${row}.${column}`;
  return [
    `DELETE FROM ${postings} WHERE row = ${row}.row_id AND token IN ` +
      `(SELECT ${token} FROM json_each(${tokensOf(names, text)}))`,
    `UPDATE ${statistics} SET rows = rows - 1, length = length - text_length(${text}, ${analyzer}) ` +
      `WHERE ${text} IS NOT NULL`,
  ];
}

function tokensOf({ analyzer }: TextIndexNames, text: string): string {
  return `text_tokens(${text}, ${analyzer})`;
}

const token = "substr(value, instr(value, ' ') + 1)";

/** The columns of a posting; see `text_tokens`. */
function tokenParts(rowId: string): string {
  const counts = 'CAST(value AS INTEGER)';
  return `${token}, ${rowId}, ${counts} >> ${lengthBits}, ${counts} & ${2 ** lengthBits - 1}`;
}

function once(sql: string): WriteStatement {
  return { sql, valueSets: [[]] };
}
