// A table with a text index on an engine, and the same table on the engine in memory, so that searches can be compared.
import assert from 'node:assert/strict';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { finishRead } from '../../src/data-service/query/read.js';
import {
  parseReadRequest,
  planRead,
  rowsPage,
  searchPage,
} from '../../src/data-service/query/read-request.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { analyzerOf } from '../../src/data-service/text-analysis/parse-analyzer.js';
import type { JsonObject, JsonValue } from '../../src/foundation/json/json-value.js';
import { createTable, deleteRows } from '../conformance/engine-steps.js';
import { presentTable } from '../conformance/index-steps.js';
import { openMemoryEngine } from '../memory-engine/memory-engine.js';
import type { SeededRandom } from '../seeded-random.js';

/** A table on one of the engines. */
interface Side {
  readonly engine: Engine;
  readonly table: Table;
}

const shape = { columns: { id: 'int', body: 'text' } };

/** Rows have the key `id` and a `body`. */
export class SearchedTexts {
  /** The ids of the rows. */
  readonly ids = new Set<number>();
  #side: Side;
  /** It always has the index with the standard analyzer. */
  readonly #model: Side;

  private constructor(side: Side, model: Side) {
    this.#side = side;
    this.#model = model;
  }

  /** Makes the table, without its index. */
  static async make(engine: Engine): Promise<SearchedTexts> {
    const model = openMemoryEngine({ dialect: 'extended' });
    const table = await createIndexOn(
      { engine: model, table: await createTable(model, shape) },
      '"standard"',
    );
    return new SearchedTexts({ engine, table: await createTable(engine, shape) }, { engine: model, table });
  }

  get table(): Table {
    return this.#side.table;
  }

  /** Continues on an engine that was opened again. */
  async moveTo(engine: Engine): Promise<void> {
    this.#side = { ...this.#side, engine };
    await this.refresh();
  }

  /** Reads the present version of the table. */
  async refresh(): Promise<void> {
    const { engine, table } = this.#side;
    this.#side = { engine, table: await presentTable(engine, table) };
  }

  async createIndex(analyzer = '"standard"'): Promise<void> {
    await createIndexOn(this.#side, analyzer);
    await this.refresh();
  }

  async dropIndex(): Promise<void> {
    const { engine, table } = this.#side;
    const [index] = table.indexes;
    assert.ok(index);
    await engine.changeSchema({ kind: 'dropIndex', table, index });
    await this.refresh();
  }

  async put(rows: readonly (readonly [id: number, body: string | null])[]): Promise<void> {
    await this.#write(async ({ engine, table }) => {
      const outcome = await engine.insertRows({
        table,
        rows: rows.map((values) => ({ columns: table.columns, values })),
      });
      assert.ok(outcome.rows.every((each) => each === null));
    });
    for (const [id] of rows) this.ids.add(id);
  }

  /** Sets the text of a row that exists. */
  async change(id: number, body: string | null): Promise<void> {
    await this.#write(({ engine, table }) =>
      engine.changeRow({
        table,
        key: [id],
        changes: [{ kind: 'set', column: bodyOf(table), value: body }],
      }),
    );
  }

  async remove(id: number): Promise<void> {
    await this.#write(({ engine, table }) => deleteRows(engine, table, `{"id":${id}}`));
    this.ids.delete(id);
  }

  async removeAll(): Promise<void> {
    await this.#write(({ engine, table }) => deleteRows(engine, table, '{}'));
    this.ids.clear();
  }

  /** Compares the rows of a filter and of a sort with those of the model. */
  async check(search: string, limit: number, message: string): Promise<void> {
    const name = `${message}: ${JSON.stringify(search)}`;
    const found = (await matching(this.#side, search, limit)).toSorted((left, right) => left - right);
    assert.deepEqual(found, await matching(this.#model, search, limit), name);
    if (search.trim() === '') return;
    assert.deepEqual(await ranked(this.#side, search, limit), await ranked(this.#model, search, limit), name);
  }

  /** A write that the engine refuses is not one of the model. */
  async #write(work: (side: Side) => Promise<void>): Promise<void> {
    await work(this.#side);
    await work(this.#model);
  }
}

function bodyOf({ columnsByName }: Table) {
  const column = columnsByName.get('body');
  assert.ok(column);
  return column;
}

async function createIndexOn({ engine, table }: Side, analyzer: string): Promise<Table> {
  const named = { name: `${table.name}_body`, column: bodyOf(table) };
  const index = { kind: 'text', ...named, analyzer: analyzerOf(analyzer) } as const;
  await engine.changeSchema({ kind: 'createIndex', table, index });
  return presentTable(engine, table);
}

/** The ids of all pages of a filter. */
async function matching(side: Side, search: string, pageRows: number): Promise<readonly number[]> {
  const filter = new Map([['body', new Map([['$match', search]])]]);
  const found: number[] = [];
  for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const request = requestOf(side, { filter, sort: undefined });
    const plan = planRead(request, rowsPage(after, pageRows, 'paged'));
    const { written, rows, next } = await finishRead(plan, await side.engine.readRows(plan));
    const page =
      written === undefined
        ? rows.map(([id]) => Number(id))
        : (JSON.parse(`[${written.text}]`) as { readonly id: number }[]).map(({ id }) => id);
    found.push(...page);
    after = next;
  }
  return found;
}

/** The ids of a sort by words. */
async function ranked(side: Side, search: string, limit: number): Promise<readonly number[]> {
  const request = requestOf(side, { filter: undefined, sort: new Map([['body', search]]) });
  const plan = planRead(request, searchPage(limit));
  const { rows } = await finishRead(plan, await side.engine.readRows(plan));
  return rows.map(([id]) => Number(id));
}

function requestOf(
  { table }: Side,
  clauses: { readonly filter: JsonObject | undefined; readonly sort: JsonObject | undefined },
) {
  const projection: JsonValue = new Map([['id', true]]);
  return parseReadRequest({ ...clauses, projection }, table);
}

const vocabulary = Array.from({ length: 30 }, (_, at) => `w${at}`);

/** A text of up to 12 words, the first of the vocabulary more often than others; rarely none. */
export function randomText(random: SeededRandom): string | null {
  if (random.oneIn(12)) return null;
  const word = () => vocabulary[random.below(1 + random.below(vocabulary.length))];
  return Array.from({ length: random.below(13) }, word).join(' ');
}

/** One to three words, sometimes the same one. */
export function randomSearch(random: SeededRandom): string {
  const word = () => vocabulary[random.below(1 + random.below(vocabulary.length))];
  return Array.from({ length: 1 + random.below(3) }, word).join(' ');
}
