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

/** Every change under way at the same time can outdate a plan once, and clients send hundreds at a time. */
const maxPlans = 1_000;
/** An engine has tried other nodes before it gives up: more would only take the client's time. */
const maxPlansForNodes = 3;

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
  for (let attempt = 1; ; attempt += 1) {
    const planned = makePlan(await engine.readSchema(attempt > 1));
    // Hardly any plan has to wait: the others are spared the turn of a promise.
    const plan = planned instanceof Promise ? await planned : planned;
    try {
      return steps.respond(await steps.execute(plan, engine), plan);
    } catch (error) {
      if (!(error instanceof EngineError) || attempt >= plansAfter(error)) throw error;
    }
  }
}

/** How many plans may end with such an error. */
function plansAfter({ kind }: EngineError): number {
  if (kind === 'schemaChanged') return maxPlans;
  return kind === 'unavailable' ? maxPlansForNodes : 1;
}
