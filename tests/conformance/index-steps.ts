// What tests do with indexes, in a line each.
import assert from 'node:assert/strict';
import type { PartName } from '../../src/data-service/column-types/column-type.js';
import { exactText, type TextFold } from '../../src/data-service/column-types/text-fold.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { ReadPlan } from '../../src/data-service/query/read.js';
import type { IndexDefinition, Table } from '../../src/data-service/schema/table.js';
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import type { JsonText } from '../../src/foundation/json/json-value.js';
import { findTable, type PlanChanges, readPlan } from './engine-steps.js';

/** The index of a column as createIndex would plan it; `fold`: what differs from the default, for texts only. */
export function indexOf(
  table: Table,
  columnName: string,
  fold: Partial<TextFold> = {},
  name: string = `${table.name}_${columnName}`,
): IndexDefinition {
  const column = table.columnsByName.get(columnName);
  assert.ok(column, `the column ${columnName} exists`);
  return {
    kind: 'regular',
    name,
    column,
    fold: column.type.traits.text ? { ...exactText, ...fold } : null,
  };
}

/** Makes an index on the present version of a table; gives the table with it. */
export async function createIndex(
  engine: Engine,
  before: Table,
  columnName: string,
  fold?: Partial<TextFold>,
): Promise<Table> {
  const table = await presentTable(engine, before);
  await engine.changeSchema({ kind: 'createIndex', table, index: indexOf(table, columnName, fold) });
  return presentTable(engine, table);
}

/** The index of a vector column as createVectorIndex would plan it. */
export function vectorIndexOf(table: Table, columnName: string, metric: VectorMetric): IndexDefinition {
  const { name, column } = indexOf(table, columnName);
  return { kind: 'vector', name, column, metric, sourceModel: 'other' };
}

/** Makes a vector index on the present version of a table; gives the table with it. */
export async function createVectorIndex(
  engine: Engine,
  before: Table,
  columnName: string,
  metric: VectorMetric,
): Promise<Table> {
  const table = await presentTable(engine, before);
  await engine.changeSchema({ kind: 'createIndex', table, index: vectorIndexOf(table, columnName, metric) });
  return presentTable(engine, table);
}

/** Makes an index on a part of the members of a column; `fold`: what differs from the default, for texts only. */
export async function createMemberIndex(
  engine: Engine,
  before: Table,
  columnName: string,
  part: PartName,
  fold?: Partial<TextFold>,
): Promise<Table> {
  const table = await presentTable(engine, before);
  const { column } = indexOf(table, columnName);
  const index = {
    kind: 'container',
    name: `${table.name}_${columnName}_${part}`,
    column,
    part,
    fold: fold === undefined ? null : { ...exactText, ...fold },
  } as const;
  await engine.changeSchema({ kind: 'createIndex', table, index });
  return presentTable(engine, table);
}

/** Drops the index of a column of the present version of a table; gives the table without it. */
export async function dropIndex(engine: Engine, before: Table, columnName: string): Promise<Table> {
  const table = await presentTable(engine, before);
  const index = table.indexes.find(({ column }) => column.name === columnName);
  assert.ok(index, `the column ${columnName} has an index`);
  await engine.changeSchema({ kind: 'dropIndex', table, index });
  return presentTable(engine, table);
}

/** A plan in any order that can be resumed, as find makes it without a sort. */
export function chosenPlan(table: Table, filter: JsonText, changes: PlanChanges = {}): ReadPlan {
  return readPlan(table, filter, { order: null, ...changes });
}

/** The table as the schema has it now. */
export async function presentTable(engine: Engine, { name }: Pick<Table, 'name'>): Promise<Table> {
  const table = await findTable(engine, name);
  assert.ok(table, `the table ${name} is in the schema`);
  return table;
}
