// Random containers: a table with indexes on their members and one without show the rows of a model in memory, through
// inserts, updates, deletes, restarts, and indexes that come and go.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOnCluster } from '../acceptance/server-args.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { useWireServer } from './wire-server.js';

interface Row {
  readonly part: number;
  readonly id: number;
  l: number[];
  s: Set<string>;
  m: Map<string, number>;
}

type Rows = Map<string, Row>;
type Matches = (row: Row) => boolean;

const columns =
  '{"part":"int","id":"int","l":{"type":"list","valueType":"int"},"s":{"type":"set","valueType":"text"},' +
  '"m":{"type":"map","keyType":"text","valueType":"int"},"x":"int"}';
const createTable = (name: string): readonly [string, string] => [
  '/v1/default_keyspace',
  `{"createTable":{"name":"${name}","definition":{"columns":${columns},` +
    '"primaryKey":{"partitionBy":["part"],"partitionSort":{"id":-1}}}}}',
];
const { send, restart } = useWireServer({
  args: ['--dialect', 'extended'],
  prepare: [createTable('indexed'), createTable('plain')],
});

const indexes = ['"l"', '"s"', '"m"', '{"m":"$keys"}', '{"m":"$values"}'];
const numbers = [0, 1, 2, 3, -7];
const words = ['a', 'b', 'ü', '"', '\u0000'];
const parts = [0, 1, 2];
const steps = 80;

describe('random containers', () => {
  for (const seed of [1, 2]) {
    it(`are found with indexes as without, seed ${seed}`, async () => {
      const random = seededRandom(seed);
      const rows: Rows = new Map();
      for (const table of ['indexed', 'plain']) await command(table, '{"deleteMany":{}}');
      for (const [at, column] of indexes.entries())
        await command(
          'indexed',
          `{"createIndex":{"name":"i${at}","definition":{"column":${column}},` +
            '"options":{"ifNotExists":true}}}',
        );
      for (let step = 0; step < steps; step += 1) {
        const body = randomWrite(random, rows);
        for (const table of ['indexed', 'plain']) await command(table, body);
        if (random.chance(0.05)) await exchangeIndex(random);
        if (step === steps / 2) await restart();
        if (step % 8 === 7) await compareFind(random, rows, `seed ${seed}, step ${step}`);
      }
    });
  }
});

async function compareFind(random: SeededRandom, rows: Rows, place: string): Promise<void> {
  const [filter, matches] = randomFilter(random);
  const expected = [...rows.values()]
    .filter(matches)
    .sort((left, right) => left.part - right.part || right.id - left.id)
    .map(({ part, id }) => `${part} ${id}`);
  if (isOnCluster()) expected.sort();
  for (const table of ['indexed', 'plain'])
    assert.deepEqual(await findAll(table, filter), expected, `${place}, ${table}: ${filter}`);
}

/** All pages. */
async function findAll(table: string, filter: string): Promise<readonly string[]> {
  const found: string[] = [];
  let state: string | null = null;
  do {
    const options: string = state === null ? '' : `,"options":{"pageState":"${state}"}`;
    const text = await command(
      table,
      `{"find":{"filter":${filter},"projection":{"part":1,"id":1}${options}}}`,
    );
    const { data } = JSON.parse(text) as {
      readonly data: { readonly documents: readonly Row[]; readonly nextPageState: string | null };
    };
    found.push(...data.documents.map(({ part, id }) => `${part} ${id}`));
    state = data.nextPageState;
  } while (state !== null);
  // A cluster has another order of partitions.
  return isOnCluster() ? found.sort() : found;
}

async function command(table: string, body: string): Promise<string> {
  const path = body.startsWith('{"dropIndex"') ? '/v1/default_keyspace' : `/v1/default_keyspace/${table}`;
  const { text } = await send({ path, body });
  assert.ok(!text.includes('"errors"'), `${body}: ${text}`);
  return text;
}

async function exchangeIndex(random: SeededRandom): Promise<void> {
  const at = random.below(indexes.length);
  await command('indexed', `{"dropIndex":{"name":"i${at}"}}`);
  await command('indexed', `{"createIndex":{"name":"i${at}","definition":{"column":${indexes[at]}}}}`);
}

/** Carries a write out in the model, and gives the command for it. */
function randomWrite(random: SeededRandom, rows: Rows): string {
  const dice = random.below(12);
  const row = rows.size === 0 ? undefined : random.pick([...rows.values()]);
  if (row === undefined || dice < 4) return insertMany(random, rows);
  const key = `{"part":${row.part},"id":${row.id}}`;
  if (dice === 4 && random.chance(0.2)) {
    for (const [name, { part }] of rows) if (part === row.part) rows.delete(name);
    return `{"deleteMany":{"filter":{"part":${row.part}}}}`;
  }
  if (dice === 5) {
    rows.delete(`${row.part} ${row.id}`);
    return `{"deleteOne":{"filter":${key}}}`;
  }
  return `{"updateOne":{"filter":${key},"update":${randomUpdate(random, row)}}}`;
}

function insertMany(random: SeededRandom, rows: Rows): string {
  const added = Array.from({ length: 1 + random.below(30) }, (): Row => {
    const [part, id] = [random.pick(parts), random.below(60)];
    return { part, id, l: someOf(random, numbers), s: new Set(someOf(random, words)), m: randomMap(random) };
  });
  for (const row of added) rows.set(`${row.part} ${row.id}`, row);
  const documents = added.map(
    ({ part, id, l, s, m }) =>
      `{"part":${part},"id":${id},"l":${json(l)},"s":${json([...s])},"m":${mapJson(m)}}`,
  );
  // In their order, because the last of several with the same key must win.
  return `{"insertMany":{"documents":[${documents.join(',')}],"options":{"ordered":true}}}`;
}

function randomUpdate(random: SeededRandom, row: Row): string {
  const elements = someOf(random, numbers);
  const added = someOf(random, words);
  const map = randomMap(random);
  switch (random.below(6)) {
    case 0:
      row.l = elements;
      row.s = new Set();
      return `{"$set":{"l":${json(elements)}},"$unset":{"s":1}}`;
    case 1:
      row.l = [...row.l, ...elements];
      row.s = new Set([...row.s, ...added]);
      return `{"$push":{"l":{"$each":${json(elements)}},"s":{"$each":${json(added)}}}}`;
    case 2:
      row.l = row.l.filter((element) => !elements.includes(element));
      row.s = new Set([...row.s].filter((word) => !added.includes(word)));
      return `{"$pullAll":{"l":${json(elements)},"s":${json(added)}}}`;
    case 3:
      row.m = map;
      return `{"$set":{"m":${mapJson(map)}}}`;
    case 4:
      row.m = new Map([...row.m, ...map]);
      return `{"$push":{"m":{"$each":[${[...map].map((entry, at) => entryJson(entry, at)).join(',')}]}}}`;
    default:
      row.m = new Map([...row.m].filter(([name]) => !added.includes(name)));
      return `{"$pullAll":{"m":${json(added)}}}`;
  }
}

/** Both forms of an entry, mixed. */
function entryJson([name, value]: readonly [string, number], at: number): string {
  return at % 2 === 0 ? `[${json(name)},${value}]` : `{${json(name)}:${value}}`;
}

function randomFilter(random: SeededRandom): readonly [filter: string, matches: Matches] {
  const [first, matchesFirst] = randomLeaf(random);
  const [second, matchesSecond] = randomLeaf(random);
  const [low, high] = [random.below(30), 30 + random.below(30)];
  switch (random.below(6)) {
    case 0:
      return [`{"$and":[${first},${second}]}`, (row) => matchesFirst(row) && matchesSecond(row)];
    case 1:
      return [`{"$or":[${first},${second}]}`, (row) => matchesFirst(row) || matchesSecond(row)];
    case 2:
      return [`{"$not":${first}}`, (row) => !matchesFirst(row)];
    case 3:
      return [
        `{"$and":[${first},{"part":1,"id":{"$gte":${low},"$lt":${high}}}]}`,
        (row) => matchesFirst(row) && row.part === 1 && row.id >= low && row.id < high,
      ];
    default:
      return [first, matchesFirst];
  }
}

/** A part of a row with the values that are looked for in it. */
interface LookedAt {
  readonly column: 'l' | 's' | 'm';
  readonly marker?: '$keys' | '$values';
  readonly values: readonly string[];
  /** The members in the form in which values are written. */
  members(row: Row): readonly string[];
}

const lookedAt: readonly LookedAt[] = [
  { column: 'l', values: numbers.map(json), members: ({ l }) => l.map(json) },
  { column: 's', values: words.map(json), members: ({ s }) => [...s].map(json) },
  { column: 'm', marker: '$keys', values: words.map(json), members: ({ m }) => [...m.keys()].map(json) },
  {
    column: 'm',
    marker: '$values',
    values: numbers.map(json),
    members: ({ m }) => [...m.values()].map(json),
  },
  {
    column: 'm',
    values: words.flatMap((word) => numbers.map((number) => json([word, number]))),
    members: ({ m }) => [...m].map(json),
  },
];

function randomLeaf(random: SeededRandom): readonly [filter: string, matches: Matches] {
  const { column, marker, values, members } = random.pick(lookedAt);
  const operator = random.pick(['$in', '$nin', '$all'] as const);
  const wanted = Array.from({ length: 1 + random.below(operator === '$all' ? 3 : 24) }, () =>
    random.pick(values),
  );
  const comparison = `{"${operator}":[${wanted.join(',')}]}`;
  const filter = `{"${column}":${marker === undefined ? comparison : `{"${marker}":${comparison}}`}}`;
  return [
    filter,
    (row) => {
      const present = new Set(members(row));
      if (operator === '$all') return wanted.every((value) => present.has(value));
      return wanted.some((value) => present.has(value)) === (operator === '$in');
    },
  ];
}

function someOf<Value>(random: SeededRandom, values: readonly Value[]): Value[] {
  return Array.from({ length: random.below(4) }, () => random.pick(values));
}

function randomMap(random: SeededRandom): Map<string, number> {
  return new Map(someOf(random, words).map((word) => [word, random.pick(numbers)]));
}

function mapJson(map: ReadonlyMap<string, number>): string {
  return json(Object.fromEntries(map));
}

function json(value: unknown): string {
  return JSON.stringify(value);
}
