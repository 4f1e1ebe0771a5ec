// Engine suite: lists, sets and maps, what is pushed to them and pulled from them, and the rows that live by it.
import assert from 'node:assert/strict';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { change, createTable, type EngineCase, insert, rowsOf, update } from './engine-steps.js';

const shape = {
  columns: { p: 'int', n: 'int', l: 'list<text>', s: 'set<int>', m: 'map<text,decimal>' },
};
const key = '{"p":1}';

type Step = (engine: Engine, table: Table) => Promise<void>;
const inserted =
  (row: string): Step =>
  (engine, table) =>
    insert(engine, table, row);
const updated =
  (clause: string): Step =>
  (engine, table) =>
    update(engine, table, key, clause);

/** Steps upon the row `key`, and the row that is left of it. */
function story(name: string, steps: readonly Step[], left: string | null): EngineCase {
  const run = async (engine: Engine) => {
    const table = await createTable(engine, shape);
    for (const step of steps) await step(engine, table);
    assert.deepEqual(await rowsOf(engine, table), left === null ? [] : [left]);
  };
  return { name, run };
}

const stories: readonly EngineCase[] = [
  story(
    'a list keeps its order, a set and a map are ascending',
    [inserted('{"p":1,"l":["b","a","b"],"s":[3,1,3],"m":{"z":1,"a":2.5}}')],
    '{"p":1,"l":["b","a","b"],"s":[1,3],"m":{"a":2.5,"z":1}}',
  ),
  story(
    'texts of any characters come back',
    [inserted('{"p":1,"l":["\\u0000","\\u0001","é😀\'\\""],"m":{"__proto__":1,"\\u0000":2,"7":3}}')],
    '{"p":1,"l":["\\u0000","\\u0001","é😀\'\\""],"m":{"\\u0000":2,"7":3,"__proto__":1}}',
  ),
  story(
    'empty containers are not values',
    [inserted('{"p":1,"l":["a"],"s":[1],"m":{"a":1}}'), inserted('{"p":1,"l":[],"s":[],"m":{}}')],
    '{"p":1}',
  ),
  story(
    'setting an empty container takes the value away, and an updated row with it',
    [updated('{"$set":{"l":["a"]}}'), updated('{"$set":{"l":[]}}')],
    null,
  ),
  story(
    'setting replaces the whole',
    [inserted('{"p":1,"l":["a"],"s":[1]}'), updated('{"$set":{"l":["b"],"s":[2]}}')],
    '{"p":1,"l":["b"],"s":[2]}',
  ),
  story(
    'pushing to a list puts at its end, to a set what it lacks, to a map under the key',
    [
      inserted('{"p":1,"l":["a","b"],"s":[5,1],"m":{"b":1,"c":2}}'),
      updated('{"$push":{"l":{"$each":["a","0"]},"s":{"$each":[3,5]},"m":{"$each":[{"a":0},["b",9]]}}}'),
    ],
    '{"p":1,"l":["a","b","a","0"],"s":[1,3,5],"m":{"a":0,"b":9,"c":2}}',
  ),
  story(
    'pushing makes the row, and its containers',
    [updated('{"$push":{"l":"a","s":{"$each":[2,1,2]},"m":["k",1]}}')],
    '{"p":1,"l":["a"],"s":[1,2],"m":{"k":1}}',
  ),
  story('pushing nothing makes no row', [updated('{"$push":{"l":{"$each":[]},"m":{"$each":[]}}}')], null),
  story(
    'pushing nothing leaves what is there',
    [
      updated('{"$set":{"n":1,"l":["a"]}}'),
      updated('{"$push":{"l":{"$each":[]}}}'),
      updated('{"$push":{"l":{"$each":[]},"s":{"$each":[]}},"$set":{"n":2}}'),
    ],
    '{"p":1,"n":2,"l":["a"]}',
  ),
  story(
    'pulling takes every equal element of a list, elements of a set, keys of a map',
    [
      inserted('{"p":1,"l":["a","b","a","c"],"s":[1,2,3],"m":{"a":1,"b":2,"c":3}}'),
      updated('{"$pullAll":{"l":["a","c","x"],"s":[3,1,9],"m":["c","a","x"]}}'),
    ],
    '{"p":1,"l":["b"],"s":[2],"m":{"b":2}}',
  ),
  story('pulling from nothing makes no row', [updated('{"$pullAll":{"l":["a"],"s":[1],"m":["a"]}}')], null),
  story(
    'pulling nothing leaves what is there',
    [updated('{"$set":{"l":["a"]}}'), updated('{"$pullAll":{"l":[],"m":[]}}')],
    '{"p":1,"l":["a"]}',
  ),
  story(
    'pulling the last member of the last column of an updated row removes the row',
    [updated('{"$push":{"l":"a","s":1}}'), updated('{"$pullAll":{"l":["a"],"s":[1]}}')],
    null,
  ),
  story(
    'pulling the last member keeps a row that was inserted',
    [inserted('{"p":1,"m":{"a":1}}'), updated('{"$pullAll":{"m":["a"]}}')],
    '{"p":1}',
  ),
  story(
    'one update sets, unsets, pushes and pulls',
    [
      inserted('{"p":1,"n":1,"l":["a"],"s":[1,2]}'),
      updated('{"$unset":{"n":""},"$set":{"m":{"k":1}},"$push":{"l":"b"},"$pullAll":{"s":[1]}}'),
    ],
    '{"p":1,"l":["a","b"],"s":[2],"m":{"k":1}}',
  ),
  story(
    'a value and a pull make the row with the value alone',
    [updated('{"$set":{"n":1},"$pullAll":{"s":[1],"l":["a"]}}')],
    '{"p":1,"n":1}',
  ),
];

async function losesNoPush(engine: Engine): Promise<void> {
  const table = await createTable(engine, shape);
  const numbers = Array.from({ length: 64 }, (_, at) => at);
  await Promise.all(
    numbers.map((number) =>
      update(engine, table, key, `{"$push":{"l":"${number}","s":${number},"m":{"k${number}":${number}}}}`),
    ),
  );
  const [row = '{}'] = await rowsOf(engine, table);
  const { l, s, m } = JSON.parse(row);
  assert.deepEqual(
    l.map(Number).sort((left: number, right: number) => left - right),
    numbers,
  );
  assert.deepEqual(s, numbers);
  assert.deepEqual(Object.keys(m).length, numbers.length);
  await Promise.all(
    numbers.map((number) =>
      update(engine, table, key, `{"$pullAll":{"l":["${number}"],"s":[${number}],"m":["k${number}"]}}`),
    ),
  );
  assert.deepEqual(await rowsOf(engine, table), []);
}

async function keepsContainersApart(engine: Engine): Promise<void> {
  const table = await createTable(engine, shape);
  await insert(engine, table, '{"p":1,"l":["a"]}', '{"p":2,"l":["b"]}');
  await change(engine, table, '{"p":2}', '{"s":[1]}');
  await update(engine, table, '{"p":2}', '{"$push":{"l":"c"}}');
  assert.deepEqual(await rowsOf(engine, table), ['{"p":1,"l":["a"]}', '{"p":2,"l":["b","c"],"s":[1]}']);
}

async function keepsEveryYear(engine: Engine): Promise<void> {
  const columns = { p: 'int', l: 'list<timestamp>', s: 'set<timestamp>', m: 'map<text,timestamp>' };
  const table = await createTable(engine, { columns });
  const [first, early, late, last] = [
    '"-292275055-05-16T16:47:04.192Z"',
    '"-271821-04-19T23:59:59.999Z"',
    '"+275760-09-13T00:00:00.001Z"',
    '"+292278994-08-17T07:12:55.807Z"',
  ];
  const row = `{"p":1,"l":[${last},${first}],"s":[${first},${early},${late},${last}],"m":{"a":${last},"b":${first}}}`;
  await insert(engine, table, row);
  assert.deepEqual(await rowsOf(engine, table), [row]);
}

/** Lists, sets and maps, as engines keep and change them. */
export const containerCases: readonly EngineCase[] = [
  ...stories,
  { name: 'timestamps of every year come back from lists, sets and maps', run: keepsEveryYear },
  { name: 'pushes and pulls at the same time are all carried out', run: losesNoPush },
  { name: 'a change touches the row it names only', run: keepsContainersApart },
];
