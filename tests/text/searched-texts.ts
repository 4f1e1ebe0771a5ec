// A table with a text index on an engine, and the rows that it should have, so that searches can be checked.
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
import type { SeededRandom } from '../seeded-random.js';
import { matching, ranked } from './text-model.js';

/** Rows have the key `id` and a `body`. */
export class SearchedTexts {
  readonly rows = new Map<number, string | null>();
  #engine: Engine;
  #table: Table;

  private constructor(engine: Engine, table: Table) {
    this.#engine = engine;
    this.#table = table;
  }

  /** Makes the table, without its index. */
  static async make(engine: Engine): Promise<SearchedTexts> {
    return new SearchedTexts(engine, await createTable(engine, { columns: { id: 'int', body: 'text' } }));
  }

  get table(): Table {
    return this.#table;
  }

  /** Continues on an engine that was opened again. */
  async moveTo(engine: Engine): Promise<void> {
    this.#engine = engine;
    await this.refresh();
  }

  /** Reads the present version of the table. */
  async refresh(): Promise<void> {
    this.#table = await presentTable(this.#engine, this.#table);
  }

  async createIndex(analyzer = '"standard"'): Promise<void> {
    const index = {
      kind: 'text',
      name: `${this.#table.name}_body`,
      column: this.#column('body'),
      analyzer: analyzerOf(analyzer),
    } as const;
    await this.#engine.changeSchema({ kind: 'createIndex', table: this.#table, index });
    await this.refresh();
  }

  async dropIndex(): Promise<void> {
    const [index] = this.#table.indexes;
    assert.ok(index);
    await this.#engine.changeSchema({ kind: 'dropIndex', table: this.#table, index });
    await this.refresh();
  }

  async put(rows: readonly (readonly [id: number, body: string | null])[]): Promise<void> {
    const columns = [this.#column('id'), this.#column('body')];
    const outcome = await this.#engine.insertRows({
      table: this.#table,
      rows: rows.map((values) => ({ columns, values })),
    });
    assert.ok(outcome.rows.every((each) => each === null));
    for (const [id, body] of rows) this.rows.set(id, body);
  }

  /** Sets the text of a row that exists. */
  async change(id: number, body: string | null): Promise<void> {
    const change = { kind: 'set', column: this.#column('body'), value: body } as const;
    await this.#engine.changeRow({ table: this.#table, key: [id], changes: [change] });
    this.rows.set(id, body);
  }

  async remove(id: number): Promise<void> {
    await deleteRows(this.#engine, this.#table, `{"id":${id}}`);
    this.rows.delete(id);
  }

  async removeAll(): Promise<void> {
    await deleteRows(this.#engine, this.#table, '{}');
    this.rows.clear();
  }

  /** Compares the rows of a filter and of a sort with those of the model. */
  async check(search: string, limit: number, message: string): Promise<void> {
    const found = await this.#match(search, limit);
    const expected = matching(this.rows, search);
    const name = `${message}: ${JSON.stringify(search)}`;
    assert.deepEqual(
      found.toSorted((left, right) => left - right),
      expected,
      name,
    );
    if (search.trim() !== '')
      assert.deepEqual(await this.#sort(search, limit), ranked(this.rows, search).slice(0, limit), name);
  }

  /** All pages of a filter. */
  async #match(search: string, pageRows: number): Promise<readonly number[]> {
    const filter = new Map([['body', new Map([['$match', search]])]]);
    const found: number[] = [];
    for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
      const request = this.#request({ filter, sort: undefined });
      const plan = planRead(request, rowsPage(after, pageRows, 'paged'));
      const { written, rows, next } = await finishRead(plan, await this.#engine.readRows(plan));
      const page =
        written === undefined
          ? rows.map(([id]) => Number(id))
          : (JSON.parse(`[${written.text}]`) as { readonly id: number }[]).map(({ id }) => id);
      found.push(...page);
      after = next;
    }
    return found;
  }

  async #sort(search: string, limit: number): Promise<readonly number[]> {
    const request = this.#request({ filter: undefined, sort: new Map([['body', search]]) });
    const plan = planRead(request, searchPage(limit));
    const { rows } = await finishRead(plan, await this.#engine.readRows(plan));
    return rows.map(([id]) => Number(id));
  }

  #request(clauses: { readonly filter: JsonObject | undefined; readonly sort: JsonObject | undefined }) {
    const projection: JsonValue = new Map([['id', true]]);
    return parseReadRequest({ ...clauses, projection }, this.#table);
  }

  #column(name: string) {
    const column = this.#table.columnsByName.get(name);
    assert.ok(column);
    return column;
  }
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
