// What is known of the conditions of a read before it begins: which entries there can be, and about how many.
import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import { text as textType } from '../../../column-types/text.js';
import type { EntryRange } from '../../../documents/entries.js';
import type { SqlFragment } from '../file/sql-fragment.js';
import { type EntriesOwner, rowIdColumn, sqlPaths, sqlTable } from '../file/sql-names.js';
import { statementOf } from '../file/stored-rows.js';
import type { EntrySeek } from '../statements/document-search.js';
import type { SelectStatement } from '../statements/select-text.js';
import { entriesOf, isOfPoints, isPoint, type Plan } from './entry-reads.js';

/** The conditions of a read, and how many entries they have. */
export interface EntrySurvey {
  readonly seeks: readonly EntrySeek[];
  readonly counts: readonly EntryCount[];
  /** The largest number of a document. */
  readonly last: number;
}

/** How many entries a condition has. */
export interface EntryCount {
  /** Whether all are counted. */
  readonly isWhole: boolean;
  /** Otherwise an estimate; infinite for a range of keys, whose entries are not in the order of documents. */
  readonly entries: number;
}

/**
 * The conditions without the single keys of paths that no document has, such as of the elements of what is never an
 * array. Others stay as they are, because a position along their entries counts on it.
 */
export function seeksOnKnownPaths(
  database: Database,
  table: EntriesOwner,
  seeks: readonly EntrySeek[],
): readonly EntrySeek[] {
  const paths = [...new Set(seeks.flatMap(({ ranges }) => ranges.map(({ path }) => path)))];
  const sql = `SELECT path FROM ${sqlPaths(table)} WHERE path IN (${paths.map(() => '?').join(', ')})`;
  const found = statementOf(database, sql, false).all(paths.map((path) => textType.sql.encode(path)));
  if (found.length === paths.length) return seeks;
  const known = new Set(found.map(([path]) => textType.sql.decode(path as string))); // a column of texts
  return seeks.map((seek) =>
    isOfPoints(seek) ? { ...seek, ranges: seek.ranges.filter(({ path }) => known.has(path)) } : seek,
  );
}

/** The statement that counts the entries of each range, up to `most`. */
export function surveyStatement(plan: Plan, seeks: readonly EntrySeek[], most: number): SelectStatement {
  const counts = seeks.flatMap(({ ranges }) => ranges.map((range) => countOf(plan, range, most)));
  const last = `(SELECT coalesce(max(${rowIdColumn}), 0) FROM ${sqlTable(plan.table)})`;
  return {
    sql: `SELECT ${[last, ...counts.map(({ sql }) => sql)].join(', ')}`,
    values: counts.flatMap(({ values }) => values),
    columns: [],
  };
}

/** The count and the number of the last document, as a text. */
function countOf(plan: Plan, range: EntryRange, most: number): SqlFragment {
  const { sql, values } = entriesOf(plan, range, 0);
  const entries = `SELECT entry.document AS document FROM ${sql} LIMIT ${most}`;
  return { sql: `(SELECT count(*) || ' ' || coalesce(max(document), 0) FROM (${entries}))`, values };
}

/** The survey of the row of its statement. */
export function surveyOf(
  [largest, ...counted]: SqlRowArray,
  seeks: readonly EntrySeek[],
  most: number,
): EntrySurvey {
  const last = Number(largest);
  let at = 0;
  const counts = seeks.map(({ ranges }): EntryCount => {
    const of = ranges.map((range) => {
      const [count = 0, through = 0] = String(counted[at++]).split(' ').map(Number);
      if (count < most) return { count, entries: count };
      return { count, entries: isPoint(range) ? (count * last) / through : Number.POSITIVE_INFINITY };
    });
    return {
      isWhole: of.every(({ count }) => count < most),
      entries: of.reduce((sum, { entries }) => sum + entries, 0),
    };
  });
  return { seeks, counts, last };
}

/** The condition with the fewest entries; -1 without conditions. */
export function fewestEntries({ counts }: EntrySurvey): number {
  const entries = counts.map((count) => count.entries);
  return entries.indexOf(Math.min(...entries));
}
