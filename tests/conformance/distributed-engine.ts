// An engine in memory that behaves like a distributed store. Partitions come in the order of a hash, pages end
// anywhere, positions are bytes of its own. It filters by the key and nothing else, and sorts nothing. Its answers are
// late and out of turn, and now and then a node is lost. The same seed makes the same choices.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import {
  comparisonsOf,
  conjunctionOf,
  type Filter,
  matchesAll,
  matchesFilter,
  requiredOf,
} from '../../src/data-service/query/filter.js';
import { sliceProblem } from '../../src/data-service/query/key-filter.js';
import type { ReadOutcome, ReadPlan, RowValues } from '../../src/data-service/query/read.js';
import { similarityColumn } from '../../src/data-service/query/vector-search.js';
import type { Column, Table } from '../../src/data-service/schema/table.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { HashRing, type RingPlace, type RingRange } from './hash-ring.js';
import { MemoryTables, type StoredRow, valuesOf, writesOf } from './memory-tables.js';

/** How many calls it takes on average until one meets a lost node. */
const callsPerLoss = 30;
const pagesPerLoss = 10;
/** Rows of a page at most: it ends there, or with the range. */
const rowsOfPages = [0, 1, 5, 30, 200];
/** Turns of the event loop after which an answer comes. */
const turnsOfAnswers = [0, 0, 1, 3];

/** Opens an empty one; nothing outlives it. It holds no keyspace. */
export function openDistributedEngine(seed: number): Engine {
  const random = seededRandom(seed);
  const tables = new MemoryTables((table) => new HashRing(table));
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;

  const refuseWhenClosed = () => {
    if (isClosed) throw new EngineError('closed', 'the engine is closed');
  };
  /** The work is done in the order of the calls; answers come in any. */
  const answer = async <Result>(work: () => Result): Promise<Result> => {
    const result = work();
    await someTurns(random);
    return result;
  };
  const carryOut = async <Result>(work: () => Result): Promise<Result> => {
    refuseWhenClosed();
    const answering = answer(work);
    underWay.add(answering);
    try {
      return await answering;
    } finally {
      underWay.delete(answering);
    }
  };
  /** Of calls at the same time none is lost: made again, it would come behind those that were made after it. */
  const call = <Result>(work: () => Result): Promise<Result> =>
    carryOut(underWay.size === 0 && random.oneIn(callsPerLoss) ? loseNode : work);

  return {
    name: 'distributed',
    // It is known here: no node is asked.
    readSchema: async () => {
      refuseWhenClosed();
      return tables.schema();
    },
    changeSchema: (change) => carryOut(() => tables.changeSchema(change)),
    ...writesOf(tables, call),
    readRows: (plan) => call(() => outcomeOf(plan, tables, random)),
    close: async () => {
      isClosed = true;
      await Promise.allSettled(underWay);
    },
  };
}

function loseNode(): never {
  throw new EngineError('unavailable', 'a node did not answer');
}

async function someTurns(random: SeededRandom): Promise<void> {
  for (let left = random.pick(turnsOfAnswers); left > 0; left -= 1) await nextTurn();
}

function outcomeOf(plan: ReadPlan, tables: MemoryTables<HashRing>, random: SeededRandom): ReadOutcome {
  const { table, filter, after, wantsPosition } = plan;
  const ring = tables.storeOf(table);
  const direction = directionOf(plan);
  const isFiltered = isKeySlice(filter, table);
  const columns = columnsOf(plan, isFiltered);
  const range = { holds: partitionsOf(filter, table), direction: direction ?? 1 };
  const start = after === null || direction === undefined ? null : ring.readPlace(after, direction);
  const toRows = (found: readonly StoredRow[]) =>
    found
      .filter((row) => !isFiltered || matchesFilter(filter, ({ id }) => row.values.get(id) ?? null))
      .map((row) => valuesOf(row, columns));
  const outcome = {
    columns,
    order: plan.order,
    applied: { filter: isFiltered, order: direction !== undefined },
    chunks: chunksOf(
      pagesOf(() => tables.storeOf(table), table, range, start, random),
      toRows,
    ),
  };
  if (!wantsPosition || direction === undefined) return outcome;
  const keyPlaces = table.keyColumns.map((column) => columns.indexOf(column));
  const keyOf = (row: RowValues) => keyPlaces.map((place) => row[place]);
  return { ...outcome, positionOf: (row) => ring.writePlace(ring.placeOf(keyOf(row)), direction) };
}

async function* chunksOf(
  pages: AsyncIterable<readonly StoredRow[]>,
  toRows: (found: readonly StoredRow[]) => readonly RowValues[],
): AsyncIterable<readonly RowValues[]> {
  for await (const page of pages) yield toRows(page);
}

/** Where the node of a page is lost, another one goes on at the same place. */
async function* pagesOf(
  presentRing: () => HashRing,
  { keyColumns }: Table,
  range: RingRange,
  start: RingPlace | null,
  random: SeededRandom,
): AsyncIterable<readonly StoredRow[]> {
  let after = start;
  for (;;) {
    await someTurns(random);
    if (random.oneIn(pagesPerLoss)) continue;
    const ring = presentRing();
    const count = random.pick(rowsOfPages);
    const rows = ring.rowsBehind(after, range, count);
    yield rows;
    const last = rows.at(-1);
    if (rows.length < count) return;
    if (last !== undefined) after = ring.placeOf(valuesOf(last, keyColumns));
  }
}

/** Those wanted, the key, and what the filter and the search compare where that is left undone. */
function columnsOf(
  { table, columns, filter, order, search }: ReadPlan,
  isFiltered: boolean,
): Table['columns'] {
  const compared = isFiltered ? [] : comparisonsOf(filter).map(({ column }) => column);
  const ordering = (order ?? []).map(({ column }) => column);
  const ranked = search === undefined ? [] : [search.column];
  const wanted = columns.filter((column) => column !== similarityColumn);
  return [...new Set([...wanted, ...table.keyColumns, ...compared, ...ordering, ...ranked])];
}

/** Whether the filter is nothing but partitions and slices of them. */
function isKeySlice(filter: Filter, table: Table): boolean {
  const comparisons = conjunctionOf(filter);
  if (comparisons === undefined || matchesAll(filter)) return comparisons !== undefined;
  return (
    comparisons.every(({ column, fold }) => table.keyColumns.includes(column) && fold === undefined) &&
    sliceProblem(comparisons, table, '=') === undefined
  );
}

/** Of the partitions those that the filter names; all where it names none. */
function partitionsOf(filter: Filter, table: Table): RingRange['holds'] {
  const named = table.partitionKey.map((column) => namesOf(filter, column));
  if (named.some((own) => own.length === 0)) return () => true;
  return (key) =>
    named.every((own, at) =>
      own.every(({ column, operator, operands }) => operator.matches(column.type, key[at], operands)),
    );
}

/** Its own order where any will do; inside one partition that of the rows, and the reverse. Undefined for all else. */
function directionOf({ order, search, table, filter }: ReadPlan): 1 | -1 | undefined {
  if (search !== undefined) return undefined;
  if (order === null) return 1;
  const isOnePartition = table.partitionKey.every((column) =>
    namesOf(filter, column).some(({ operator }) => operator.name === '$eq'),
  );
  if (!isOnePartition || order.length !== table.keyOrder.length) return undefined;
  return ([1, -1] as const).find((factor) =>
    table.keyOrder.every(
      ({ column, direction }, at) =>
        order[at]?.column === column && order[at]?.direction === direction * factor,
    ),
  );
}

function namesOf(filter: Filter, wanted: Column) {
  return requiredOf(filter).filter(
    ({ column, operator, fold }) => column === wanted && operator.namesValues && fold === undefined,
  );
}
