// Plays scenarios on two engines and compares all that they show.

import { isDeepStrictEqual } from 'node:util';
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { ReadPlan, ReadResult } from '../../src/data-service/query/read.js';
import {
  parseReadRequest,
  planRead,
  type ReadRequest,
  rowsPage,
  searchPage,
  sortRows,
} from '../../src/data-service/query/read-request.js';
import type { Position } from '../../src/data-service/query/row-order.js';
import { similarityColumn } from '../../src/data-service/query/vector-search.js';
import type { Table } from '../../src/data-service/schema/table.js';
import {
  createTable,
  deleteRows,
  insert,
  objectOf,
  read,
  readPlan,
  rowText,
  update,
} from '../conformance/engine-steps.js';
import { createIndex, createMemberIndex, createVectorIndex } from '../conformance/index-steps.js';
import type { Compared } from './compare-seeds.js';
import { type PlannedRead, type Scenario, scenarioOf, type Write } from './scenario.js';

/** Where the engines differ, with the least found that shows it. */
interface Difference {
  readonly scenario: Scenario;
  readonly page: number;
  readonly left: Page | string;
  readonly right: Page | string;
}

/** Rows and position as JSON. */
interface Page {
  readonly rows: readonly string[];
  readonly next: string | null;
}

interface Comparison extends Omit<Compared, 'difference'> {
  readonly difference: Difference | undefined;
}

/** Plays the scenario of a seed; a difference is made as small as it can be. */
export async function compareEngines(
  seed: number,
  left: Engine,
  right: Engine,
  dialect: Dialect = 'strict',
): Promise<Compared> {
  const scenario = scenarioOf(seed, ' ', dialect);
  const compared = await play(scenario, left, right);
  if (compared.difference === undefined) return { ...compared, difference: undefined };
  const least = await shrink(compared.difference, left, right);
  return { ...compared, difference: describeDifference(seed, least) };
}

/** The text that replays a difference, and what it is about. */
function describeDifference(seed: number, difference: Difference): string {
  const { scenario, page, left, right } = difference;
  return [
    `The engines differ. Replay: node dist/tests/differential/run.js --plans 1 --seed ${seed}${scenario.shape.dialect === 'extended' ? ' --extended' : ''}`,
    `table: ${JSON.stringify(scenario.shape)}`,
    ...scenario.writes.map((write) => `write: ${JSON.stringify(write)}`),
    ...scenario.reads.map((planned) => `read: ${JSON.stringify(planned)}`),
    `page ${page}, left:  ${JSON.stringify(left)}`,
    `page ${page}, right: ${JSON.stringify(right)}`,
  ].join('\n');
}

async function play(scenario: Scenario, left: Engine, right: Engine): Promise<Comparison> {
  const players = await Promise.all([Player.start(left, scenario), Player.start(right, scenario)]);
  const writes = [...scenario.writes];
  let pages = 0;
  let rows = 0;
  for (const planned of scenario.reads) {
    let at: readonly [Position | null, Position | null] = [null, null];
    for (let page = 0; ; page += 1) {
      const [one, other] = await Promise.all([
        players[0].page(planned, page, at[0]),
        players[1].page(planned, page, at[1]),
      ]);
      if (!isDeepStrictEqual(one.shown, other.shown)) {
        // Reads before this one matter by their writes alone.
        const cut = { shape: scenario.shape, writes, reads: [planned] };
        return { pages, rows, difference: { scenario: cut, page, left: one.shown, right: other.shown } };
      }
      pages += 1;
      rows += typeof one.shown === 'string' ? 0 : one.shown.rows.length;
      at = [one.next, other.next];
      if (at[0] === null) {
        writes.push(...planned.writesBetween.slice(0, page + 1));
        break;
      }
    }
  }
  return { pages, rows, difference: undefined };
}

/** A scenario's table on one engine. */
class Player {
  readonly #engine: Engine;
  #table: Table;

  private constructor(engine: Engine, table: Table) {
    this.#engine = engine;
    this.#table = table;
  }

  static async start(engine: Engine, { shape, writes }: Scenario): Promise<Player> {
    const player = new Player(engine, await createTable(engine, shape));
    for (const write of writes) await player.#write(write);
    return player;
  }

  /** What a page shows; a failure is shown with the engine's name, so that it never equals what the other shows. */
  async page(
    planned: PlannedRead,
    page: number,
    after: Position | null,
  ): Promise<{ readonly shown: Page | string; readonly next: Position | null }> {
    try {
      const { rows, next } = await this.#read(planned, after);
      const write = planned.writesBetween[page];
      if (write !== undefined) await this.#write(write);
      return { shown: { rows, next }, next };
    } catch (error) {
      return { shown: `${this.#engine.name}: ${String(error)}`, next: null };
    }
  }

  async #read(planned: PlannedRead, after: Position | null) {
    const { filter, sort, skip, columns, limit } = planned;
    const clauses = { filter: objectOf(filter), sort: objectOf(sort), projection: undefined, skip };
    const wanted = columns.flatMap((name) => this.#table.columnsByName.get(name) ?? []);
    const request = { ...parseReadRequest(clauses, this.#table), columns: wanted };
    if (request.sort !== null) {
      const plan = planRead(request, rowsPage(null, limit, 'paged'));
      const found = await read(this.#engine, plan);
      const sorted = sortRows(found, request, request.sort, { skip: skip ?? 0, limit });
      return { rows: sorted.map((row) => rowText(request, row)), next: null };
    }
    if (request.search !== null) {
      const shown = [...wanted, similarityColumn];
      // The plan of an unsorted read has the same.
      const page = { ...searchPage(limit), maxBytes: Number.POSITIVE_INFINITY };
      const plan = planRead({ ...request, shown }, page);
      const found = await read(this.#engine, plan);
      return { rows: searchTexts(plan, found.rows), next: null };
    }
    const plan = this.#unsortedPlan(request, planned, after);
    const { rows, next } = await read(this.#engine, plan);
    return { rows: rows.map((row) => rowText(plan, row)), next };
  }

  /** Without a limit in bytes, which only one of the engines keeps. */
  #unsortedPlan(request: ReadRequest, { limit, isReversed }: PlannedRead, after: Position | null): ReadPlan {
    const { columns, filter } = request;
    const reversed = this.#table.keyOrder.map(({ column, direction }) => ({
      column,
      direction: -direction as 1 | -1, // the other of the two
    }));
    const order = isReversed ? reversed : request.order;
    return readPlan(this.#table, filter, { columns, order, limit, after, kind: 'paged' });
  }

  async #write(write: Write): Promise<void> {
    switch (write.kind) {
      case 'insert':
        return insert(this.#engine, this.#table, ...write.rows);
      case 'change':
        return update(this.#engine, this.#table, write.key, write.clause);
      case 'delete':
        return deleteRows(this.#engine, this.#table, write.filter);
      case 'createIndex':
        this.#table = await createIndex(this.#engine, this.#table, write.column, write.fold);
        return;
      case 'createMemberIndex': {
        const { column, part, fold } = write;
        this.#table = await createMemberIndex(this.#engine, this.#table, column, part, fold);
        return;
      }
      case 'createVectorIndex':
        this.#table = await createVectorIndex(this.#engine, this.#table, write.column, write.metric);
    }
  }
}

/** Which of equally similar rows come last where not all of them can is an engine's choice: those show that only. */
function searchTexts(plan: ReadPlan, rows: ReadResult['rows']): readonly string[] {
  const last = rows.length < plan.page.limit ? undefined : rows.at(-1)?.at(-1);
  return rows.map((row) => (row.at(-1) === last ? `{"$similarity":${last}}` : rowText(plan, row)));
}

/** Leaves out one write after another, as long as the engines still differ, and not by failures of another kind. */
async function shrink(found: Difference, left: Engine, right: Engine): Promise<Difference> {
  let least = found;
  for (let at = found.scenario.writes.length - 1; at >= 0; at -= 1) {
    const writes = least.scenario.writes.toSpliced(at, 1);
    const { difference } = await play({ ...least.scenario, writes }, left, right);
    if (difference !== undefined && typeof difference.left === typeof found.left) least = difference;
  }
  return least;
}
