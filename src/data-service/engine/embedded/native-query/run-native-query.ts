// Carries out a statement of the native query language by the means that commands use: a door for administrators.
import { cqlDefinition } from '../../../column-types/column-type.js';
import { ApiError } from '../../../errors/api-error.js';
import { listed } from '../../../errors/error-entry.js';
import { finishRead, type ReadPlan } from '../../../query/read.js';
import type { Schema } from '../../../schema/keyspace.js';
import type { SchemaChange } from '../../../schema/schema-change.js';
import type { Table } from '../../../schema/table.js';
import type { Engine } from '../../engine.js';
import { EngineError } from '../../engine-error.js';
import { NativeQueryRefused, type NativeResult } from '../../native-result.js';
import { maxSelectedRows, planDelete, planInsert, planSelect, planUpdate } from './plan-row-statement.js';
import { planAddColumns, planCreateTable, planDropColumns } from './plan-table-change.js';
import { readStatement } from './read-statement.js';
import type { Statement } from './statement.js';

/** As many as commands make: each change under way at the same time can outdate a plan once. */
const maxPlans = 1_000;
const nothing: NativeResult = { columns: [], rows: [] };

/** What a statement is carried out with. */
export type NativeQueryEngine = Pick<
  Engine,
  'readSchema' | 'changeSchema' | 'insertRows' | 'changeRow' | 'deleteRows' | 'readRows'
>;

/**
 * Carries out one statement.
 * @throws NativeQueryRefused, EngineError
 */
export async function runNativeQuery(
  query: string,
  engine: NativeQueryEngine,
  changeSchema: Engine['changeSchema'] = (change) => engine.changeSchema(change),
): Promise<NativeResult> {
  const statement = readStatement(query);
  for (let attempt = 1; ; attempt += 1) {
    const schema = await engine.readSchema(attempt > 1);
    try {
      return await carryOut(statement, schema, engine, changeSchema);
    } catch (error) {
      // Checks that commands make as well tell their refusals in this way.
      if (error instanceof ApiError) throw new NativeQueryRefused(error.message, { cause: error });
      const isOutdated = error instanceof EngineError && error.kind === 'schemaChanged';
      if (!isOutdated || attempt >= maxPlans) throw error;
    }
  }
}

async function carryOut(
  statement: Statement,
  schema: Schema,
  engine: NativeQueryEngine,
  changeSchema: Engine['changeSchema'],
): Promise<NativeResult> {
  if (statement.kind === 'createTable') {
    return change(planCreateTable(statement, keyspaceOf(statement, schema)), changeSchema);
  }
  const table = schema.keyspaces.get(statement.target.keyspace)?.tables.get(statement.target.table);
  if (table !== undefined) return carryOutOn(table, statement, engine, changeSchema);
  if ('ifExists' in statement && statement.ifExists) return nothing;
  const existing = [...keyspaceOf(statement, schema).tables.keys()];
  const { keyspace, table: name } = statement.target;
  const there =
    existing.length === 0
      ? `${keyspace} has no tables`
      : `the tables of ${keyspace} are: ${listed(existing)}`;
  throw new NativeQueryRefused(`there is no table ${keyspace}.${name}; ${there}`);
}

async function carryOutOn(
  table: Table,
  statement: Exclude<Statement, { kind: 'createTable' }>,
  engine: NativeQueryEngine,
  changeSchema: Engine['changeSchema'],
): Promise<NativeResult> {
  switch (statement.kind) {
    case 'addColumns':
      return change(planAddColumns(statement, table), changeSchema);
    case 'dropColumns':
      return change(planDropColumns(statement, table), changeSchema);
    case 'dropTable':
      return change({ kind: 'dropTable', table }, changeSchema);
    case 'insert': {
      const [failure] = (await engine.insertRows(planInsert(statement, table))).rows;
      if (failure) throw failure;
      return nothing;
    }
    case 'update':
      await engine.changeRow(planUpdate(statement, table));
      return nothing;
    case 'delete': {
      const plan = planDelete(statement, table);
      await ('filter' in plan ? engine.deleteRows(plan) : engine.changeRow(plan));
      return nothing;
    }
    case 'select':
      return select(planSelect(statement, table), statement.limit !== undefined, engine);
  }
}

async function change(
  wanted: SchemaChange | null,
  changeSchema: Engine['changeSchema'],
): Promise<NativeResult> {
  if (wanted !== null) await changeSchema(wanted);
  return nothing;
}

async function select(plan: ReadPlan, isLimited: boolean, engine: NativeQueryEngine): Promise<NativeResult> {
  const { rows, next } = await finishRead(plan, await engine.readRows(plan));
  // Fewer rows than there are must be what was asked for.
  const isCut = next !== null && !(isLimited && rows.length === plan.limit);
  if (isCut)
    throw new NativeQueryRefused(
      `there are more than ${maxSelectedRows} rows, or 16 MiB of them: name fewer, or add a LIMIT`,
    );
  return {
    columns: plan.columns.map(({ name, type }) => ({ name, type: cqlDefinition(type) })),
    rows: rows.map((row) =>
      plan.columns.map(({ type }, at) => {
        const value = row[at];
        return value === null || value === undefined ? 'null' : type.serialize(value);
      }),
    ),
  };
}

function keyspaceOf({ target }: Statement, { keyspaces }: Schema) {
  const keyspace = keyspaces.get(target.keyspace);
  if (keyspace !== undefined) return keyspace;
  throw new NativeQueryRefused(
    `there is no keyspace ${target.keyspace}; there are: ${listed([...keyspaces.keys()])}`,
  );
}
