// Checks when a plan is made again, and when not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from './engine.js';
import { EngineError, type EngineErrorKind } from './engine-error.js';
import { planAndExecute } from './plan-and-execute.js';

/** Executes plans on an engine that refuses the first ones. Returns the result and the calls. */
function makeTrial(
  refusals: number,
  kind: EngineErrorKind | ((execution: number) => EngineErrorKind) = 'schemaChanged',
) {
  const kindOf = typeof kind === 'string' ? () => kind : kind;
  const reads: (boolean | undefined)[] = [];
  const executed: number[] = [];
  const engine: Engine = {
    name: 'sample',
    readSchema: async (afterChanges) => {
      reads.push(afterChanges);
      return { keyspaces: new Map() };
    },
    changeSchema: unused,
    insertRows: unused,
    readRows: unused,
    changeRow: unused,
    deleteRows: unused,
    close: async () => {},
  };
  const run = async (makePlan: (attempt: number) => number | Promise<number>) =>
    planAndExecute(engine, await engine.readSchema(false), () => makePlan(reads.length), {
      execute: async (plan) => {
        executed.push(plan);
        if (executed.length <= refusals) throw new EngineError(kindOf(executed.length), 'refused');
        return 'done';
      },
      respond: (outcome, plan) => `${outcome} ${plan}`,
    });
  return { engine, reads, executed, run };
}

async function unused(): Promise<never> {
  throw new TypeError('not called here');
}

describe('planAndExecute', () => {
  it('makes a plan again for a schema with the changes under way when the schema has changed', async () => {
    const { reads, executed, run } = makeTrial(2);
    assert.equal(await run((attempt) => attempt), 'done 3');
    assert.deepEqual(reads, [false, true, true]);
    assert.deepEqual(executed, [1, 2, 3]);
  });

  it('waits for plans that are promised', async () => {
    const { run } = makeTrial(1);
    assert.equal(await run(async (attempt) => attempt * 10), 'done 20');
  });

  it('gives other failures at once', async () => {
    for (const kind of ['readFailed', 'overloaded'] as const) {
      const { executed, run } = makeTrial(1, kind);
      await assert.rejects(
        run(() => 1),
        { kind },
      );
      assert.deepEqual(executed, [1]);
    }
    const refused = makeTrial(0);
    await assert.rejects(
      refused.run(() => {
        throw new RangeError('no plan');
      }),
      RangeError,
    );
    assert.deepEqual(refused.executed, []);
  });

  it('makes a plan again where nodes did not answer, a few times', async () => {
    const twice = makeTrial(2, 'unavailable');
    assert.equal(await twice.run((attempt) => attempt), 'done 3');
    const { executed, run } = makeTrial(Number.POSITIVE_INFINITY, 'unavailable');
    await assert.rejects(
      run(() => 1),
      { kind: 'unavailable' },
    );
    assert.equal(executed.length, 3);
  });

  it('counts the two failures apart, and waits for changes of the schema only behind one', async () => {
    const { reads, run } = makeTrial(6, (execution) => (execution <= 4 ? 'schemaChanged' : 'unavailable'));
    assert.equal(await run((attempt) => attempt), 'done 7');
    assert.deepEqual(reads, [false, true, true, true, true, false, false]);
  });

  it('ends when the schema keeps changing', async () => {
    const { executed, run } = makeTrial(Number.POSITIVE_INFINITY);
    await assert.rejects(
      run(() => 1),
      { kind: 'schemaChanged' },
    );
    assert.equal(executed.length, 1_000);
  });

  it('makes a plan that does nothing again for the latest schema, behind each failure', async () => {
    const calls: string[] = [];
    const schemas = { known: { keyspaces: new Map() }, latest: { keyspaces: new Map() } };
    const { engine } = makeTrial(0);
    const other: Engine = {
      ...engine,
      readSchema: () => schemas.known,
      readLatestSchema: async () => schemas.latest,
    };
    const plans = { known: 'nothing', latest: 'change' };
    const run = () =>
      planAndExecute(
        other,
        schemas.known,
        (schema) => {
          const of = schema === schemas.latest ? 'latest' : 'known';
          calls.push(`plan for the ${of} one`);
          return plans[of];
        },
        {
          changesNothing: (plan) => plan === 'nothing',
          execute: async (plan) => {
            calls.push(plan);
            plans.latest = 'nothing';
            if (plan === 'change') throw new EngineError('schemaChanged', 'another server made it');
          },
          respond: () => 'done',
        },
      );
    assert.equal(await run(), 'done');
    const twice = ['plan for the known one', 'plan for the latest one'];
    assert.deepEqual(calls, [...twice, 'change', ...twice, 'nothing']);
  });
});
