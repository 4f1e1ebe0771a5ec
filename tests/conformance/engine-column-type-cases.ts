// Engine suite: the law of column types on engines: values come back, and filters agree with the type's order.
import assert from 'node:assert/strict';
import type { ColumnType } from '../../src/data-service/column-types/column-type.js';
import { columnTypes } from '../../src/data-service/column-types/registry.js';
import { vectorOf } from '../../src/data-service/column-types/vector.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { Comparison, Filter } from '../../src/data-service/query/filter.js';
import { filterOperators } from '../../src/data-service/query/filter-operators.js';
import { keyProblem } from '../../src/data-service/schema/parse-row.js';
import { type Column, isCounterTable, type Table } from '../../src/data-service/schema/table.js';
import { whyUnstorable } from '../../src/data-service/schema/vector-limits.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import {
  createTables,
  type EngineCase,
  read,
  readPlan,
  rowsByPages,
  type TableShape,
} from './engine-steps.js';

/** The order in which rows come: by value up or down, or by the id alone. */
type Direction = 1 | -1 | 0;

/** Where a column of the type under test stands in a table. Rows have an id and a value. */
interface Place {
  readonly name: string;
  readonly fits: (type: ColumnType) => boolean;
  readonly shape: (typeName: string) => TableShape;
  readonly direction: Direction;
}

const columnsOf = (type: string) => ({ part: 'int', id: 'int', value: type });
const places: readonly Place[] = [
  {
    name: 'a plain column',
    fits: () => true,
    shape: (type) => ({ columns: columnsOf(type), clustering: { id: 1 } }),
    direction: 0,
  },
  {
    name: 'the partition key',
    fits: ({ traits }) => traits.key,
    shape: (type) => ({ columns: columnsOf(type), partitionKey: ['value'] }),
    direction: 1,
  },
  {
    name: 'an ascending clustering column',
    fits: ({ traits }) => traits.key,
    shape: (type) => ({ columns: columnsOf(type), clustering: { value: 1 } }),
    direction: 1,
  },
  {
    name: 'a descending clustering column',
    fits: ({ traits }) => traits.key,
    shape: (type) => ({ columns: columnsOf(type), clustering: { value: -1 } }),
    direction: -1,
  },
];

const types: readonly ColumnType[] = [...columnTypes, ...[1, 3, 1536].map(vectorOf)];

/** Two cases for each type, in all places it may stand in. */
export const columnTypeCases: readonly EngineCase[] = types.flatMap((type) => [
  {
    name: `keeps values of ${type.name} in every place of a table`,
    run: (engine: Engine) => inEveryPlace(engine, type, checkValues),
  },
  {
    name: comparisonsOf(type),
    run: (engine: Engine) => inEveryPlace(engine, type, checkComparisons),
  },
]);

/** Whether cases that are the same for every type are tried with it where they are tried with some types only. */
export function isSampleType({ name }: ColumnType): boolean {
  return ['int', 'text', 'timestamp', 'varint'].includes(name);
}

/** The comparisons of all types but some, each with a reason to leave it out. */
export function withoutComparisonsOfMostTypes(reason: string): Readonly<Record<string, string>> {
  const left = types.filter((type) => !isSampleType(type));
  return Object.fromEntries(left.map((type) => [comparisonsOf(type), reason]));
}

function comparisonsOf({ name }: ColumnType): string {
  return `compares values of ${name} in every place of a table`;
}

type CheckPlace = (engine: Engine, table: Table, values: readonly unknown[], place: Place) => Promise<void>;

async function inEveryPlace(engine: Engine, type: ColumnType, check: CheckPlace): Promise<void> {
  const examples = type.examples.accepts.map((example) =>
    type.parse(parseJson(example, { maxDepth: 9, maxNumberLength: 100 })),
  );
  const fitting = places.filter(({ fits }) => fits(type));
  const tables = await createTables(
    engine,
    fitting.map(({ shape }) => shape(type.name)),
  );
  const placed = fitting.flatMap((place, at) => {
    const table = tables[at];
    assert.ok(table);
    const values = examples.filter((value) => fitsKey(table, value) && isStorable(table, value));
    return [{ place, table, values }];
  });
  for (const { place, table, values } of placed) await fill(engine, table, values, hasBareRow(table, place));
  for (const { place, table, values } of placed) await check(engine, table, values, place);
}

/** Rows with other keys are refused before they reach an engine. */
function fitsKey(table: Table, value: unknown): boolean {
  return keyProblem(table, ({ name }) => (name === 'value' ? value : 1)) === undefined;
}

/** Rows with vectors that the storage does not take are refused, too. */
function isStorable(table: Table, value: unknown): boolean {
  const column = table.columnsByName.get('value');
  assert.ok(column);
  return !(value instanceof Float32Array) || whyUnstorable(table, column, value) === undefined;
}

/** Whether one row has no value: it is inserted, which is refused for counters before it reaches an engine. */
function hasBareRow(table: Table, { direction }: Place): boolean {
  return direction === 0 && !isCounterTable(table);
}

/** Not in their order; one row has no value where that is possible. */
async function fill(
  engine: Engine,
  table: Table,
  values: readonly unknown[],
  isOneBare: boolean,
): Promise<void> {
  const [part, id, value] = table.columns;
  assert.ok(part && id && value);
  if (value.type.add !== undefined) return fillByAdding(engine, table, values);
  const rows = values.map((one, at) => ({ columns: [part, id, value], values: [1, at, one] }));
  const bare = isOneBare ? [{ columns: [part, id], values: [1, values.length] }] : [];
  await engine.insertRows({ table, rows: [...rows.filter((_, at) => at % 2 === 1), ...bare] });
  await engine.insertRows({ table, rows: rows.filter((_, at) => at % 2 === 0).reverse() });
}

async function fillByAdding(engine: Engine, table: Table, values: readonly unknown[]): Promise<void> {
  const [part, id, value] = table.columns;
  assert.ok(part && id && value);
  for (const [at, one] of values.entries())
    await engine.changeRow({ table, key: [1, at], changes: [{ kind: 'add', column: value, value: one }] });
}

async function checkComparisons(
  engine: Engine,
  table: Table,
  values: readonly unknown[],
  place: Place,
): Promise<void> {
  const { direction } = place;
  const [part, id, value] = table.columns;
  assert.ok(part && id && value);
  const stored = hasBareRow(table, place) ? [...values, null] : values;
  for (const comparison of comparisonsWith(value, values)) {
    const { operator, operands } = comparison;
    const expected: readonly number[] = stored.flatMap((one, at) =>
      operator.matches(value.type, one, operands) ? [at] : [],
    );
    const inPartition: Filter = { kind: 'and', filters: [eq(part, 1), comparison] };
    // Inside a partition a descending column is sought as an ascending one is.
    for (const filter of direction === -1 ? [comparison] : [comparison, inPartition]) {
      const plan = readPlan(table, filter, { columns: [id] });
      const found = (await read(engine, plan)).rows.map(([at]) => at);
      const ordered: readonly number[] = direction === -1 ? expected.toReversed() : expected;
      // Values may have 200,000 digits: they are named by their places in the list of examples.
      const named = operands.map((operand) => values.indexOf(operand)).join();
      assert.deepEqual(found, ordered, `${place.name}: ${operator.name} of the examples ${named}`);
    }
  }
}

async function checkValues(
  engine: Engine,
  table: Table,
  values: readonly unknown[],
  place: Place,
): Promise<void> {
  const { rows } = await read(engine, readPlan(table));
  const ids = [...values.keys(), ...(hasBareRow(table, place) ? [values.length] : [])];
  assert.deepEqual(
    rows.map(([, id]) => id),
    place.direction === -1 ? ids.toReversed() : ids,
  );
  const type = table.columnsByName.get('value')?.type;
  for (const [, id, value] of rows) {
    const written = values[Number(id)];
    if (written === undefined) assert.equal(value, null);
    else assert.equal(type?.serialize(value), type?.serialize(written));
  }
  // Every value is also a position.
  const plan = readPlan(table, '{}', { limit: 1, columns: table.columns.slice(1, 2) });
  const paged = await rowsByPages(engine, plan);
  assert.deepEqual(
    paged,
    rows.map(([, id]) => `{"id":${id}}`),
  );
}

const ordinaryLength = 1000;

/**
 * Every operator that the type takes with every value, and lists of two neighbours, of none and of all. Values of
 * 100,000 digits are operands in lists only: they are compared with all others all the same.
 */
function comparisonsWith(column: Column, values: readonly unknown[]): readonly Comparison[] {
  const single = values.filter((value) => column.type.serialize(value).length <= ordinaryLength);
  const lists = [...single.map((one, at) => [one, single[(at + 1) % single.length]]), [], values];
  if (!column.type.traits.filterable) return [];
  return Object.values(filterOperators)
    .filter(({ isRange }) => !isRange || column.type.traits.range)
    .flatMap((operator) => {
      const operandLists = operator.operand === 'list' ? lists : single.map((one) => [one]);
      return operandLists.map((operands) => ({ kind: 'comparison' as const, column, operator, operands }));
    });
}

function eq(column: Column, value: unknown): Comparison {
  return { kind: 'comparison', column, operator: filterOperators.$eq, operands: [value] };
}
