// Chooses how a read finds its rows: partition by partition, value by value of an index, or all in the order of tokens.

import { isReadable } from '../../../column-types/column-type.js';
import { comparedColumns, type MemberComparison, matchesMembers } from '../../../query/filter.js';
import { type ReadPlan, wantsPosition } from '../../../query/read.js';
import {
  OutdatedPosition,
  type Position,
  type RowOrder,
  readPosition,
  writePosition,
} from '../../../query/row-order.js';
import { maxSearchedRows, similarityColumn, type VectorSearch } from '../../../query/vector-search.js';
import { collectionColumns, isCollection } from '../../../schema/collection.js';
import { partitionProblem } from '../../../schema/parse-row.js';
import { type Column, type Table, vectorIndexOn } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { pathOfDocuments } from '../documents/lookup-path.js';
import { onlyValue } from './column-range.js';
import { differentOperands, havingOneOf, lookedUpMembers, termsOf, termWith } from './member-terms.js';
import { directed, orderByTokens, type ReadPath } from './path-of-rows.js';
import { type ColumnRanges, type PushedFilter, pushedFilter } from './pushed-filter.js';
import { askedRange, canSearch, comparedByIndex, type RowSource, restOfPartition } from './row-source.js';
import { tokenColumn, writtenColumn } from './select-statements.js';
import { isAnyServed, lookedUpFolds, lookedUpForm, lookedUpValues } from './value-lookups.js';

/** Partitions that are read one after another; a filter that names more is compared with every row of the table. */
const mostPartitions = 1_000;
/**
 * Combinations of the values of clustering columns. A node makes all of them before it reads: some millions would take
 * all of its memory.
 */
const mostCombinations = 1_000;

/**
 * The path of a read; undefined where no row can match.
 * @throws OutdatedPosition for a position of another path; EngineError `unavailable` for a search by an index that is
 * still being built
 */
export function readPath(plan: ReadPlan): ReadPath | undefined {
  const { table, filter } = plan;
  const { after } = plan.page;
  const whole = pushedFilter(filter);
  if (whole === undefined) return undefined;
  const pushed = withFewCombinations(table, whole);
  const partitions = partitionsOf(table, pushed.ranges);
  const path =
    partitions === undefined ? pathOfTokens(plan, pushed) : pathOfPartitions(plan, pushed, partitions);
  if (path.sources.length === 0) return undefined;
  return after === null || path.positions === null ? path : pathBehind(table, path, path.positions, after);
}

/** Without the values of clustering columns that would make the combinations too many: they are left undone. */
function withFewCombinations({ clustering }: Table, pushed: PushedFilter): PushedFilter {
  const ranges = new Map(pushed.ranges);
  let combinations = 1;
  for (const { column } of clustering) {
    const range = ranges.get(column);
    if (range?.kind !== 'values') continue;
    const isFew = combinations * range.values.length <= mostCombinations;
    if (isFew) combinations *= range.values.length;
    else ranges.delete(column);
  }
  return ranges.size === pushed.ranges.size ? pushed : { ...pushed, ranges, isWhole: false };
}

/** The columns that the rows of a path must hold: those wanted, and what is needed to do what is left undone. */
export function columnsToSelect(plan: ReadPlan, path: ReadPath): readonly Column[] {
  const { table, columns, filter, order, search } = plan;
  const wanted = columns.includes(similarityColumn)
    ? columns.filter((column) => column !== similarityColumn)
    : columns;
  const others: Column[] = [];
  if (search !== null) others.push(search.column);
  if (!path.isFiltered) others.push(...comparedColumns(filter));
  if (path.positions === null) others.push(...(order ?? []).map(({ column }) => column));
  else if (wantsPosition(plan.page) && !path.isLookup)
    others.push(...path.positions.map(({ column }) => column));
  const present = presentColumn(table, wanted, others);
  if (present !== undefined) others.push(present);
  // A document can be found by several look-ups.
  if (path.isMerged) others.push(...table.partitionKey, tokenColumn);
  const missing = others.filter((column) => !wanted.includes(column));
  if (missing.length > 0) return [...wanted, ...new Set(missing)];
  return wanted.length === 0 ? table.partitionKey.slice(0, 1) : wanted; // a SELECT names a column
}

/**
 * A column that every row of the table has a value of; undefined where everything that comes is a row. A partition that
 * has values of static columns alone comes as a row without clustering columns, the mark of a deletion (see
 * `deleteStatement`) as one without a document. `selected`, `others`: the columns that are read anyway.
 */
export function presentColumn(
  table: Table,
  selected: readonly Column[],
  others: readonly Column[] = [],
): Column | undefined {
  if (isCollection(table)) {
    const { document } = collectionColumns(table);
    return selected.includes(document) || others.includes(document) ? document : writtenColumn;
  }
  const { columns, clustering } = table;
  const isOfRows = ({ type }: Column) => isReadable(type) && type.static === undefined;
  return columns.every(isOfRows) ? undefined : clustering[0]?.column;
}

/** One source for each partition that can be there, in the order of the key or against it. */
function pathOfPartitions(
  plan: ReadPlan,
  pushed: PushedFilter,
  partitions: readonly (readonly unknown[])[],
): ReadPath {
  const { table, filter, search } = plan;
  const own = directionOf(plan);
  const direction = own ?? 1;
  const { ranges, isWhole } = rangesInPartitions(table, pushed, direction);
  const present = partitions.filter((partition) => isStorable(table, partition));
  const terms = direction === 1 && !hasSeveralKeys(table, ranges) ? termsOf(table, filter) : [];
  const sources = (direction === 1 ? present : present.toReversed()).map((partition) => ({
    partition,
    ranges,
    terms,
  }));
  const isLookup =
    sources.length <= 1 &&
    table.clustering.every(({ column }) => {
      const range = ranges.get(column);
      return range?.kind === 'values' && range.values.length === 1;
    });
  const positions = own === undefined || search !== null ? null : directed(table, direction);
  return { sources, direction, positions, isFiltered: isWhole, isLookup, isSearched: false, isMerged: false };
}

/**
 * What is asked in a partition. Against the clustering order only the key is compared: Cassandra refuses an order
 * together with an index, and tables can have indexes that this server does not know.
 */
function rangesInPartitions(table: Table, { ranges, folded, isWhole }: PushedFilter, direction: 1 | -1) {
  const inPartition = new Map<Column, NonNullable<ReturnType<ColumnRanges['get']>>>();
  let isPrefix = true;
  let isAll = isWhole;
  for (const { column } of table.clustering) {
    const range = ranges.get(column);
    const asked =
      isPrefix || range === undefined || direction === -1 ? range : askedRange(table, column, range);
    if (asked !== undefined && (isPrefix || direction === 1)) inPartition.set(column, asked);
    else isAll &&= range === undefined;
    isPrefix &&= range?.kind === 'values' && (direction === 1 || range.values.length === 1);
  }
  for (const [column, range] of ranges) {
    if (table.keyColumns.includes(column)) continue;
    const asked = direction === 1 ? askedRange(table, column, range) : undefined;
    if (asked !== undefined) inPartition.set(column, asked);
    isAll &&= asked !== undefined;
  }
  if (direction === 1)
    for (const [column, range] of comparedByIndex(table, folded)) inPartition.set(column, range);
  return { ranges: inPartition, isWhole: isAll };
}

/** Cassandra refuses several values of a key column together with an index. */
function hasSeveralKeys({ clustering }: Table, ranges: ColumnRanges): boolean {
  return clustering.some(({ column }) => {
    const range = ranges.get(column);
    return range?.kind === 'values' && range.values.length > 1;
  });
}

/** All partitions; one source for each value where an index finds rows by values alone. */
function pathOfTokens(plan: ReadPlan, pushed: PushedFilter): ReadPath {
  const { table, filter, order, search, page } = plan;
  if (search?.kind === 'vector') refuseUnbuilt(table, search);
  const path = pathOfDocuments(plan);
  if (path !== undefined) return path;
  const { ranges, isWhole } = rangesByTokens(table, pushed);
  const mayHaveTerms = !hasSeveralKeys(table, ranges);
  const terms = mayHaveTerms ? termsOf(table, filter) : [];
  if (order === null && search === null && mayHaveTerms && !isAnyServed(table, { ranges, terms })) {
    const lookedUp = lookedUpMembers(table, filter);
    if (lookedUp !== undefined) return pathOfMembers(table, { ranges, terms }, lookedUp);
  }
  const looked = lookedUpValues(table, ranges) ?? lookedUpFolds(table, { ranges, terms }, pushed.folded);
  const sources =
    looked === undefined
      ? [{ ranges, terms }]
      : looked.values.map((value) => ({
          ranges: new Map([...ranges, [looked.column, onlyValue(value)]]),
          terms,
        }));
  const isPage = page.limit <= maxSearchedRows && isWhole;
  const isSearched = search?.kind === 'vector' && isPage && canSearch(table, search, sources);
  const byKey = orderByTokens(table);
  const named = looked === undefined ? byKey : [{ column: looked.column, direction: 1 as const }, ...byKey];
  const positions = order === null && search === null ? named : null;
  return {
    sources,
    direction: 1,
    positions,
    isFiltered: isWhole,
    isLookup: false,
    isSearched,
    isMerged: false,
  };
}

/** One source for each member of a comparison, without the rows of those before it. */
function pathOfMembers(
  table: Table,
  { ranges, terms = [] }: RowSource,
  lookedUp: MemberComparison,
): ReadPath {
  const members = differentOperands(lookedUp);
  const sources = members.map((member, at) => ({
    ranges,
    terms: [...terms, termWith(lookedUp)(member)],
    ...(at === 0 ? {} : { without: havingOneOf(lookedUp, members.slice(0, at)) }),
  }));
  const positions = orderByTokens(table);
  return {
    sources,
    direction: 1,
    positions,
    isFiltered: false,
    isLookup: false,
    lookedUp,
    isSearched: false,
    isMerged: false,
  };
}

/** The server could compare all vectors of a small table, but such searches would take all its time for a large one. */
function refuseUnbuilt(table: Table, { column }: VectorSearch): void {
  const index = vectorIndexOn(table, column);
  if (index?.isBuilding === true)
    throw new EngineError(
      'unavailable',
      `the index ${index.name} of the column ${column.name} is still being built by nodes of the Cassandra cluster`,
    );
}

/** Several values of some partition columns are refused together with an index: they are left undone. */
function rangesByTokens(table: Table, { ranges, folded, isWhole }: PushedFilter) {
  const asked = new Map<Column, NonNullable<ReturnType<ColumnRanges['get']>>>();
  let isAll = isWhole;
  for (const [column, range] of ranges) {
    const isSeveral = range.kind === 'values' && range.values.length > 1;
    const own =
      isSeveral && table.partitionKey.includes(column) ? undefined : askedRange(table, column, range);
    if (own !== undefined) asked.set(column, own);
    isAll &&= own !== undefined;
  }
  for (const [column, range] of comparedByIndex(table, folded)) asked.set(column, range);
  return { ranges: asked, isWhole: isAll };
}

/** The part of the path behind a row. @throws OutdatedPosition */
function pathBehind(table: Table, path: ReadPath, positions: RowOrder, after: Position): ReadPath {
  if (path.isMerged) {
    const behind = readPosition(positions, after);
    return { ...path, sources: path.sources.map((source) => ({ ...source, behind })) };
  }
  const [place, values] = readPlace(table, path, positions, after);
  const ofKey = positions.length - table.keyColumns.length;
  const ofRow = ofKey + table.partitionKey.length;
  const partition = values.slice(ofKey, ofRow);
  const row = values.slice(ofRow);
  const source = path.sources[place];
  if (source === undefined) throw new OutdatedPosition();
  const later = path.sources.slice(place + 1);
  if (source.partition !== undefined)
    return { ...path, sources: [...restOfPartition(table, source, row, path.direction), ...later] };
  const partitionColumns = positions.slice(ofKey, ofRow).map(({ column }) => column);
  const ranges = new Map([...source.ranges].filter(([column]) => !table.partitionKey.includes(column)));
  const inPartition = { ...source, partition, partitionColumns, ranges };
  const rest = restOfPartition(table, inPartition, row, path.direction);
  return { ...path, sources: [...rest, { ...source, behind: partition, partitionColumns }, ...later] };
}

/** The place of the source of a row, and the values of its position. @throws OutdatedPosition */
function readPlace(
  table: Table,
  { sources, lookedUp }: ReadPath,
  positions: RowOrder,
  after: Position,
): readonly [place: number, values: readonly unknown[]] {
  if (lookedUp === undefined) {
    const values = readPosition(positions, after);
    return [sources.findIndex((source) => isOf(table, source, positions, values)), values];
  }
  const [, place, rest = ''] = /^(\d+)\/(.*)$/s.exec(after) ?? [];
  if (place === undefined) throw new OutdatedPosition();
  return [Number(place), readPosition(positions, rest)];
}

/** The position of a row: its values in the order of positions, behind the place of its source where that differs. */
export function positionOn(
  { lookedUp }: ReadPath,
  positions: RowOrder,
  valueIn: (column: Column) => unknown,
): Position {
  const position = writePosition(
    positions,
    positions.map(({ column }) => valueIn(column)),
  );
  if (lookedUp === undefined) return position;
  const value = valueIn(lookedUp.column);
  const place = differentOperands(lookedUp).findIndex((member) =>
    matchesMembers(havingOneOf(lookedUp, [member]), value),
  );
  return `${place}/${position}`;
}

/** Whether the row with these values in the order of positions came from the source. */
function isOf(table: Table, source: RowSource, positions: RowOrder, values: readonly unknown[]): boolean {
  const { partition, ranges } = source;
  if (partition !== undefined)
    return table.partitionKey.every(({ type }, at) => type.compare(partition[at], values[at]) === 0);
  const isLookedUp = positions.length > table.keyColumns.length;
  const [looked] = positions;
  const range = looked === undefined ? undefined : ranges.get(looked.column);
  if (!isLookedUp || looked === undefined || range?.kind !== 'values') return true;
  return looked.column.type.compare(range.values[0], lookedUpForm(table, looked.column, values[0])) === 0;
}

/** 1 for the order of the key and for any, -1 for its reverse; undefined for orders that CQL does not have. */
function directionOf({ order, table }: ReadPlan): 1 | -1 | undefined {
  if (order === null || order === table.keyOrder) return 1;
  if (order.length !== table.keyOrder.length) return undefined;
  return ([1, -1] as const).find((factor) =>
    table.keyOrder.every(
      ({ column, direction }, at) =>
        order[at]?.column === column && order[at]?.direction === direction * factor,
    ),
  );
}

/** The partitions that ranges name, in the order of the key; undefined where they do not name them, or too many. */
function partitionsOf(
  { partitionKey }: Table,
  ranges: ColumnRanges,
): readonly (readonly unknown[])[] | undefined {
  let partitions: readonly (readonly unknown[])[] = [[]];
  for (const column of partitionKey) {
    const range = ranges.get(column);
    if (range?.kind !== 'values' || range.values.length * partitions.length > mostPartitions)
      return undefined;
    partitions = partitions.flatMap((before) => range.values.map((value) => [...before, value]));
  }
  return partitions;
}

/** Whether Cassandra takes the key: it refuses reads of others. */
function isStorable(table: Table, partition: readonly unknown[]): boolean {
  return partitionProblem(table, (column) => partition[table.partitionKey.indexOf(column)]) === undefined;
}
