// Watches the rows of a table: a row that changes must be one that a command was sent for.
import assert from 'node:assert/strict';
import { ValueMismatch } from '../../src/data-service/column-types/column-type.js';
import { inDialect } from '../../src/data-service/column-types/dialect.js';
import { columnTypeOfName } from '../../src/data-service/column-types/type-names.js';
import { type Filter, matchesFilter } from '../../src/data-service/query/filter.js';
import { parseKeyOfOneRow, parseKeySlice } from '../../src/data-service/query/key-filter.js';
import { makeTable, type Table } from '../../src/data-service/schema/table.js';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../src/foundation/json/json-value.js';
import type { DataClient } from './data-client.js';
import type { FuzzTable } from './fuzz-tables.js';
import { json } from './random-clauses.js';
import type { AddressedCommand } from './valid-commands.js';

/** Rows by the text of their key. */
type Rows = ReadonlyMap<JsonText, JsonObject>;

/** The rows of one table between one look at them and the next. */
export class RowWatch {
  readonly #client: DataClient;
  readonly #path: string;
  readonly #table: Table;
  #before: Rows = new Map();
  readonly #touchedKeys = new Set<JsonText>();
  readonly #deleted: Filter[] = [];
  readonly #droppedColumns = new Set<string>();

  /** `path`: the table's, below `/v1`. The table is empty. */
  constructor(client: DataClient, path: string, table: FuzzTable) {
    this.#client = client;
    this.#path = path;
    this.#table = tableOf(table);
  }

  /** Takes note of a command that was sent to the table or names it, and of whether it was refused. */
  note({ name, payload, table }: AddressedCommand, isRefused: boolean): void {
    if (name === 'insertMany') {
      // Good rows are stored beside bad ones.
      const documents = payload.get('documents') ?? null;
      for (const row of isJsonArray(documents) ? documents : []) this.#touchRow(row);
    }
    if (isRefused) return;
    if (name === 'insertOne') this.#touchRow(payload.get('document') ?? null);
    if (name === 'updateOne' || name === 'deleteOne')
      this.#touchedKeys.add(this.#keyText(parseKeyOfOneRow(filterOf(payload), this.#table)));
    if (name === 'deleteMany') this.#deleted.push(parseKeySlice(filterOf(payload), this.#table));
    if (name === 'dropTable' && payload.get('name') === table.name) this.#forget();
    if (name === 'alterTable') this.#noteDropped(payload);
  }

  /** Reads all rows; fails if one has changed that nothing was sent for. */
  async check(): Promise<void> {
    const after = await this.#readRows();
    for (const [key, row] of this.#before) {
      if (this.#isTouched(key, row)) continue;
      const left = new Map([...row].filter(([name]) => !this.#droppedColumns.has(name)));
      const isBare = left.size < row.size && left.size === this.#table.keyColumns.length;
      const found = after.get(key);
      // One that only updates made goes with its last value.
      if (found === undefined && isBare) continue;
      assert.equal(found && stringifyJson(found), stringifyJson(left), `the row ${key} of ${this.#path}`);
    }
    for (const [key, row] of after) {
      const isKnown = this.#before.has(key) || this.#touchedKeys.has(key);
      assert.ok(isKnown, `nobody made the row ${stringifyJson(row)} of ${this.#path}`);
    }
    this.#forget();
    this.#before = after;
  }

  #forget(): void {
    this.#before = new Map();
    this.#touchedKeys.clear();
    this.#deleted.splice(0);
    this.#droppedColumns.clear();
  }

  #isTouched(key: JsonText, row: JsonObject): boolean {
    if (this.#touchedKeys.has(key)) return true;
    return this.#deleted.some((filter) =>
      matchesFilter(filter, ({ name, type }) => type.parse(row.get(name) ?? null)),
    );
  }

  #noteDropped(payload: JsonObject): void {
    const operation = payload.get('operation') ?? null;
    const drop = isJsonObject(operation) ? (operation.get('drop') ?? null) : null;
    const columns = isJsonObject(drop) ? (drop.get('columns') ?? null) : null;
    for (const name of isJsonArray(columns) ? columns : []) this.#droppedColumns.add(String(name));
  }

  #touchRow(row: JsonValue): void {
    if (!isJsonObject(row)) return;
    const key = this.#table.keyColumns.map(({ name }) => row.get(name) ?? null);
    if (key.includes(null)) return; // such a row is not stored
    try {
      this.#touchedKeys.add(
        this.#keyText(this.#table.keyColumns.map(({ type }, at) => type.parse(key[at] ?? null))),
      );
    } catch (error) {
      if (!(error instanceof ValueMismatch)) throw error; // nor is this one
    }
  }

  #keyText(values: readonly unknown[]): JsonText {
    return `[${this.#table.keyColumns.map(({ type }, at) => type.serialize(values[at])).join(',')}]`;
  }

  async #readRows(): Promise<Rows> {
    const rows = new Map<JsonText, JsonObject>();
    let state: JsonValue = null;
    do {
      const find = new Map([['options', new Map([['pageState', state]])]]);
      const { text } = await this.#client.send(this.#path, stringifyJson(new Map([['find', find]])));
      const data = memberOf(json(text), 'data');
      const documents = memberOf(data, 'documents');
      assert.ok(isJsonArray(documents), text.slice(0, 500));
      for (const row of documents) {
        assert.ok(isJsonObject(row), text.slice(0, 500));
        const names = this.#table.keyColumns.map(({ name }) => name);
        rows.set(stringifyJson(names.map((name) => row.get(name) ?? null)), row);
      }
      state = memberOf(data, 'nextPageState');
    } while (state !== null);
    return rows;
  }
}

function memberOf(value: JsonValue, name: string): JsonValue {
  return isJsonObject(value) ? (value.get(name) ?? null) : null;
}

function filterOf(payload: JsonObject): JsonObject | undefined {
  const filter = payload.get('filter') ?? null;
  return isJsonObject(filter) ? filter : undefined;
}

function tableOf({ name, columns, partitionBy, partitionSort, isExtended }: FuzzTable): Table {
  const dialect = isExtended === true ? 'extended' : 'strict';
  const identity = { id: 1, version: 1, keyspace: '' };
  return makeTable(identity, {
    name,
    columns: columns.map((column) => {
      const type = columnTypeOfName(column.type);
      assert.ok(type, column.type);
      return { name: column.name, type: inDialect(type, dialect) };
    }),
    partitionKey: partitionBy,
    clustering: Object.entries(partitionSort).map(([column, direction]) => ({ name: column, direction })),
  });
}
