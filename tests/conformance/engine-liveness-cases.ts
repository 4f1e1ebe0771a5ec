// Engine suite: which rows live (differences: Upsert and row-liveness).
import assert from 'node:assert/strict';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { change, createTable, deleteRows, type EngineCase, insert, rowsOf } from './engine-steps.js';

const shape = { columns: { p: 'int', c: 'int', a: 'text', b: 'int' }, clustering: { c: -1 as const } };
const key = '{"p":1,"c":2}';

/** A story about the row `key`, and the row that is left of it. */
interface Story {
  readonly name: string;
  readonly play: (engine: Engine, table: Table) => Promise<void>;
  readonly left: readonly string[];
}

const insertRow = (row: string) => (engine: Engine, table: Table) => insert(engine, table, row);
const update = (assignments: string) => (engine: Engine, table: Table) =>
  change(engine, table, key, assignments);
const remove = (engine: Engine, table: Table) => deleteRows(engine, table, key);

/** One step after another. */
function story(
  name: string,
  steps: readonly ((engine: Engine, table: Table) => Promise<void>)[],
  left: readonly string[],
): Story {
  const play = async (engine: Engine, table: Table) => {
    for (const step of steps) await step(engine, table);
  };
  return { name, play, left };
}

const bare = ['{"p":1,"c":2}'];

const stories: readonly Story[] = [
  story('an update makes the row', [update('{"b":1}')], ['{"p":1,"c":2,"b":1}']),
  story('an update to null makes no row', [update('{"b":null}')], []),
  story(
    'an update keeps the columns it does not name',
    [update('{"a":"x","b":1}'), update('{"b":2}')],
    ['{"p":1,"c":2,"a":"x","b":2}'],
  ),
  story(
    'an update may set one column and unset another',
    [update('{"a":"x"}'), update('{"a":null,"b":1}')],
    ['{"p":1,"c":2,"b":1}'],
  ),
  story(
    'unsetting the last value of an updated row removes it',
    [update('{"b":1}'), update('{"b":null}')],
    [],
  ),
  story(
    'unsetting every value of an updated row at once removes it',
    [update('{"a":"x","b":1}'), update('{"b":null,"a":null}')],
    [],
  ),
  story(
    'unsetting one of two values of an updated row keeps it',
    [update('{"a":"x","b":1}'), update('{"b":null}')],
    ['{"p":1,"c":2,"a":"x"}'],
  ),
  story('a row inserted without values stays', [insertRow(key)], bare),
  story(
    'a row inserted stays when its last value is unset',
    [insertRow('{"p":1,"c":2,"a":"x"}'), update('{"a":null}')],
    bare,
  ),
  story(
    'an insert of nulls makes a row that stays',
    [insertRow('{"p":1,"c":2,"a":null,"b":null}'), update('{"b":null}')],
    bare,
  ),
  story(
    'a row updated after its insert stays',
    [insertRow(key), update('{"b":1}'), update('{"b":null}')],
    bare,
  ),
  story(
    'a row inserted after its update stays',
    [update('{"b":1}'), insertRow(key), update('{"b":null}')],
    bare,
  ),
  story(
    'an insert keeps what an update set before',
    [update('{"b":1}'), insertRow('{"p":1,"c":2,"a":"x"}')],
    ['{"p":1,"c":2,"a":"x","b":1}'],
  ),
  story(
    'an update makes a row again after its removal, and its insert is forgotten',
    [insertRow('{"p":1,"c":2,"a":"x"}'), remove, update('{"b":1}')],
    ['{"p":1,"c":2,"b":1}'],
  ),
  story(
    'a row inserted, deleted and updated is gone with its last value',
    [insertRow(key), remove, update('{"b":1}'), update('{"b":null}')],
    [],
  ),
  story(
    'unsetting what is not there leaves the row gone',
    [update('{"b":1}'), remove, update('{"a":null,"b":null}')],
    [],
  ),
];

/** Row liveness: each story with a neighbour that must not be touched. */
export const livenessCases: readonly EngineCase[] = stories.map(({ name, play, left }) => ({
  name,
  run: async (engine) => {
    const table = await createTable(engine, shape);
    const neighbours = ['{"p":1,"c":3,"b":3}', '{"p":1,"c":1}'];
    await insert(engine, table, ...neighbours);
    await play(engine, table);
    assert.deepEqual(await rowsOf(engine, table, key), left);
    assert.deepEqual(await rowsOf(engine, table), [neighbours[0], ...left, neighbours[1]]);
  },
}));
