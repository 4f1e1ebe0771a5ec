// The data of a text index in the file: changed texts, which triggers log in the transaction of the row, and segments,
// to which steps of the writer thread move them.
import type { Table, TextIndex } from '../../../schema/table.js';
import {
  sqlColumn,
  sqlPostings,
  sqlRecentTexts,
  sqlTable,
  sqlTextProgress,
  sqlTextSegments,
} from '../file/sql-names.js';
import type { BuildSegments } from '../postings/build-segments.js';
import type { TextTables } from '../postings/text-tables.js';
import type { WriteStatement } from './write-statements.js';

/** The tables of an index. */
export function textTables(table: Pick<Table, 'id'>, index: Pick<TextIndex, 'id'>): TextTables {
  return {
    postings: sqlPostings(table, index),
    recent: sqlRecentTexts(table, index),
    segments: sqlTextSegments(table, index),
    progress: sqlTextProgress(table, index),
  };
}

const triggerNames = ['insert', 'update', 'delete'] as const;

/**
 * Creates the tables and the triggers. The rows that exist are added later, in steps (`buildTextIndex`): up to the row
 * `built` they are in the index, and the triggers ignore changes of the rows after it up to `last`.
 */
export function createTextStatements(table: Table, index: TextIndex): readonly WriteStatement[] {
  const { postings, recent, segments, progress } = textTables(table, index);
  const [rows, column] = [sqlTable(table), sqlColumn(index.column)];
  const isKept = (row: string) =>
    `EXISTS (SELECT 1 FROM ${progress} WHERE ${row}.row_id <= built OR ${row}.row_id > last)`;
  const tokens = (row: string) => tokensExpression(index, `${row}.${column}`);
  const trigger = (
    name: (typeof triggerNames)[number],
    event: string,
    condition: string,
    logged: readonly [row: string, tokens: string, old: string],
  ) =>
    once(
      `CREATE TRIGGER ${postings}_${name} AFTER ${event} ON ${rows} WHEN ${condition} ` +
        `BEGIN INSERT INTO ${recent} VALUES (${logged.join(', ')}) ` +
        // What segments have of a row that changes again is known.
        'ON CONFLICT (row) DO UPDATE SET tokens = excluded.tokens; END',
    );
  const changed = `new.${column} IS NOT old.${column} AND ${isKept('new')}`;
  const removed = `old.${column} IS NOT NULL AND ${isKept('old')}`;
  return [
    once(
      `CREATE TABLE ${postings} (segment INTEGER NOT NULL, token BLOB NOT NULL, row INTEGER NOT NULL, ` +
        'change INTEGER NOT NULL, postings BLOB NOT NULL, PRIMARY KEY (segment, token, row)) WITHOUT ROWID',
    ),
    once(`CREATE TABLE ${recent} (row INTEGER PRIMARY KEY, tokens BLOB, old BLOB)`),
    once(
      `CREATE TABLE ${segments} (id INTEGER PRIMARY KEY AUTOINCREMENT, state INTEGER NOT NULL, ` +
        'level INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, texts INTEGER NOT NULL, ' +
        'length INTEGER NOT NULL, done BLOB)',
    ),
    once(`CREATE TABLE ${progress} AS SELECT 0 AS built, coalesce(max(row_id), 0) AS last FROM ${rows}`),
    trigger('insert', 'INSERT', `new.${column} IS NOT NULL`, ['new.row_id', tokens('new'), 'NULL']),
    trigger('update', `UPDATE OF ${column}`, changed, ['new.row_id', tokens('new'), tokens('old')]),
    trigger('delete', 'DELETE', removed, ['old.row_id', 'NULL', tokens('old')]),
  ];
}

/** Drops the triggers, and leaves the tables. */
export function leaveTextStatements(table: Table, index: TextIndex): readonly WriteStatement[] {
  return triggerNames.map((name) => once(`DROP TRIGGER ${sqlPostings(table, index)}_${name}`));
}

/** Empties the index before all rows are deleted, without analyzing their texts: the triggers then ignore the rows. */
export function beforeDeleteAll(table: Table, index: TextIndex): readonly WriteStatement[] {
  const { postings, recent, segments, progress } = textTables(table, index);
  return [
    ...[postings, recent, segments].map((name) => once(`DELETE FROM ${name}`)),
    once(`UPDATE ${progress} SET built = -1, last = ${largestRow}`),
  ];
}

/** After all rows were deleted: the triggers work again. */
export function afterDeleteAll(table: Table, index: TextIndex): WriteStatement {
  return once(`UPDATE ${sqlTextProgress(table, index)} SET built = 0, last = 0`);
}

const largestRow = '9223372036854775807';

/** What the steps that add the rows that exist need. */
export function textBuild(table: Table, index: TextIndex): Pick<BuildSegments, 'tables' | 'rows' | 'tokens'> {
  const tokens = tokensExpression(index, sqlColumn(index.column));
  return { tables: textTables(table, index), rows: sqlTable(table), tokens };
}

function tokensExpression({ analyzer }: TextIndex, text: string): string {
  // JSON has no control characters.
  return `text_tokens(${text}, '${analyzer.definition.replaceAll("'", "''")}')`;
}

function once(sql: string): WriteStatement {
  return { sql, valueSets: [[]] };
}
