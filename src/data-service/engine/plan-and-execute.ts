// Plans with the present schema and executes. The only place where a plan is repeated: after the schema changed, or if
// nodes did not answer.
import type { Schema } from '../schema/keyspace.js';
import type { Engine } from './engine.js';
import { EngineError } from './engine-error.js';

/** The steps after a plan. */
export interface Steps<Plan, Outcome, Result> {
  /** Whether the plan does nothing, because the schema is as it is to be. Pure. Absent: no plan does nothing. */
  changesNothing?(plan: Plan): boolean;
  /** @throws EngineError, or an error that depends on the stored rows */
  execute(plan: Plan, engine: Engine): Promise<Outcome>;
  /** Pure. */
  respond(outcome: Outcome, plan: Plan): Result;
}

/** The maximum number of plans for each error. */
const mostPlans = {
  /** Each simultaneous change can make a plan outdated once, and clients send hundreds at a time. */
  schemaChanged: 1_000,
  /** The engine has already tried other nodes: more attempts would only delay the reply. */
  unavailable: 3,
} as const;

/**
 * Makes a plan for the schema that the caller has just read, executes it and responds. If the engine refuses the plan
 * with `schemaChanged` or `unavailable`, nothing was changed, or only rows were deleted that the repeated plan deletes
 * anyway, and the plan is made again for the schema of that time.
 * A plan that does nothing is made again for the latest schema: the schema that the caller has read may be that of some
 * time ago, because other servers change it, too.
 * `makePlan` returns a promise only if it must wait.
 * @throws EngineError, and the errors of the steps
 */
export async function planAndExecute<Plan, Outcome, Result>(
  engine: Engine,
  schema: Schema,
  makePlan: (schema: Schema) => Plan | Promise<Plan>,
  steps: Steps<Plan, Outcome, Result>,
): Promise<Result> {
  const failed = { schemaChanged: 0, unavailable: 0 };
  let isLatest = false;
  for (let present = schema; ; ) {
    const planned = makePlan(present);
    // Few plans have to wait; for the others, `await` would cost a turn of the microtask queue.
    const plan = planned instanceof Promise ? await planned : planned;
    if (!isLatest && steps.changesNothing?.(plan) === true && engine.readLatestSchema !== undefined) {
      // It waits for nodes by itself, so a failure is not repeated.
      present = await engine.readLatestSchema();
      isLatest = true;
      continue;
    }
    try {
      return steps.respond(await steps.execute(plan, engine), plan);
    } catch (error) {
      if (!(error instanceof EngineError) || (error.kind !== 'schemaChanged' && error.kind !== 'unavailable'))
        throw error;
      failed[error.kind] += 1;
      if (failed[error.kind] >= mostPlans[error.kind]) throw error;
      isLatest = false;
      present = await engine.readSchema(error.kind === 'schemaChanged');
    }
  }
}
