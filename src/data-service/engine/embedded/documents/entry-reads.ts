// Reads of documents by entries → SQL. Documents are found by their numbers, which never change, or along a part of the
// entries in its order. Segments of entries are in the order of the numbers of their documents.

import { getOrMake } from '../../../../foundation/get-or-make.js';
import { bigint } from '../../../column-types/integers.js';
import { text as textType } from '../../../column-types/text.js';
import type { EntryKey, EntryRange } from '../../../documents/entries.js';
import type { EntrySeek } from '../../../documents/filter-entries.js';
import { type Column, makeColumn } from '../../../schema/table.js';
import { boundLimit, joinSql, type SqlFragment } from '../file/sql-fragment.js';
import { rowIdColumn, sqlEntries, sqlPaths, sqlSegments, sqlTable } from '../file/sql-names.js';
import { filterCondition } from '../statements/filter-condition.js';
import type { OrderedPlan } from '../statements/ordered-plan.js';
import { type SelectStatement, selectList } from '../statements/select-text.js';
import { rowNumberColumn } from '../statements/text-search-statements.js';
import { entriesOfList, mostWritten } from './entry-lists.js';
import type { RangeCheck } from './range-checks.js';

/** The parts of a plan that the statements use. */
export type Plan = Pick<OrderedPlan, 'table' | 'columns' | 'filter'>;

/** A part of the entries of documents, by number or in the order of entries. */
export interface EntryPart {
  readonly plan: Plan;
  /** The seek that finds the documents; undefined: all documents are compared. */
  readonly seek: EntrySeek | undefined;
  /** Others, of which each document must have an entry: it is looked up for each document. */
  readonly probes: readonly EntrySeek[];
  /** Ranges of single keys, whose entries are read beside those of the seek, which then has a single key. */
  readonly merged: readonly EntryRange[];
  /** Checks of others. */
  readonly checks: readonly RangeCheck[];
  /** Whether documents that pass the probes and checks match, except a few that have the key of another value. */
  readonly isCovered: boolean;
  /** Whether the rest of the filter is true for all documents that are found, if the checks are sure. */
  readonly isExact: boolean;
  /** Along entries: the same for all that are found by another key. */
  readonly exactExcept?: EntryKey | undefined;
}

/** Documents with these numbers: those of a segment, which may have become a part of a larger one. */
export interface NumberSpan {
  readonly first: number;
  readonly last: number;
}

/** A position in the order of the entries of a span. */
export interface EntryPlace {
  readonly key: EntryKey;
  readonly number: number;
}

function pathNumber({ table }: Plan, { path }: EntryRange, prefix = ''): SqlFragment {
  return {
    sql: `${prefix}path = (SELECT id FROM ${sqlPaths(table)} WHERE path = ?)`,
    values: [textType.sql.encode(path)],
  };
}

function keysOf({ low, high }: EntryRange, prefix = ''): SqlFragment {
  if (low === high) return { sql: `${prefix}value = ?`, values: [low] };
  return { sql: `${prefix}value >= ? AND ${prefix}value <= ?`, values: [low, high] };
}

/** `prefix`: the name of the entry with a dot, where there are several. */
function rangeCondition(plan: Plan, range: EntryRange, prefix = ''): SqlFragment {
  return joinSql([pathNumber(plan, range, prefix), keysOf(range, prefix)], ' AND ');
}

/** The entries of a range in the segments of documents with numbers above one. */
export function entriesOf(plan: Plan, range: EntryRange, above: number): SqlFragment {
  const { sql, values } = rangeCondition(plan, range, 'entry.');
  const segments = sqlSegments(plan.table);
  return {
    sql:
      `${segments} AS segment CROSS JOIN ${sqlEntries(plan.table)} AS entry ` +
      `WHERE segment.first >= (SELECT coalesce(max(first), 0) FROM ${segments} WHERE first <= ?) ` +
      `AND entry.segment = segment.id AND ${sql} AND entry.document > ?`,
    values: [above + 1, ...values, above],
  };
}

/** The id of the segment that has the entries of a document: its number. */
function segmentOf(plan: Plan): string {
  return `(SELECT id FROM ${sqlSegments(plan.table)} WHERE first <= ? ORDER BY first DESC LIMIT 1)`;
}

/** The next numbers of documents with entries of a seek, each once, ascending, after a number. */
function numbersText(plan: Plan, seek: EntrySeek, above: number, candidates: number): SqlFragment {
  const { ranges } = seek;
  if (ranges.length > mostWritten) {
    const { sql, values } = selectNumbers(entriesOfList(plan.table, ranges, above), 'DISTINCT ');
    return { sql: `${sql} ORDER BY 1, 2 ${boundLimit}`, values: [...values, candidates] };
  }
  // No document has two entries of one key.
  const distinct = ranges.length === 1 && !isOfPoints(seek) ? 'DISTINCT ' : '';
  const arms = ranges.map((range) => selectNumbers(entriesOf(plan, range, above), distinct));
  const { sql, values } = joinSql(arms, ' UNION ');
  return { sql: `${sql} ORDER BY 1, 2 ${boundLimit}`, values: [...values, candidates] };
}

function selectNumbers({ sql, values }: SqlFragment, distinct = ''): SqlFragment {
  const columns = 'segment.first AS first, entry.document AS document, segment.id AS segment';
  return { sql: `SELECT ${distinct}${columns} FROM ${sql}`, values };
}

/** Those of the numbers of a seek that have an entry of each merged range, too. */
function mergedNumbers(
  { plan, merged }: EntryPart,
  seek: EntrySeek,
  above: number,
  candidates: number,
): SqlFragment {
  const numbers = numbersText(plan, seek, above, candidates);
  if (merged.length === 0) return numbers;
  // SQLite reads all of them once, side by side, because entries of one key are in the order of numbers.
  const arms = [...seek.ranges, ...merged].map((range) => {
    const { sql, values } = selectNumbers(entriesOf(plan, range, above));
    return { sql: `${sql} AND entry.document <= (SELECT last FROM bound)`, values };
  });
  const { sql, values } = joinSql(arms, ' INTERSECT ');
  return {
    sql: `WITH bound AS MATERIALIZED (SELECT max(document) AS last FROM (${numbers.sql})) ${sql} ORDER BY 1, 2`,
    values: [...numbers.values, ...values],
  };
}

/** Whether the range has one key, so that its entries are in the order of the numbers of documents. */
export function isPoint(range: EntryRange): boolean {
  return range.low === range.high;
}

/** Whether each range has one key, so that its documents are in the order of their numbers. */
export function isOfPoints({ ranges }: EntrySeek): boolean {
  return ranges.every(isPoint);
}

/**
 * Documents in the order of their numbers: the next `candidates` of the seek after `above`, of which up to `wanted`
 * match.
 */
export function byNumberStatement(
  part: EntryPart,
  above: number,
  candidates: number,
  wanted: number,
): SelectStatement {
  const { seek } = part;
  if (seek === undefined) return spanStatement(part, above, candidates, wanted);
  const numbers = mergedNumbers(part, seek, above, candidates);
  return matchingStatement(part, numbers, 'first, document', wanted, false);
}

/** The number of the last of these candidates, and how many there are. */
export function lastNumberStatement(
  { plan, seek }: EntryPart,
  above: number,
  candidates: number,
): SelectStatement {
  if (seek === undefined) throw new TypeError('without a seek the last number is known');
  const { sql, values } = numbersText(plan, seek, above, candidates);
  return { sql: `SELECT max(document), count(*) FROM (${sql})`, values, columns: [] };
}

function spanStatement(part: EntryPart, above: number, span: number, wanted: number): SelectStatement {
  const { plan } = part;
  const condition = filterCondition(plan.filter);
  const matching = condition === undefined ? '' : ` AND ${condition.sql}`;
  const columns = withNumber(plan.columns, false);
  return {
    sql:
      `SELECT ${selection(plan)} FROM ${sqlTable(plan.table)} ` +
      `WHERE ${rowIdColumn} > ? AND ${rowIdColumn} <= ?${matching} ORDER BY ${rowIdColumn} ${boundLimit}`,
    values: [above, above + span, ...(condition?.values ?? []), wanted],
    columns,
  };
}

/** The first numbers of the documents of all segments that have documents above a number. */
export function segmentsStatement({ table }: Plan, above: number): SelectStatement {
  const segments = sqlSegments(table);
  const first = `(SELECT coalesce(max(first), 0) FROM ${segments} WHERE first <= ?)`;
  return {
    sql: `SELECT first FROM ${segments} WHERE first >= ${first} ORDER BY first`,
    values: [above + 1],
    columns: [],
  };
}

/** The documents of a span in the order of the entries of one range. */
export function byEntryStatement(
  part: EntryPart,
  span: NumberSpan,
  after: EntryPlace | undefined,
  candidates: number,
  wanted: number,
): SelectStatement {
  const some = entriesAfter(part, span, after, candidates);
  return matchingStatement(part, some, 'value, document', wanted, true);
}

/** The last of these entries, if there are so many. */
export function lastEntryStatement(
  part: EntryPart,
  span: NumberSpan,
  after: EntryPlace | undefined,
  candidates: number,
): SelectStatement {
  const { sql, values } = entriesAfter(part, span, after, 1);
  return { sql: `${sql} OFFSET ?`, values: [...values, candidates - 1], columns: [] };
}

/** The key of an entry, as a column of results, in its stored form. */
export const entryKeyColumn: Column = makeColumn(0, { name: 'key', type: bigint });

function entriesAfter(
  { plan, seek }: EntryPart,
  { first, last }: NumberSpan,
  after: EntryPlace | undefined,
  candidates: number,
): SqlFragment {
  const [range] = seek?.ranges ?? [];
  if (range === undefined) throw new TypeError('a walk along entries has a range');
  const segment = { sql: `segment = ${segmentOf(plan)}`, values: [first] };
  const conditions: SqlFragment[] = [segment, pathNumber(plan, range)];
  if (after === undefined) conditions.push({ sql: 'value >= ?', values: [range.low] });
  else conditions.push({ sql: '(value, document) > (?, ?)', values: [after.key, after.number] });
  conditions.push({ sql: 'value <= ? AND document BETWEEN ? AND ?', values: [range.high, first, last] });
  const condition = joinSql(conditions, ' AND ');
  return {
    sql:
      `SELECT value, document, segment FROM ${sqlEntries(plan.table)} ` +
      `WHERE ${condition.sql} ORDER BY value, document ${boundLimit}`,
    values: [...condition.values, candidates],
  };
}

function matchingStatement(
  part: EntryPart,
  candidates: SqlFragment,
  order: string,
  wanted: number,
  hasKey: boolean,
): SelectStatement {
  const { plan, probes, checks } = part;
  const conditions = [
    ...probes.map((probe) => probeCondition(plan, probe)),
    ...checks.map(({ isInside }) => isInside),
    ...restCondition(part, hasKey),
  ];
  const condition = joinSql(conditions, ' AND ');
  if (condition.sql === '' && plan.columns.length === 0 && !hasKey)
    return {
      sql: `SELECT document FROM (${candidates.sql}) ORDER BY ${order} ${boundLimit}`,
      values: [...candidates.values, wanted],
      columns: withNumber(plan.columns, hasKey),
    };
  const values = hasKey ? ', value' : '';
  return {
    sql:
      `SELECT ${selection(plan)}${values} FROM (${candidates.sql}) AS found ` +
      `CROSS JOIN ${sqlTable(plan.table)} ON ${rowIdColumn} = document` +
      `${condition.sql === '' ? '' : ` WHERE ${condition.sql}`} ORDER BY ${order} ${boundLimit}`,
    values: [...candidates.values, ...condition.values, wanted],
    columns: withNumber(plan.columns, hasKey),
  };
}

/** The filter, for documents that are not sure to match it. */
function restCondition(
  { plan, checks, isExact, exactExcept }: EntryPart,
  hasKey: boolean,
): readonly SqlFragment[] {
  const filter = filterCondition(plan.filter);
  const key = hasKey && exactExcept !== undefined ? [{ sql: 'value <> ?', values: [exactExcept] }] : [];
  const sure = [...key, ...checks.map(({ isSure }) => isSure)];
  if (filter === undefined || (isExact && sure.length === 0)) return [];
  if (!isExact && key.length === 0) return [filter];
  const { sql, values } = joinSql(sure, ' AND ');
  return [{ sql: `(${sql} OR ${filter.sql})`, values: [...values, ...filter.values] }];
}

const numbered = new WeakMap<
  readonly Column[],
  { readonly plain: readonly Column[]; readonly keyed: readonly Column[] }
>();

/** The columns, the number and the key; always the same object for a list of columns. */
function withNumber(columns: readonly Column[], hasKey: boolean): readonly Column[] {
  const { plain, keyed } = getOrMake(numbered, columns, () => ({
    plain: [...columns, rowNumberColumn],
    keyed: [...columns, rowNumberColumn, entryKeyColumn],
  }));
  return hasKey ? keyed : plain;
}

/** Whether a candidate has an entry of the seek, which has only points. */
function probeCondition(plan: Plan, { ranges }: EntrySeek): SqlFragment {
  const parts = ranges.map((range): SqlFragment => {
    const { sql, values } = rangeCondition(plan, range, 'probed.');
    const entries = `${sqlEntries(plan.table)} AS probed`;
    const condition = `probed.segment = found.segment AND ${sql} AND probed.document = found.document`;
    return {
      sql: `EXISTS (SELECT 1 FROM ${entries} WHERE ${condition})`,
      values,
    };
  });
  const any = joinSql(parts, ' OR ');
  return { ...any, sql: `(${any.sql})` };
}

function selection(plan: Plan): string {
  const list = plan.columns.length === 0 ? '' : `${selectList(plan.columns)}, `;
  return `${list}${rowIdColumn}`;
}
