// Executes a statement of the native query language with the plans that commands use, for administrators.
import { cqlDefinition } from '../column-types/column-type.js';
import { changeColumns } from '../engine/change-columns.js';
import type { Engine } from '../engine/engine.js';
import { NativeQueryRefused, type NativeResult } from '../engine/native-result.js';
import { planAndExecute } from '../engine/plan-and-execute.js';
import { ApiError } from '../errors/api-error.js';
import { finishRead, type RowValues } from '../query/read.js';
import type { Schema } from '../schema/keyspace.js';
import { maxSelectedRows } from './plan-row-statement.js';
import { type NativePlan, planStatement } from './plan-statement.js';
import { readStatement } from './read-statement.js';

/**
 * Executes one statement, completely or not at all: by the engine if it has a language of its own, otherwise by plans.
 * @throws NativeQueryRefused, EngineError
 */
export async function runNativeQuery(engine: Engine, query: string): Promise<NativeResult> {
  if (engine.runNative !== undefined) return engine.runNative(query);
  const statement = readStatement(query);
  try {
    const makePlan = (schema: Schema) => planStatement(statement, schema);
    return await planAndExecute(engine, await engine.readSchema(), makePlan, { execute, respond });
  } catch (error) {
    // The checks that are shared with commands throw this error.
    if (error instanceof ApiError) throw new NativeQueryRefused(error.message, { cause: error });
    throw error;
  }
}

/** Returns the rows of a read, and no rows for other statements. */
async function execute(plan: NativePlan, engine: Engine): Promise<readonly RowValues[]> {
  switch (plan.kind) {
    case 'nothing':
      break;
    case 'changeSchema':
      await changeColumns(engine, plan.change, 'ALTER TABLE');
      break;
    case 'insertRow': {
      const [failure] = (await engine.insertRows(plan.insert)).rows;
      if (failure) throw failure;
      break;
    }
    case 'changeRow':
      await engine.changeRow(plan.change);
      break;
    case 'deleteRows':
      await engine.deleteRows(plan.deletion);
      break;
    case 'readRows':
      return select(plan, engine);
  }
  return [];
}

async function select(
  { read, isLimited }: Extract<NativePlan, { kind: 'readRows' }>,
  engine: Engine,
): Promise<readonly RowValues[]> {
  const { rows, next } = await finishRead(read, await engine.readRows(read));
  // Only a statement with a LIMIT may return fewer rows than there are.
  const isCut = next !== null && !(isLimited && rows.length === read.page.limit);
  if (isCut)
    throw new NativeQueryRefused(
      `the result has more than ${maxSelectedRows} rows or more than 16 MiB; select fewer rows, or add a LIMIT`,
    );
  return rows;
}

function respond(rows: readonly RowValues[], plan: NativePlan): NativeResult {
  const columns = plan.kind === 'readRows' ? plan.read.columns : [];
  return {
    columns: columns.map(({ name, type }) => ({ name, type: cqlDefinition(type) })),
    rows: rows.map((row) =>
      columns.map(({ type }, at) => {
        const value = row[at];
        return value === null || value === undefined ? 'null' : type.serialize(value);
      }),
    ),
  };
}
