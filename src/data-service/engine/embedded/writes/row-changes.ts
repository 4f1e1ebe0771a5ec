// Changes of rows: converts plans to statements, and their results to outcomes.
import type { ChangePlan, DeletePlan, InsertPlan } from '../../../query/write.js';
import type { Table } from '../../../schema/table.js';
import type { InsertOutcome } from '../../engine.js';
import { EngineError } from '../../engine-error.js';
import { deleteStatements } from '../statements/delete-statements.js';
import { changeStatements, insertStatements, type WriteStatement } from '../statements/write-statements.js';
import { RowsTooLarge } from './write-errors.js';

/** Runs the statements of one plan, all or none. Rejects with an EngineError. */
export type WriteRows = (table: Table, statements: readonly WriteStatement[]) => Promise<void>;

/** Runs the plans that change rows, for the engine and its guests. */
export class RowChanges {
  readonly #write: WriteRows;

  constructor(write: WriteRows) {
    this.#write = write;
  }

  async insert(plan: InsertPlan): Promise<InsertOutcome> {
    try {
      await this.#write(plan.table, insertStatements(plan));
      return { rows: plan.rows.map(() => null) };
    } catch (error) {
      if (error instanceof RowsTooLarge) return storedBeside(error, plan);
      const isOfTheRows = error instanceof EngineError && error.kind === 'writeFailed';
      if (!isOfTheRows) throw error;
      return { rows: plan.rows.map(() => error) };
    }
  }

  change(plan: ChangePlan): Promise<void> {
    return this.#write(plan.table, changeStatements(plan));
  }

  delete(plan: DeletePlan): Promise<void> {
    return this.#write(plan.table, deleteStatements(plan));
  }
}

function storedBeside(error: RowsTooLarge, { rows, isOrdered }: InsertPlan): InsertOutcome {
  const [first = 0] = error.sets;
  const isRefused = (at: number) => error.sets.includes(at) || (isOrdered === true && at > first);
  return { rows: rows.map((_, at) => (isRefused(at) ? error : null)) };
}
