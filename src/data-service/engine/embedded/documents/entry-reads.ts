// Reads of documents by entries → SQL. Documents are found by their numbers, which never change, or along a part of the
// entries in its order.
import { bigint } from '../../../column-types/integers.js';
import { text as textType } from '../../../column-types/text.js';
import type { EntryKey, EntryRange } from '../../../documents/entries.js';
import { type Column, makeColumn } from '../../../schema/table.js';
import { joinSql, type SqlFragment } from '../file/sql-fragment.js';
import { rowIdColumn, sqlEntries, sqlPaths, sqlTable } from '../file/sql-names.js';
import type { EntrySeek } from '../statements/document-search.js';
import { filterCondition } from '../statements/filter-condition.js';
import type { OrderedPlan } from '../statements/ordered-plan.js';
import { type SelectStatement, selectList } from '../statements/select-text.js';
import { rowNumberColumn } from '../statements/text-search-statements.js';

type Plan = Pick<OrderedPlan, 'table' | 'columns' | 'filter'>;

/** A part of the entries of documents, by number or in the order of entries. */
export interface EntryPart {
  readonly plan: Plan;
  /** The seek that finds the documents; undefined: all documents are compared. */
  readonly seek: EntrySeek | undefined;
  /** Others, of which each document must have an entry. */
  readonly probes: readonly EntrySeek[];
  /** Whether the rest of the filter is true for all documents that are found. */
  readonly isExact: boolean;
}

/** A position in the order of entries: key and number. */
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

/** How many entries each seek has, at most `most` for each range. */
export function countStatement(plan: Plan, seeks: readonly EntrySeek[], most: number): SelectStatement {
  const counts = seeks.map(({ ranges }) => {
    const parts = ranges.map((range): SqlFragment => {
      const { sql, values } = rangeCondition(plan, range);
      const entries = `SELECT 1 FROM ${sqlEntries(plan.table)} WHERE ${sql} LIMIT ${most}`;
      return { sql: `(SELECT count(*) FROM (${entries}))`, values };
    });
    return parts.length === 0 ? { sql: '0', values: [] } : joinSql(parts, ' + ');
  });
  const last = `(SELECT coalesce(max(${rowIdColumn}), 0) FROM ${sqlTable(plan.table)})`;
  const all = joinSql([{ sql: last, values: [] }, ...counts], ', ');
  return { sql: `SELECT ${all.sql}`, values: all.values, columns: [] };
}

/** The numbers of documents with entries of a seek, each once, ascending, after a number. */
function numbersText(plan: Plan, { ranges }: EntrySeek, above: number): SqlFragment {
  const arms = ranges.map((range): SqlFragment => {
    const { sql, values } = rangeCondition(plan, range);
    return {
      sql: `SELECT document FROM ${sqlEntries(plan.table)} WHERE ${sql} AND document > ?`,
      values: [...values, above],
    };
  });
  return joinSql(arms, ' UNION ');
}

function isPoint(range: EntryRange | undefined): boolean {
  return range !== undefined && range.low === range.high;
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
  const { plan, seek } = part;
  if (seek === undefined) return spanStatement(part, above, candidates, wanted);
  const numbers = numbersText(plan, seek, above);
  const distinct =
    seek.ranges.length === 1 && !isOfPoints(seek) ? 'SELECT DISTINCT document FROM' : 'SELECT document FROM';
  const some = `${distinct} (${numbers.sql}) ORDER BY document LIMIT ?`;
  return matchingStatement(
    part,
    { sql: some, values: [...numbers.values, candidates] },
    'document',
    wanted,
    [],
  );
}

/** The number of the last of these candidates, and how many there are. */
export function lastNumberStatement(
  { plan, seek }: EntryPart,
  above: number,
  candidates: number,
): SelectStatement {
  if (seek === undefined) throw new TypeError('without a seek the last number is known');
  const numbers = numbersText(plan, seek, above);
  const some = `SELECT DISTINCT document FROM (${numbers.sql}) ORDER BY document LIMIT ?`;
  return {
    sql: `SELECT max(document), count(*) FROM (${some})`,
    values: [...numbers.values, candidates],
    columns: [],
  };
}

function spanStatement(part: EntryPart, above: number, span: number, wanted: number): SelectStatement {
  const { plan } = part;
  const condition = filterCondition(plan.filter);
  const matching = condition === undefined ? '' : ` AND ${condition.sql}`;
  const columns = [...plan.columns, rowNumberColumn];
  return {
    sql:
      `SELECT ${selection(plan)} FROM ${sqlTable(plan.table)} ` +
      `WHERE ${rowIdColumn} > ? AND ${rowIdColumn} <= ?${matching} ORDER BY ${rowIdColumn} LIMIT ?`,
    values: [above, above + span, ...(condition?.values ?? []), wanted],
    columns,
  };
}

/** Documents in the order of the entries of one range. */
export function byEntryStatement(
  part: EntryPart,
  after: EntryPlace | undefined,
  candidates: number,
  wanted: number,
): SelectStatement {
  const some = entriesAfter(part, after, candidates);
  return matchingStatement(part, some, 'value, document', wanted, [entryKeyColumn]);
}

/** The last of these entries, if there are so many. */
export function lastEntryStatement(
  part: EntryPart,
  after: EntryPlace | undefined,
  candidates: number,
): SelectStatement {
  const { sql, values } = entriesAfter(part, after, 1);
  return { sql: `${sql} OFFSET ?`, values: [...values, candidates - 1], columns: [] };
}

/** The key of an entry, as a column of results, in its stored form. */
export const entryKeyColumn: Column = makeColumn(0, { name: 'key', type: bigint });

function entriesAfter(
  { plan, seek }: EntryPart,
  after: EntryPlace | undefined,
  candidates: number,
): SqlFragment {
  const [range] = seek?.ranges ?? [];
  if (range === undefined) throw new TypeError('a walk along entries has a range');
  const conditions = [pathNumber(plan, range)];
  if (after === undefined) conditions.push({ sql: 'value >= ?', values: [range.low] });
  else conditions.push({ sql: '(value, document) > (?, ?)', values: [after.key, after.number] });
  conditions.push({ sql: 'value <= ?', values: [range.high] });
  const condition = joinSql(conditions, ' AND ');
  return {
    sql: `SELECT value, document FROM ${sqlEntries(plan.table)} WHERE ${condition.sql} ORDER BY value, document LIMIT ?`,
    values: [...condition.values, candidates],
  };
}

function matchingStatement(
  part: EntryPart,
  candidates: SqlFragment,
  order: string,
  wanted: number,
  more: readonly Column[],
): SelectStatement {
  const { plan, probes, isExact } = part;
  const conditions = probes.map((probe) => probeCondition(plan, probe));
  const filter = isExact ? undefined : filterCondition(plan.filter);
  if (filter !== undefined) conditions.push(filter);
  const condition = joinSql(conditions, ' AND ');
  const values = more.length === 0 ? '' : ', value';
  return {
    sql:
      `SELECT ${selection(plan)}${values} FROM (${candidates.sql}) AS found ` +
      `CROSS JOIN ${sqlTable(plan.table)} ON ${rowIdColumn} = document` +
      `${condition.sql === '' ? '' : ` WHERE ${condition.sql}`} ORDER BY ${order} LIMIT ?`,
    values: [...candidates.values, ...condition.values, wanted],
    columns: [...plan.columns, rowNumberColumn, ...more],
  };
}

/** Whether a candidate has an entry of the seek, which has only points. */
function probeCondition(plan: Plan, { ranges }: EntrySeek): SqlFragment {
  const parts = ranges.map((range): SqlFragment => {
    const { sql, values } = rangeCondition(plan, range, 'probed.');
    const entries = `${sqlEntries(plan.table)} AS probed`;
    return {
      sql: `EXISTS (SELECT 1 FROM ${entries} WHERE ${sql} AND probed.document = found.document)`,
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
