// An engine in memory that behaves like a distributed store. Partitions come in the order of a hash, pages end
// anywhere, positions are bytes of its own. It filters by the key and nothing else, and sorts nothing. Its answers are
// late and out of turn, and now and then a node is lost. The same seed makes the same choices.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import {
  comparisonsByKind,
  conjunctionOf,
  type Filter,
  matchesAll,
  matchesFilter,
  requiredOf,
} from '../../src/data-service/query/filter.js';
import { sliceProblem } from '../../src/data-service/query/key-filter.js';
import {
  type ReadOutcome,
  type ReadPlan,
  type RowValues,
  wantsPosition,
} from '../../src/data-service/query/read.js';
import { similarityColumn } from '../../src/data-service/query/vector-search.js';
import type { Column, Table } from '../../src/data-service/schema/table.js';
import { writesOf } from '../memory-engine/memory-engine.js';
import { MemoryStorage } from '../memory-engine/memory-storage.js';
import { type StoredRow, storedValue } from '../memory-engine/ordered-rows.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import {
  keyOf,
  placeOf,
  type RingPlace,
  type RingRange,
  readPlace,
  rowsBehind,
  writePlace,
} from './hash-ring.js';

/** How many writes it takes on average until the answer to one is lost, where answers are lost. */
const writesPerLostAnswer = 10;
/** How many calls and pages it takes on average until a node is lost, once enough of them were answered. */
const stepsPerLoss = 30;
/** Rows of a page at most: it ends there, or with the range. */
const rowsOfPages = [0, 1, 5, 30, 200];
/** Turns of the event loop until the work of a call is done, and until its answer comes. */
const turnsOfMessages = [1, 1, 1, 3];
/** The turns until a page comes. */
const turnsOfPages = [0, 0, 1, 3];

/**
 * Opens an empty one; nothing outlives it. It holds no keyspace. `stepsWithoutLoss`: calls and pages that are answered
 * behind a loss, as the store has noticed that the node is gone. With `losesAnswers` some writes of rows end with
 * `writeTimeout`: half of them are carried out.
 */
export function openDistributedEngine(
  seed: number,
  {
    stepsWithoutLoss = 1000,
    losesAnswers = false,
  }: { stepsWithoutLoss?: number; losesAnswers?: boolean } = {},
): Engine {
  const random = seededRandom(seed);
  const nodes = new Nodes(random, stepsWithoutLoss);
  const storage = new MemoryStorage('strict');
  const calls = callsTo(nodes, random);

  return {
    name: 'distributed',
    // It is known here: no node is asked.
    readSchema: async () => {
      calls.refuseWhenClosed();
      return storage.schema;
    },
    changeSchema: (plan) => calls.change(() => storage.changeSchema(plan)),
    ...writesOf(storage, (work) => calls.change(work, losesAnswers)),
    readRows: (plan) => calls.read(() => outcomeOf(plan, storage, nodes, random)),
    close: calls.close,
  };
}

/** The calls of one engine, until it is closed. */
function callsTo(nodes: Nodes, random: SeededRandom) {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  /** Settles when no change is under way. */
  let changed: Promise<unknown> = Promise.resolve();
  let changesUnderWay = 0;

  const refuseWhenClosed = () => {
    if (isClosed) throw new EngineError('closed', 'the engine is closed');
  };
  const carryOut = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    refuseWhenClosed();
    const working = work();
    underWay.add(working);
    try {
      return await working;
    } finally {
      underWay.delete(working);
    }
  };
  /** Reads are carried out, lost and answered in any order, also beside others and beside changes. */
  const read = <Result>(work: () => Result): Promise<Result> =>
    carryOut(async () => {
      await someTurns(random);
      nodes.ask();
      const result = work();
      await someTurns(random);
      return result;
    });
  /**
   * Writes and changes of the schema are carried out in the order of the calls. Of several that are under way none is
   * lost: made again, it would come behind those that were made after it.
   */
  const change = <Result>(work: () => Result, losesAnswers = false): Promise<Result> => {
    const before = changed;
    changesUnderWay += 1;
    const working = carryOut(async () => {
      await before;
      await someTurns(random);
      if (changesUnderWay === 1) nodes.ask();
      if (!losesAnswers || !random.oneIn(writesPerLostAnswer)) return work();
      if (random.oneIn(2)) work();
      throw new EngineError('writeTimeout', 'nodes did not answer in time');
    }).finally(() => {
      changesUnderWay -= 1;
    });
    changed = Promise.allSettled([working]);
    return working;
  };

  const close = async (): Promise<void> => {
    isClosed = true;
    await Promise.allSettled(underWay);
  };
  return { refuseWhenClosed, read, change, close };
}

/** The nodes behind all calls and pages: now and then one does not answer. */
class Nodes {
  readonly #random: SeededRandom;
  readonly #stepsWithoutLoss: number;
  #stepsSinceLoss = 0;

  constructor(random: SeededRandom, stepsWithoutLoss: number) {
    this.#random = random;
    this.#stepsWithoutLoss = stepsWithoutLoss;
  }

  /** @throws EngineError `unavailable` */
  ask(): void {
    this.#stepsSinceLoss += 1;
    if (this.#stepsSinceLoss <= this.#stepsWithoutLoss || !this.#random.oneIn(stepsPerLoss)) return;
    this.#stepsSinceLoss = 0;
    throw new EngineError('unavailable', 'a node did not answer');
  }
}

async function someTurns(random: SeededRandom, turns = turnsOfMessages): Promise<void> {
  for (let left = random.pick(turns); left > 0; left -= 1) await nextTurn();
}

function outcomeOf(plan: ReadPlan, storage: MemoryStorage, nodes: Nodes, random: SeededRandom): ReadOutcome {
  const { table, filter, page } = plan;
  const { after } = page;
  const presentRows = () => storage.rowsOf(table).rows.all;
  presentRows(); // refuses an outdated plan
  const direction = directionOf(plan);
  const isFiltered = isKeySlice(filter, table);
  const columns = columnsOf(plan, isFiltered);
  const range = { holds: partitionsOf(filter, table), direction: direction ?? 1 };
  const start = after === null || direction === undefined ? null : readPlace(table, after, direction);
  const toRows = (found: readonly StoredRow[]) =>
    found
      .filter((row) => !isFiltered || matchesFilter(filter, (column) => storedValue(row, column)))
      .map((row) => columns.map((column) => storedValue(row, column)));
  const outcome = {
    columns,
    order: plan.order,
    applied: { filter: isFiltered, order: direction !== undefined },
    chunks: chunksOf(pagesOf(presentRows, table, range, start, nodes, random), toRows),
  };
  if (!wantsPosition(page) || direction === undefined) return outcome;
  const keyPlaces = table.keyColumns.map((column) => columns.indexOf(column));
  const placeOfRow = (row: RowValues) =>
    placeOf(
      table,
      keyPlaces.map((place) => row[place]),
    );
  return { ...outcome, positionOf: (row) => writePlace(table, placeOfRow(row), direction) };
}

async function* chunksOf(
  pages: AsyncIterable<readonly StoredRow[]>,
  toRows: (found: readonly StoredRow[]) => readonly RowValues[],
): AsyncIterable<readonly RowValues[]> {
  for await (const page of pages) yield toRows(page);
}

/** Each page asks a node. @throws EngineError `unavailable` in the middle of a read */
async function* pagesOf(
  presentRows: () => readonly StoredRow[],
  table: Table,
  range: RingRange,
  start: RingPlace | null,
  nodes: Nodes,
  random: SeededRandom,
): AsyncIterable<readonly StoredRow[]> {
  let after = start;
  for (;;) {
    await someTurns(random, turnsOfPages);
    nodes.ask();
    const count = random.pick(rowsOfPages);
    const rows = rowsBehind(table, presentRows(), after, range, count);
    yield rows;
    const last = rows.at(-1);
    if (rows.length < count) return;
    if (last !== undefined) after = placeOf(table, keyOf(last, table));
  }
}

/** Those wanted, the key, and what the filter and the search compare where that is left undone. */
function columnsOf(
  { table, columns, filter, order, search }: ReadPlan,
  isFiltered: boolean,
): Table['columns'] {
  const compared = isFiltered ? [] : comparisonsByKind(filter).values.map(({ column }) => column);
  const ordering = (order ?? []).map(({ column }) => column);
  const ranked = search === null ? [] : [search.column];
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

/** The partitions that the filter names; all if it names none. */
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
  if (search !== null) return undefined;
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
