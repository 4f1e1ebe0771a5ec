// What the cases of the engine suite do with an engine, in a line each: rows and filters are written as JSON.

import assert from 'node:assert/strict';
import { type Dialect, inDialect } from '../../src/data-service/column-types/dialect.js';
import { columnTypeOfName } from '../../src/data-service/column-types/type-names.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError, type EngineErrorKind } from '../../src/data-service/engine/engine-error.js';
import { planAndExecute } from '../../src/data-service/engine/plan-and-execute.js';
import type { Filter } from '../../src/data-service/query/filter.js';
import { parseFilter } from '../../src/data-service/query/parse-filter.js';
import { parseUpdateClause, resolveUpdate } from '../../src/data-service/query/parse-update.js';
import {
  finishRead,
  type ReadPage,
  type ReadPlan,
  type ReadResult,
  wantsPosition,
} from '../../src/data-service/query/read.js';
import type { Position, RowOrder } from '../../src/data-service/query/row-order.js';
import { WrittenValue } from '../../src/data-service/query/row-text.js';
import type { ColumnChange } from '../../src/data-service/query/write.js';
import { type Assignments, parseValue } from '../../src/data-service/schema/parse-row.js';
import type { Table, TableDefinition } from '../../src/data-service/schema/table.js';
import { isJsonObject, type JsonObject, type JsonText } from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';

/** A sentence about engines, and how it is tried out. The engine may hold what other cases left. */
export interface EngineCase {
  readonly name: string;
  /** What an engine must be able to do; without it the case is skipped. */
  readonly needs?: 'documents';
  /**
   * `unsorted`: how rows of reads in any order are compared with those that the case states. `lackingShare`: of the
   * rows with a vector, those that a search may lack where it does not give all of them; 0 where searches are exact.
   */
  readonly run: (engine: Engine, unsorted: UnsortedRows, lackingShare: number) => Promise<void>;
}

/** What is compared of reads in any order. */
export interface UnsortedRows {
  /** Rows as JSON objects. */
  rows(found: readonly JsonText[], expected: readonly JsonText[], message?: string): void;
  /** The order that the outcome names, with the names of the columns it has by the case. */
  order(found: RowOrder | null, expected: string, message?: string): void;
}

/** Rows come as the case states: by the key, or by an index that serves the filter. */
export const inStatedOrder: UnsortedRows = {
  rows: (found, expected, message) => assert.deepEqual(found, expected, message),
  order: (found, expected, message) =>
    assert.equal(found?.map(({ column }) => column.name).join(' '), expected, message),
};

const inAnyOrder: UnsortedRows['rows'] = (found, expected, message) =>
  assert.deepEqual(found.toSorted(), expected.toSorted(), message);

/** The rows come in an order of the engine's own. */
export const inOwnOrder: Readonly<Record<'key' | 'unnamed', UnsortedRows>> = {
  key: {
    rows: inAnyOrder,
    order: (found, _, message) => assert.ok(found !== null && isKeyOrder(found), message),
  },
  unnamed: { rows: inAnyOrder, order: (found, _, message) => assert.equal(found, null, message) },
};

/** Whether an order is that of the key of the only table in cases about the order of outcomes. */
function isKeyOrder(order: RowOrder): boolean {
  return order.map(({ column }) => column.name).join(' ') === 'p q c';
}

/** The keyspace of all tables of the suite. */
export const keyspace = 'conformance';

const jsonLimits = { maxDepth: 1000, maxNumberLength: 250_000 };
const replication: JsonObject = new Map([['class', 'SimpleStrategy']]);
let lastTable = 0;

/** `columns`: name → type. `partitionKey`: column names; the first column by default. `dialect`: strict by default. */
export interface TableShape {
  readonly dialect?: Dialect;
  readonly columns: Readonly<Record<string, string>>;
  readonly partitionKey?: readonly string[];
  readonly clustering?: Readonly<Record<string, 1 | -1>>;
}

/** The definition of a table of that shape. */
export function definitionOf(name: string, shape: TableShape): TableDefinition {
  const columns = Object.entries(shape.columns).map(([columnName, typeName]) => {
    const type = columnTypeOfName(typeName);
    assert.ok(type, `the type ${typeName} exists`);
    return { name: columnName, type: shape.dialect === undefined ? type : inDialect(type, shape.dialect) };
  });
  return {
    name,
    columns,
    partitionKey: shape.partitionKey ?? Object.keys(shape.columns).slice(0, 1),
    clustering: Object.entries(shape.clustering ?? {}).map(([column, direction]) => ({
      name: column,
      direction,
    })),
  };
}

/** Makes the keyspace unless it is there. */
export async function makeKeyspace(engine: Engine, name: string = keyspace): Promise<void> {
  await engine.changeSchema({ kind: 'createKeyspace', name, replication });
}

/** Makes a table with a name of its own. */
export async function createTable(engine: Engine, shape: TableShape): Promise<Table> {
  const [table] = await createTables(engine, [shape]);
  assert.ok(table);
  return table;
}

/** Makes tables with names of their own. */
export async function createTables(engine: Engine, shapes: readonly TableShape[]): Promise<readonly Table[]> {
  await makeKeyspace(engine);
  const definitions = shapes.map((shape) => {
    lastTable += 1;
    return definitionOf(`table_${lastTable}`, shape);
  });
  for (const definition of definitions)
    await engine.changeSchema({ kind: 'createTable', keyspace, definition });
  const tables = (await engine.readSchema()).keyspaces.get(keyspace)?.tables;
  return definitions.map(({ name }) => {
    const table = tables?.get(name);
    assert.ok(table, `the table ${name} is in the schema`);
    return table;
  });
}

/** Makes a table in the suite's keyspace. */
export async function createTableNamed(engine: Engine, name: string, shape: TableShape): Promise<Table> {
  await engine.changeSchema({ kind: 'createTable', keyspace, definition: definitionOf(name, shape) });
  const table = await findTable(engine, name);
  assert.ok(table, `the table ${name} is in the schema`);
  return table;
}

/** The table as the schema has it now. */
export async function findTable(engine: Engine, name: string): Promise<Table | undefined> {
  return (await engine.readSchema()).keyspaces.get(keyspace)?.tables.get(name);
}

/** Drops the table of that name, whatever its present version. */
export async function dropTable(engine: Engine, { name }: Table): Promise<void> {
  const table = await findTable(engine, name);
  assert.ok(table, `the table ${name} is in the schema`);
  await engine.changeSchema({ kind: 'dropTable', table });
}

/** Inserts rows given as JSON objects, in one plan; all of them must be stored. */
export async function insert(engine: Engine, table: Table, ...rows: readonly JsonText[]): Promise<void> {
  const plan = { table, rows: rows.map((row) => assignmentsOf(table, row)) };
  const outcome = await engine.insertRows(plan);
  assert.deepEqual(
    outcome.rows,
    rows.map(() => null),
  );
}

/** Assigns columns of one row; key and assignments are JSON objects. */
export function change(engine: Engine, table: Table, key: JsonText, assignments: JsonText): Promise<void> {
  return engine.changeRow({
    table,
    key: keyOf(table, key),
    changes: changesOf(table, `{"$set":${assignments}}`),
  });
}

/** Changes one row by an update clause, as a client writes it. */
export function update(engine: Engine, table: Table, key: JsonText, clause: JsonText): Promise<void> {
  return engine.changeRow({ table, key: keyOf(table, key), changes: changesOf(table, clause) });
}

/** What an update clause changes. */
export function changesOf(table: Table, clause: JsonText): readonly ColumnChange[] {
  return resolveUpdate(parseUpdateClause(objectOf(clause)), table).changes;
}

/** Deletes the rows of a filter. */
export function deleteRows(engine: Engine, table: Table, filter: JsonText): Promise<void> {
  return engine.deleteRows({ table, filter: filterOf(table, filter) });
}

/** A plan for all rows of a filter by primary key, all columns; `changes` replace parts of it. */
export function readPlan(
  table: Table,
  filter: JsonText | Filter = '{}',
  changes: PlanChanges = {},
): ReadPlan {
  const plan: ReadPlan = {
    table,
    columns: table.columns,
    filter: typeof filter === 'string' ? filterOf(table, filter) : filter,
    order: table.keyOrder,
    page: { after: null, limit: 100_000, kind: 'single', maxBytes: Number.POSITIVE_INFINITY },
    form: 'values',
    search: null,
  };
  return planWith(plan, changes);
}

/** Parts of a plan and of its page. */
export type PlanChanges = Partial<Omit<ReadPlan, 'page'> & ReadPage>;

/** The plan with other parts. */
export function planWith(plan: ReadPlan, changes: PlanChanges): ReadPlan {
  const { after, limit, kind, maxBytes } = { ...plan.page, ...changes };
  const { after: _, limit: _limit, kind: _kind, maxBytes: _maxBytes, ...others } = changes;
  return { ...plan, ...others, page: { after, limit, kind, maxBytes } };
}

/** Long reads take as long again where they are asked for in writing and cannot be given so: every third one is. */
const readsPerWriting = 3;
let reads = 0;

/** Carries a read out. Asked for in writing at the same time, its first rows must be the same. */
export async function read(engine: Engine, plan: ReadPlan): Promise<ReadResult> {
  reads += 1;
  if (plan.search !== null || reads % readsPerWriting !== 0) return finishedRead(engine, plan);
  const shown = planWith(plan, { limit: Math.min(plan.page.limit, rowsShown), form: 'text' });
  const [result, written] = await Promise.all([plan, shown].map((each) => finishedRead(engine, each)));
  assert.ok(result !== undefined && written !== undefined);
  checkWritten(plan, result, written);
  return result;
}

/** Reads and finishes a plan as commands do. */
export function finishedRead(engine: Engine, plan: ReadPlan): Promise<ReadResult> {
  return askAsCommandsDo(engine, async () => finishRead(plan, await engine.readRows(plan)));
}

/**
 * Asks as commands do, a few times where nodes do not answer. The first time it asks before it returns. The plan
 * of a case stays: a change of the schema refuses it.
 */
export async function askAsCommandsDo<Result>(engine: Engine, ask: () => Promise<Result>): Promise<Result> {
  const settle = async (): Promise<() => Result> => {
    try {
      const result = await ask();
      return () => result;
    } catch (error) {
      if (error instanceof EngineError && error.kind === 'unavailable') throw error;
      return () => {
        throw error;
      };
    }
  };
  let first: Promise<() => Result> | undefined = settle();
  const schema = { keyspaces: new Map() };
  const unchanged: Engine = { ...engine, readSchema: async () => schema };
  const settled = await planAndExecute(unchanged, schema, () => null, {
    execute: () => {
      const asked = first ?? settle();
      first = undefined;
      return asked;
    },
    respond: (outcome) => outcome,
  });
  return settled();
}

/** The engine with its changes asked for again, as commands do it. Cases finish their reads with `finishedRead`. */
export function askingAgain(engine: Engine): Engine {
  const again = <Result>(ask: () => Promise<Result>) => askAsCommandsDo(engine, ask);
  return {
    ...engine,
    changeSchema: (change) => again(() => engine.changeSchema(change)),
    insertRows: (plan) => again(() => engine.insertRows(plan)),
    changeRow: (plan) => again(() => engine.changeRow(plan)),
    deleteRows: (plan) => again(() => engine.deleteRows(plan)),
  };
}

const rowsShown = 50;

function checkWritten(plan: ReadPlan, { rows, next }: ReadResult, shown: ReadResult): void {
  if (shown.written === undefined) return;
  const { count } = shown.written;
  // Texts are longer than stored rows, so a page that ends because of its size has fewer of them.
  const isBounded = plan.page.maxBytes < Number.POSITIVE_INFINITY;
  const expected = rows.slice(0, isBounded ? count : rowsShown);
  assert.equal(shown.written.text, expected.map((row) => rowText(plan, row)).join(','));
  assert.equal(count, expected.length);
  if (!wantsPosition(plan.page)) assert.equal(shown.next, null);
  else if (isBounded) assert.equal(shown.next !== null, next !== null || rows.length > count);
  else if (plan.page.limit <= rowsShown) assert.deepEqual(shown.next, next);
  else assert.equal(shown.next !== null, rows.length > rowsShown);
}

/** The rows of a filter by primary key, each as a JSON object without its missing values. */
export async function rowsOf(
  engine: Engine,
  table: Table,
  filter: JsonText | Filter = '{}',
): Promise<readonly JsonText[]> {
  const plan = readPlan(table, filter);
  return (await read(engine, plan)).rows.map((row) => rowText(plan, row));
}

/** The rows of all pages of a plan, page after page. */
export async function rowsByPages(engine: Engine, plan: ReadPlan): Promise<readonly JsonText[]> {
  const rows: JsonText[] = [];
  const positions = new Set<Position>();
  let { after } = plan.page;
  do {
    const page: ReadResult = await read(engine, planWith(plan, { after, kind: 'paged' }));
    assert.ok(page.next === null || !positions.has(page.next), 'no page is repeated');
    if (page.next !== null) positions.add(page.next);
    assert.ok(page.rows.length <= plan.page.limit, 'a page has no more rows than wanted');
    assert.ok(page.next === null || page.rows.length === plan.page.limit, 'only the last page may be short');
    rows.push(...page.rows.map((row) => rowText(plan, row)));
    after = page.next;
  } while (after !== null);
  return rows;
}

/** A row as a JSON object without its missing values. */
export function rowText({ columns }: Pick<ReadPlan, 'columns'>, row: readonly unknown[]): JsonText {
  const members = columns.flatMap(({ label, type }, at) => {
    const value = row[at];
    if (value === null) return [];
    return [`${label}${value instanceof WrittenValue ? value.text : type.serialize(value)}`];
  });
  return `{${members.join(',')}}`;
}

/** A filter as a client writes it. */
export function filterOf(table: Table, json: JsonText): Filter {
  return parseFilter(objectOf(json), table);
}

/** Columns with values, in the order written. */
export function assignmentsOf(table: Table, json: JsonText): Assignments {
  const members = [...objectOf(json)].map(([name, value]) => {
    const column = table.columnsByName.get(name);
    assert.ok(column, `the column ${name} exists`);
    const read = parseValue(column, value);
    assert.ok('value' in read, `the value of ${name} fits`);
    return { column, value: read.value };
  });
  return { columns: members.map(({ column }) => column), values: members.map(({ value }) => value) };
}

/** The values of a whole key. */
export function keyOf(table: Table, json: JsonText): readonly unknown[] {
  const { columns, values } = assignmentsOf(table, json);
  return table.keyColumns.map((column) => values[columns.indexOf(column)] ?? null);
}

/** A JSON object, with numbers of any length. */
export function objectOf(json: JsonText): JsonObject {
  const parsed = parseJson(json, jsonLimits);
  assert.ok(isJsonObject(parsed), 'rows and filters are objects');
  return parsed;
}

/** Expects a rejection with an EngineError of that kind. */
export async function refuses(kind: EngineErrorKind, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(
    promise,
    (error) => error instanceof EngineError && error.kind === kind && error.message.length > 0,
  );
}
