// A table with a vector index on an engine, and the rows that it should have, so that searches can be checked.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { finishRead, type ReadPlan, type ReadResult } from '../../src/data-service/query/read.js';
import type { VectorSearch } from '../../src/data-service/query/vector-search.js';
import type { Table } from '../../src/data-service/schema/table.js';
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import type { JsonText } from '../../src/foundation/json/json-value.js';
import { createTable, deleteRows, readPlan } from '../conformance/engine-steps.js';
import { presentTable } from '../conformance/index-steps.js';
import { distanceBy, nearestDistances, recallOf } from './brute-force.js';

/** Rows have the key `id`, and `part`, `id % 100`, for filters. */
export class SearchedTable {
  readonly rows = new Map<number, Float32Array>();
  readonly metric: VectorMetric;
  readonly #engine: Engine;
  #table: Table;

  constructor(
    engine: Engine,
    table: Table,
    metric: VectorMetric,
    rows: ReadonlyMap<number, Float32Array> = new Map(),
  ) {
    this.#engine = engine;
    this.#table = table;
    this.metric = metric;
    for (const [id, vector] of rows) this.rows.set(id, vector);
  }

  /** Makes the table, without its index. */
  static async make(engine: Engine, dimension: number, metric: VectorMetric): Promise<SearchedTable> {
    const columns = { id: 'int', part: 'int', v: `vector<float,${dimension}>` };
    return new SearchedTable(engine, await createTable(engine, { columns }), metric);
  }

  get table(): Table {
    return this.#table;
  }

  /** The table after its engine was opened again. */
  async on(engine: Engine): Promise<SearchedTable> {
    return new SearchedTable(engine, await presentTable(engine, this.#table), this.metric, this.rows);
  }

  async createIndex(): Promise<void> {
    const column = this.#column('v');
    const index = {
      kind: 'vector',
      name: `${this.#table.name}_v`,
      column,
      metric: this.metric,
    } as const;
    await this.#engine.changeSchema({
      kind: 'createIndex',
      table: this.#table,
      index: { ...index, sourceModel: 'other' },
    });
    this.#table = await presentTable(this.#engine, this.#table);
  }

  async dropIndex(): Promise<void> {
    const [index] = this.#table.indexes;
    assert.ok(index);
    await this.#engine.changeSchema({ kind: 'dropIndex', table: this.#table, index });
    this.#table = await presentTable(this.#engine, this.#table);
  }

  /** Inserts rows or replaces them. */
  async put(rows: readonly (readonly [id: number, vector: Float32Array])[]): Promise<void> {
    const columns = ['id', 'part', 'v'].map((name) => this.#column(name));
    const assignments = rows.map(([id, vector]) => ({ columns, values: [id, id % 100, vector] }));
    const { rows: outcomes } = await this.#engine.insertRows({ table: this.#table, rows: assignments });
    assert.ok(outcomes.every((outcome) => outcome === null));
    for (const [id, vector] of rows) this.rows.set(id, vector);
  }

  async remove(id: number): Promise<void> {
    await deleteRows(this.#engine, this.#table, `{"id":${id}}`);
    this.rows.delete(id);
  }

  /** Sets the vector of a row to null. */
  async clear(id: number): Promise<void> {
    await this.#engine.changeRow({
      table: this.#table,
      key: [id],
      changes: [{ kind: 'set', column: this.#column('v'), value: null }],
    });
    this.rows.delete(id);
  }

  /** Waits until the index answers searches. `answeredBy` gives what answered the last search. */
  async indexIsLoaded(answeredBy: () => string): Promise<void> {
    const [query = new Float32Array()] = this.rows.values();
    for (;;) {
      await this.find(query, 1);
      if (answeredBy() === 'index') return;
      await setTimeout(20);
    }
  }

  /** The recall of one search; a row that should not be found fails. */
  async recall(
    query: Float32Array,
    limit: number,
    filter: JsonText = '{}',
    passes = (_: number) => true,
  ): Promise<number> {
    const found = (await this.find(query, limit, filter)).rows.map(([id]) => {
      const row = this.rows.get(Number(id));
      assert.ok(row !== undefined && passes(Number(id)), `row ${id} should not be found`);
      return distanceBy(this.metric, row, query);
    });
    const rows = [...this.rows].filter(([id]) => passes(id)).map(([, row]) => row);
    return recallOf(found, nearestDistances(this.metric, rows, query, limit));
  }

  /** What a search finds: id, part, vector. */
  async find(query: Float32Array, limit: number, filter: JsonText = '{}'): Promise<ReadResult> {
    const plan = this.#plan(query, limit, filter);
    return finishRead(plan, await this.#engine.readRows(plan));
  }

  #plan(query: Float32Array, limit: number, filter: JsonText): ReadPlan {
    const search: VectorSearch = { kind: 'vector', column: this.#column('v'), query, metric: this.metric };
    return readPlan(this.#table, filter, { limit, search });
  }

  #column(name: string) {
    const column = this.#table.columnsByName.get(name);
    assert.ok(column);
    return column;
  }
}
