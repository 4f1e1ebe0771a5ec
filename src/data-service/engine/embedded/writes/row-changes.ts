// Changes of rows: converts plans to statements, and their results to outcomes.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { ChangePlan, InsertPlan } from '../../../query/write.js';
import type { Table } from '../../../schema/table.js';
import { analysisUnits } from '../../../text-analysis/analyzer.js';
import type { Engine, InsertOutcome } from '../../engine.js';
import { EngineError } from '../../engine-error.js';
import { portionUnits } from '../file/text-functions.js';
import { changeStatements, insertStatements, type WriteStatement } from '../statements/write-statements.js';
import { RowsTooLarge } from './write-errors.js';

/** Runs the statements of one plan, all or none. Rejects with an EngineError. */
export type WriteRows = (table: Table, statements: readonly WriteStatement[]) => Promise<void>;

/** Rows of so many bytes take some ten milliseconds; then other writes have their turn. */
const portionBytes = 1024 * 1024;

/**
 * Makes the functions that insert and change rows, for the engine and its guests. `hasLargePlans`: the rows of an
 * insert can have more than `portionBytes`, and are stored in portions then.
 */
export function rowChanges(
  write: WriteRows,
  hasLargePlans = false,
): Pick<Engine, 'insertRows' | 'changeRow'> {
  return {
    // Many requests wait in this function at the same time: it keeps only the plan and its statements.
    insertRows: async (plan: InsertPlan) => {
      const statements = insertStatements(plan);
      // Static values are removed together with the rows that have null for them.
      if (hasLargePlans && statements.every(isOfRows)) return insertPortions(plan, statements, write);
      try {
        await write(plan.table, statements);
        return { rows: plan.rows.map(() => null) };
      } catch (error) {
        if (error instanceof RowsTooLarge) return { rows: storedBeside(error, plan.rows.length, plan) };
        if (!(error instanceof EngineError) || error.kind !== 'writeFailed') throw error;
        return { rows: plan.rows.map(() => error) };
      }
    },
    changeRow: (plan: ChangePlan) => write(plan.table, changeStatements(plan)),
  };
}

async function insertPortions(
  plan: InsertPlan,
  statements: readonly WriteStatement[],
  write: WriteRows,
): Promise<InsertOutcome> {
  const rows: (EngineError | null)[] = [];
  const rest = (error: EngineError) => plan.rows.slice(rows.length).map(() => error);
  for (const portion of portionsOf(statements, plan.table)) {
    const count = portion.reduce((sum, { valueSets }) => sum + valueSets.length, 0);
    try {
      await write(plan.table, portion);
      rows.push(...Array<null>(count).fill(null));
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error instanceof RowsTooLarge) {
        rows.push(...storedBeside(error, count, plan));
        if (plan.isOrdered === true) return { rows: [...rows, ...rest(error)] };
      } else if (error.kind === 'writeFailed' || rows.length > 0) return { rows: [...rows, ...rest(error)] };
      else throw error;
    }
  }
  return { rows };
}

/** The others remove static values. */
function isOfRows({ tooLarge }: WriteStatement): boolean {
  return tooLarge !== undefined;
}

/**
 * The statements of an insert, in portions that each end with the row that makes them large, or whose texts take long
 * to analyze.
 */
function* portionsOf(
  statements: readonly WriteStatement[],
  table: Table,
): Iterable<readonly WriteStatement[]> {
  let portion: WriteStatement[] = [];
  let [bytes, units] = [0, 0];
  for (const statement of statements) {
    const weights = unitsOfColumns(statement, table);
    let from = 0;
    for (const [at, values] of statement.valueSets.entries()) {
      for (const value of values) bytes += sizeOf(value);
      for (const [place, weight] of weights) units += sizeOf(values[place] ?? null) * weight;
      if (bytes < portionBytes && units < portionUnits) continue;
      yield [...portion, { ...statement, valueSets: statement.valueSets.slice(from, at + 1) }];
      [portion, bytes, units, from] = [[], 0, 0, at + 1];
    }
    if (from < statement.valueSets.length)
      portion.push({ ...statement, valueSets: statement.valueSets.slice(from) });
  }
  if (portion.length > 0) yield portion;
}

/** The places of values with a text index, with the units of a character, see `analysisUnits`. */
function unitsOfColumns(
  { columns = [] }: WriteStatement,
  { indexes }: Table,
): readonly (readonly [place: number, units: number])[] {
  return indexes.flatMap((index) => {
    const place = index.kind === 'text' ? columns.indexOf(index.column) : -1;
    return index.kind === 'text' && place >= 0 ? [[place, analysisUnits(1, index.analyzer)] as const] : [];
  });
}

/** About the bytes of a value. */
function sizeOf(value: SqlValue): number {
  if (typeof value === 'string') return value.length;
  return value instanceof Uint8Array ? value.byteLength : 8;
}

function storedBeside(
  error: RowsTooLarge,
  count: number,
  { isOrdered }: InsertPlan,
): readonly (EngineError | null)[] {
  const [first = 0] = error.sets;
  const isRefused = (at: number) => error.sets.includes(at) || (isOrdered === true && at > first);
  return Array.from({ length: count }, (_, at) => (isRefused(at) ? error : null));
}
