// What is known of the conditions of a read before it begins: which entries there can be, and about how many.

import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import { text as textType } from '../../../column-types/text.js';
import type { EntrySeek } from '../../../documents/filter-entries.js';
import type { ReadDeadline } from '../../../query/row-text.js';
import type { SqlFragment } from '../file/sql-fragment.js';
import { type EntriesOwner, rowIdColumn, sqlPaths, sqlTable } from '../file/sql-names.js';
import { preparedFor, statementOf } from '../file/stored-rows.js';
import type { SliceRunner } from '../scans/scanner.js';
import type { SelectStatement } from '../statements/select-text.js';
import { entriesOfList, mostWritten } from './entry-lists.js';
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

/** The count of a condition of which nothing is known. */
const unknownCount: EntryCount = { isWhole: false, entries: Number.POSITIVE_INFINITY };

/** So many entries are read at once: each document is compared with the filter, which takes some ten microseconds. */
export const fewEnough = 100;
/** Entries are counted up to here, of all conditions together; so many can be sorted by number. */
const fewEntries = 2_000;
/** Counting the entries of so many ranges takes some milliseconds. */
const rangesOfSlice = 400;
/** So many entries of a list are sorted by number, in some milliseconds. */
const mostListed = 20_000;

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

/** The survey of a short read, whose conditions have few ranges: one statement counts the entries of all. */
export function surveyNow(database: Database, plan: Plan, seeks: readonly EntrySeek[]): EntrySurvey {
  const most = mostCounted(seeks);
  const statement = surveyStatement(plan, seeks, most);
  const [largest, ...texts] = preparedFor(database, statement).get(statement.values) ?? [];
  const last = Number(largest ?? 0);
  let end = 0;
  const counts = seeks.map((seek) => {
    const start = end;
    end += countsFor(seek);
    return entryCountOf(texts.slice(start, end), seek, { last, most });
  });
  return { seeks, counts, last };
}

/**
 * The survey of a long read, in slices that each count the entries of some hundred ranges. It ends when a condition is
 * found that has so few entries that others are not worth counting.
 */
export async function surveyInSlices(
  { plan, deadline }: { readonly plan: Plan; readonly deadline: ReadDeadline },
  seeks: readonly EntrySeek[],
  scanner: SliceRunner,
): Promise<EntrySurvey> {
  const most = mostCounted(seeks);
  const counts = seeks.map(() => unknownCount);
  const shortestFirst = [...seeks.keys()].toSorted(
    (one, other) => rangesAt(seeks, one) - rangesAt(seeks, other),
  );
  let last = 0;
  for (let at = 0; at === 0 || at < shortestFirst.length; ) {
    deadline.check();
    const part = shortestFirst.slice(at, at + countInSlice(shortestFirst.slice(at), seeks));
    const statements = part.map((place) => surveyStatement(plan, seeks.slice(place, place + 1), most));
    const { rows } = await scanner.runSlice(
      statements.length === 0 ? [surveyStatement(plan, [], most)] : statements,
      Number.POSITIVE_INFINITY,
    );
    last = Number(rows[0]?.[0]?.[0] ?? 0);
    for (const [of, place] of part.entries()) {
      const seek = seeks[place];
      const texts = rows[of]?.[0]?.slice(1) ?? [];
      if (seek !== undefined) counts[place] = entryCountOf(texts, seek, { last, most });
    }
    if (counts.some(({ entries }) => entries < fewEnough)) break;
    at += Math.max(1, part.length);
  }
  return { seeks, counts, last };
}

/** How many of the next conditions are counted in one slice. */
function countInSlice(places: readonly number[], seeks: readonly EntrySeek[]): number {
  let ranges = 0;
  const end = places.findIndex((place, at) => {
    ranges += rangesAt(seeks, place);
    return at > 0 && ranges > rangesOfSlice;
  });
  return end < 0 ? places.length : end;
}

function rangesAt(seeks: readonly EntrySeek[], place: number): number {
  return seeks[place]?.ranges.length ?? 0;
}

/** Up to here, the entries of each range are counted. */
function mostCounted(seeks: readonly EntrySeek[]): number {
  const ranges = seeks.reduce((sum, seek) => sum + seek.ranges.length, 0);
  return Math.max(fewEnough, Math.floor(fewEntries / Math.max(1, ranges)));
}

/**
 * Counts the entries of each range of some conditions, up to `most`; of a list, those of all ranges together. The row
 * has the largest number of a document, and then the counts of each condition, as many as `countsFor`.
 */
function surveyStatement(plan: Plan, seeks: readonly EntrySeek[], most: number): SelectStatement {
  const counts = seeks.flatMap(({ ranges }) =>
    ranges.length > mostWritten
      ? [countOf(entriesOfList(plan.table, ranges, 0), mostListed)]
      : ranges.map((range) => countOf(entriesOf(plan, range, 0), most)),
  );
  const last = `(SELECT coalesce(max(${rowIdColumn}), 0) FROM ${sqlTable(plan.table)})`;
  return {
    sql: `SELECT ${[last, ...counts.map(({ sql }) => sql)].join(', ')}`,
    values: counts.flatMap(({ values }) => values),
    columns: [],
  };
}

/** How many counts of a survey are those of a condition. */
function countsFor({ ranges }: EntrySeek): number {
  return ranges.length > mostWritten ? 1 : ranges.length;
}

/** The count and the number of the last document, as a text. */
function countOf({ sql, values }: SqlFragment, most: number): SqlFragment {
  const entries = `SELECT entry.document AS document FROM ${sql} LIMIT ${most}`;
  return { sql: `(SELECT count(*) || ' ' || coalesce(max(document), 0) FROM (${entries}))`, values };
}

/** The count of a condition from the texts of its counts. */
function entryCountOf(
  texts: SqlRowArray,
  { ranges }: EntrySeek,
  { last, most }: { readonly last: number; readonly most: number },
): EntryCount {
  const [first, ...others] = texts.map((text) => String(text).split(' ').map(Number));
  if (ranges.length > mostWritten) {
    const [count = 0] = first ?? [];
    return count < mostListed ? { isWhole: true, entries: count } : unknownCount;
  }
  const of = [first, ...others].map(([count = 0, through = 0] = [], at) => {
    const range = ranges[at];
    if (count < most) return { count, entries: count };
    const isOrdered = range !== undefined && isPoint(range);
    return { count, entries: isOrdered ? (count * last) / through : Number.POSITIVE_INFINITY };
  });
  return {
    isWhole: of.every(({ count }) => count < most),
    entries: of.reduce((sum, { entries }) => sum + entries, 0),
  };
}

/** The condition with the fewest entries; -1 without conditions. */
export function fewestEntries({ counts }: EntrySurvey): number {
  const entries = counts.map((count) => count.entries);
  return entries.indexOf(Math.min(...entries));
}
