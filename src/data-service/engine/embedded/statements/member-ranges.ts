// Ranges of container indexes: the rows that have one of some members, in the order of the key.
import {
  type Comparison,
  isConjunction,
  type MemberComparison,
  requiredMembersOf,
  requiredOf,
} from '../../../query/filter.js';
import type { OrderValues } from '../../../query/row-order.js';
import { containerIndexOn, type Table } from '../../../schema/table.js';
import { identitiesOf } from '../file/member-functions.js';
import { joinSql, type SqlFragment } from '../file/sql-fragment.js';
import { rowIdColumn, sqlColumn, sqlMembers } from '../file/sql-names.js';
import { areWholeRanges, indexRanges, type Seeks, seeksOf } from './index-ranges.js';
import { memberColumn } from './member-statements.js';
import type { MemberEntries, MembersOfIndex, OrderedPlan } from './ordered-plan.js';
import type { IndexRange } from './select-text.js';

/**
 * Above this number of members, the text of the statement must not depend on the request alone. Commands name at most
 * 100 members, which SQLite merges within 2 ms.
 */
const mostOfAnyForm = 16;
/** Each takes a seek for each entry; the filter compares the rest. */
const mostProbes = 8;

/** How a container index finds the rows of a filter. */
export interface MemberSeek {
  readonly entries: MemberEntries;
  /** Comparisons of the key that limit the entries further. */
  readonly seeks: Seeks;
  /** Whether the entries and the seeks are the whole filter. */
  readonly isWhole: boolean;
}

/** The container index that finds the rows of a filter, in the order of the key; undefined if there is none. */
export function memberSeek(plan: Pick<OrderedPlan, 'filter' | 'order' | 'table'>): MemberSeek | undefined {
  const { filter, order, table } = plan;
  if (order !== table.keyOrder || !hasContainerIndex(table)) return undefined;
  const [best, ...others] = servedMembers(filter, table);
  if (best === undefined) return undefined;
  const ofValues = requiredOf(filter);
  const seeks = seeksOf(
    ofValues.filter(({ fold }) => fold === undefined),
    order,
    table,
  );
  const isWhole =
    others.length === 0 &&
    requiredMembersOf(filter).length === 1 &&
    seeks.length === ofValues.length &&
    isConjunction(filter);
  return { entries: { ...best, probes: others.slice(0, mostProbes) }, seeks, isWhole };
}

/** Whether a container index finds the rows of the filter. */
export function isServedByMembers(filter: OrderedPlan['filter'], table: Table): boolean {
  return hasContainerIndex(table) && servedMembers(filter, table).length > 0;
}

/** Comparisons that must all be true. */
export interface Conjunction {
  readonly values: readonly Comparison[];
  readonly members: readonly MemberComparison[];
}

/** Entries of a container index and a part of the key that are exactly the rows of a conjunction. */
export interface WholeMembers {
  readonly found: MembersOfIndex;
  readonly seeks: Seeks;
}

/** Undefined if no container index has such entries. */
export function wholeMembers({ values, members }: Conjunction, table: Table): WholeMembers | undefined {
  const [found, ...others] = members.flatMap((comparison) => servedBy(comparison, table));
  const seeks = seeksOf(
    values.filter(({ fold }) => fold === undefined),
    table.keyOrder,
    table,
  );
  const isWhole =
    members.length === 1 &&
    others.length === 0 &&
    seeks.length === values.length &&
    areWholeRanges(seeks, table.keyOrder);
  return found === undefined || !isWhole ? undefined : { found, seeks };
}

/** A query for the numbers of the rows that a container index finds for the filter, in any order. */
export function memberNumbers({
  filter,
  table,
}: Pick<OrderedPlan, 'filter' | 'table'>): SqlFragment | undefined {
  const [best] = hasContainerIndex(table) ? servedMembers(filter, table) : [];
  if (best === undefined) return undefined;
  const members = inFewForms(best.identities);
  const placeholders = members.map(() => '?').join(', ');
  const from = `${sqlMembers(table, best.index)} WHERE ${memberColumn} IN (${placeholders})`;
  return { sql: `SELECT ${rowIdColumn} FROM ${from}`, values: members };
}

function hasContainerIndex({ indexes }: Table): boolean {
  return indexes.some(({ kind }) => kind === 'container');
}

/** What each row must have one of, as far as indexes contain it; first the fewest members, which few rows may have. */
function servedMembers(filter: OrderedPlan['filter'], table: Table): readonly MembersOfIndex[] {
  const served = requiredMembersOf(filter).flatMap((comparison) => servedBy(comparison, table));
  return served.toSorted((left, right) => left.identities.length - right.identities.length);
}

function servedBy(comparison: MemberComparison, table: Table): readonly MembersOfIndex[] {
  const { column, part, operator } = comparison;
  const index = containerIndexOn(table, column, part);
  if (
    index === undefined ||
    index.isBuilding === true ||
    operator.needs === 'none' ||
    comparison.operands.length === 0
  )
    return [];
  const identities = identitiesOf(comparison);
  if (operator.needs === 'oneOf') return [{ index, identities }];
  return identities.map((identity) => ({ index, identities: [identity] }));
}

/** The ranges of the container index of the plan if it has one, otherwise those of `indexRanges`. */
export function rangesOf(plan: OrderedPlan, seeks: Seeks, after: OrderValues | null): readonly IndexRange[] {
  const { members } = plan;
  const ranges = indexRanges(plan, seeks, after);
  return members === undefined ? ranges : ranges.map((keys) => memberRange(plan, members, keys));
}

/** The range of the entries that are in a range of the key. */
function memberRange({ table }: OrderedPlan, entries: MemberEntries, keys: SqlFragment): IndexRange {
  const columns = [`${rowIdColumn} AS number`, ...table.keyColumns.map(sqlColumn)].join(', ');
  const from = `SELECT ${columns} FROM ${sqlMembers(table, entries.index)} WHERE ${memberColumn} = ?`;
  const one = keys.sql === '' ? from : `${from} AND ${keys.sql}`;
  // A row can have several of the members: UNION keeps it once. All parts have its order, so SQLite merges them.
  const identities = inFewForms(entries.identities);
  return {
    sql: identities.map(() => one).join(' UNION '),
    values: identities.flatMap((identity) => [identity, ...keys.values]),
    isOfEntries: true,
    probe: joinSql(
      entries.probes.map((probe) => probeOf(table, probe)),
      ' AND ',
    ),
  };
}

/**
 * Whether the row of an entry `walked` has one of the members. Not as EXISTS, which SQLite would join after the row was
 * looked up.
 */
function probeOf(table: Table, { index, identities }: MembersOfIndex): SqlFragment {
  const keys = table.keyColumns.map((column) => `other.${sqlColumn(column)} = walked.${sqlColumn(column)}`);
  const members = inFewForms(identities);
  const placeholders = members.map(() => '?').join(', ');
  return {
    sql:
      `(SELECT 1 FROM ${sqlMembers(table, index)} AS other ` +
      `WHERE other.${memberColumn} IN (${placeholders}) AND ${keys.join(' AND ')}) IS NOT NULL`,
    values: members,
  };
}

/** Prepared statements are cached by their text: the last of many members is repeated, up to a power of two. */
function inFewForms(identities: readonly string[]): readonly string[] {
  const [last] = identities.slice(-1);
  if (identities.length <= mostOfAnyForm || last === undefined) return identities;
  const missing = 2 ** Math.ceil(Math.log2(identities.length)) - identities.length;
  return [...identities, ...Array.from({ length: missing }, () => last)];
}
