// Plans against the present schema and executes. The only place where a plan is made again: after the schema changed,
// or where nodes did not answer.
import type { Schema } from '../schema/keyspace.js';
import type { Engine } from './engine.js';
import { EngineError } from './engine-error.js';

/** What follows a plan. */
export interface Steps<Plan, Outcome, Result> {
  /** @throws EngineError, or an error for what only the stored rows can show */
  execute(plan: Plan, engine: Engine): Promise<Outcome>;
  /** Pure. */
  respond(outcome: Outcome, plan: Plan): Result;
}

/** How many plans may end with each error. */
const mostPlans = {
  /** Every change under way at the same time can outdate a plan once, and clients send hundreds at a time. */
  schemaChanged: 1_000,
  /** An engine has tried other nodes before it gives up: more would only take the client's time. */
  unavailable: 3,
} as const;

/**
 * Makes a plan for the schema as of now, executes it and responds. Where the engine refuses the plan with
 * `schemaChanged` or `unavailable`, nothing was done, and the plan is made again. `makePlan` gives a promise only where
 * it must wait.
 * @throws EngineError, and what the steps throw
 */
export async function planAndExecute<Plan, Outcome, Result>(
  engine: Engine,
  makePlan: (schema: Schema) => Plan | Promise<Plan>,
  steps: Steps<Plan, Outcome, Result>,
): Promise<Result> {
  const failed = { schemaChanged: 0, unavailable: 0 };
  for (let isOutdated = false; ; ) {
    const planned = makePlan(await engine.readSchema(isOutdated));
    // Hardly any plan has to wait: the others are spared the turn of a promise.
    const plan = planned instanceof Promise ? await planned : planned;
    try {
      return steps.respond(await steps.execute(plan, engine), plan);
    } catch (error) {
      if (!(error instanceof EngineError) || (error.kind !== 'schemaChanged' && error.kind !== 'unavailable'))
        throw error;
      failed[error.kind] += 1;
      if (failed[error.kind] >= mostPlans[error.kind]) throw error;
      isOutdated = error.kind === 'schemaChanged';
    }
  }
}
