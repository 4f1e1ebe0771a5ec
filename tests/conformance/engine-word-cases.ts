// Engine suite: text indexes find the rows with all words of a text, and rank them, while rows come, change and go.
import assert from 'node:assert/strict';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { ReadPlan } from '../../src/data-service/query/read.js';
import { tokensToFind } from '../../src/data-service/query/word-search.js';
import { anyTextIndexOn, type Table, type TextIndex } from '../../src/data-service/schema/table.js';
import { analyzerOf } from '../../src/data-service/text-analysis/parse-analyzer.js';
import { seededRandom } from '../seeded-random.js';
import { matching, ranked } from '../text/text-model.js';
import {
  change,
  createTable,
  deleteRows,
  type EngineCase,
  insert,
  read,
  readPlan,
  refuses,
  rowsByPages,
  rowsOf,
  rowText,
} from './engine-steps.js';
import { chosenPlan, createIndex, dropIndex, indexOf, presentTable } from './index-steps.js';

const shape = { columns: { id: 'int', n: 'int', body: 'text' } } as const;
const words = ['fox', 'bear', 'tree', 'wood', 'lake', 'bird', 'rare'];

interface Row {
  readonly n: number;
  readonly body: string | null;
}

/** Rows by their ids. */
type Rows = Map<number, Row>;

/** Texts of few words, so that many rows have each of them; every ninth row has no text. */
function makeRows(count: number): Rows {
  const random = seededRandom(5);
  return new Map(
    Array.from({ length: count }, (_, id) => {
      const text = Array.from({ length: 1 + random.below(6) }, () => words[random.below(words.length - 1)]);
      if (id % 50 === 7) text.push('rare');
      return [id, { n: random.below(5), body: id % 9 === 4 ? null : text.join(' ') }] as const;
    }),
  );
}

const searches = [
  'fox',
  'rare',
  'bear fox',
  'fox fox tree',
  'rare lake',
  'fox bear tree wood',
  'absent',
  'fox absent',
];

const filters: readonly (readonly [filter: string, finds: (row: Row, id: number) => boolean])[] = [
  ['', () => true],
  ['"n":3', ({ n }) => n === 3],
  ['"n":{"$gte":2},"id":{"$lt":90}', ({ n }, id) => n >= 2 && id < 90],
  ['"id":7', (_, id) => id === 7],
  ['"id":{"$in":[7,57,1,4]}', (_, id) => [7, 57, 1, 4].includes(id)],
  ['"$or":[{"n":1},{"id":{"$gt":60}}]', ({ n }, id) => n === 1 || id > 60],
];

/** In the extended dialect, under their area in the suite. */
export const wordCases: readonly EngineCase[] = [
  {
    name: 'finds the rows with all words of a text, under other conditions',
    run: async (engine) => {
      const rows = makeRows(120);
      const table = await searchableTable(engine, rows);
      for (const search of searches)
        for (const [filter, finds] of filters) {
          const expected = matching(textsOf(rows), search).filter((id) => finds(rowOf(rows, id), id));
          const matched = matchOf(search, filter);
          assert.deepEqual(
            await rowsOf(engine, table, matched),
            expected.map((id) => textOf(rows, id)),
            matched,
          );
          const paged = await rowsByPages(engine, chosenPlan(table, matched, { limit: 7 }));
          assert.deepEqual(paged.toSorted(), expected.map((id) => textOf(rows, id)).toSorted(), matched);
        }
    },
  },
  {
    name: 'finds the rows of words joined by or with other conditions',
    run: async (engine) => {
      const rows = makeRows(60);
      const table = await searchableTable(engine, rows);
      for (const [filter, finds] of [
        ['{"$or":[{"body":{"$match":"rare"}},{"body":{"$match":"fox bear"}}]}', /rare|fox.*bear|bear.*fox/],
        ['{"$or":[{"body":{"$match":"rare"}},{"id":4}]}', /rare|"id":4,/],
        ['{"body":{"$match":"fox"},"$and":[{"body":{"$match":"bear"}}]}', /fox.*bear|bear.*fox/],
      ] as const) {
        const expected = [...rows.keys()].map((id) => textOf(rows, id)).filter((text) => finds.test(text));
        assert.ok(expected.length > 0);
        assert.deepEqual(await rowsOf(engine, table, filter), expected, filter);
      }
    },
  },
  {
    name: 'ranks the rows with all words, equally good ones in the order of the key',
    run: async (engine) => {
      const rows = makeRows(150);
      const table = await searchableTable(engine, rows);
      for (const search of searches)
        for (const [filter, finds] of filters)
          for (const limit of [1, 10, 1_000]) {
            const all = ranked(textsOf(rows), search).filter((id) => finds(rowOf(rows, id), id));
            const found = await foundIds(engine, searchPlan(table, search, { filter, limit }));
            assert.deepEqual(found, all.slice(0, limit), `${search} under ${filter}, at most ${limit}`);
          }
    },
  },
  {
    name: 'ranks by all rows that there are now, behind writes of every kind',
    run: async (engine) => {
      const rows = makeRows(40);
      const table = await searchableTable(engine, rows);
      const random = seededRandom(3);
      for (let round = 0; round < 60; round += 1) {
        await writeSome(engine, table, rows, random);
        const search = random.pick(searches);
        assert.deepEqual(await foundIds(engine, searchPlan(table, search)), ranked(textsOf(rows), search));
        const expected = matching(textsOf(rows), search).map((id) => textOf(rows, id));
        assert.deepEqual(await rowsOf(engine, table, matchOf(search, '')), expected);
      }
      await deleteRows(engine, table, '{}');
      const emptied = await presentTable(engine, table);
      for (const search of searches)
        assert.deepEqual(await foundIds(engine, searchPlan(emptied, search)), []);
      await insert(engine, emptied, '{"id":1,"body":"fox"}');
      assert.deepEqual(await foundIds(engine, searchPlan(emptied, 'fox')), [1]);
    },
  },
  {
    name: 'gives of a found row what is wanted and nothing else',
    run: async (engine) => {
      const table = await searchableTable(engine, new Map([[1, { n: 2, body: 'fox' }]]));
      const [id, n] = table.columns;
      assert.ok(id && n);
      for (const [columns, expected] of [
        [[], '{}'],
        [[n, id], '{"n":2,"id":1}'],
        [table.columns, '{"id":1,"n":2,"body":"fox"}'],
      ] as const) {
        const plan = { ...searchPlan(table, 'fox'), columns };
        const { rows } = await read(engine, plan);
        assert.deepEqual(
          rows.map((row) => rowText(plan, row)),
          [expected],
        );
      }
    },
  },
  {
    name: 'makes an index over rows that exist while others are written: none is lost',
    run: async (engine) => {
      const before = await createTable(engine, { ...shape, dialect: 'extended' });
      const rows = makeRows(400);
      const texts = [...rows.keys()].map((id) => textOf(rows, id));
      await insert(engine, before, ...texts.slice(0, 300));
      const creating = createTextIndex(engine, before);
      for (const text of texts.slice(300)) {
        const table = await presentTable(engine, before);
        await insert(engine, table, text).catch(async (error: { kind?: string }) => {
          assert.equal(error.kind, 'schemaChanged');
          await insert(engine, await presentTable(engine, table), text);
        });
      }
      await creating;
      const table = await presentTable(engine, before);
      for (const search of searches)
        assert.deepEqual(await foundIds(engine, searchPlan(table, search)), ranked(textsOf(rows), search));
    },
  },
  {
    name: 'compares words as the analyzer of the index makes them',
    run: async (engine) => {
      const before = await createTable(engine, { ...shape, dialect: 'extended' });
      await insert(engine, before, '{"id":1,"body":"The Foxes are walking."}', '{"id":2,"body":"a walk"}');
      const table = await createTextIndex(engine, before, 'english');
      await insert(engine, table, '{"id":3,"body":"foxes\\u0020\\u0000walked"}', '{"id":4,"body":""}');
      for (const [search, expected] of [
        ['WALKS', [2, 3, 1]],
        ['fox walk', [3, 1]],
        ['cat', []],
      ] as const) {
        const found = await foundIds(engine, searchPlan(table, search));
        assert.deepEqual(found.toSorted(), expected.toSorted(), search);
        assert.equal((await rowsOf(engine, table, matchOf(search, ''))).length, expected.length);
      }
    },
  },
  {
    name: 'refuses searches by an index that was dropped, and makes another one',
    run: async (engine) => {
      const rows = makeRows(30);
      const table = await searchableTable(engine, rows);
      const dropped = await dropIndex(engine, table, 'body');
      await refuses('schemaChanged', foundIds(engine, searchPlan(table, 'fox')));
      await refuses('schemaChanged', rowsOf(engine, table, matchOf('fox', '')));
      await insert(engine, dropped, '{"id":1000,"n":1,"body":"fox"}');
      rows.set(1000, { n: 1, body: 'fox' });
      const again = await createTextIndex(engine, dropped);
      assert.deepEqual(await foundIds(engine, searchPlan(again, 'fox')), ranked(textsOf(rows), 'fox'));
    },
  },
];

function rowOf(rows: Rows, id: number): Row {
  const row = rows.get(id);
  assert.ok(row);
  return row;
}

function textOf(rows: Rows, id: number): string {
  const { n, body } = rowOf(rows, id);
  return `{"id":${id},"n":${n}${body === null ? '' : `,"body":"${body}"`}}`;
}

function textsOf(rows: Rows): ReadonlyMap<number, string | null> {
  return new Map([...rows].map(([id, { body }]) => [id, body]));
}

/** A `$match` beside the members of a filter. */
function matchOf(search: string, filter: string): string {
  return `{"body":{"$match":"${search}"}${filter === '' ? '' : `,${filter}`}}`;
}

/** Some rows are there before the index, some come later. */
async function searchableTable(engine: Engine, rows: Rows): Promise<Table> {
  const table = await createTable(engine, { ...shape, dialect: 'extended' });
  const texts = [...rows.keys()].map((id) => textOf(rows, id));
  await insert(engine, table, ...texts.slice(0, texts.length >> 1));
  const indexed = await createIndex(engine, await createTextIndex(engine, table), 'n');
  await insert(engine, indexed, ...texts.slice(texts.length >> 1));
  return indexed;
}

async function createTextIndex(engine: Engine, before: Table, analyzer = 'whitespace'): Promise<Table> {
  const { name, column } = indexOf(before, 'body');
  const index = { kind: 'text', name, column, analyzer: analyzerOf(JSON.stringify(analyzer)) } as const;
  await engine.changeSchema({ kind: 'createIndex', table: before, index });
  return presentTable(engine, before);
}

/** A search by words under the members of a filter, for the keys of at most `limit` rows. */
function searchPlan(
  table: Table,
  search: string,
  { filter = '', limit = 1_000 }: { readonly filter?: string; readonly limit?: number } = {},
): ReadPlan {
  const index = textIndexOf(table);
  const tokens = tokensToFind(search, index.analyzer, (problem) => new TypeError(problem));
  const plan = readPlan(table, `{${filter}}`, { order: null, limit, columns: table.keyColumns });
  return { ...plan, search: { kind: 'words', column: index.column, index, tokens } };
}

function textIndexOf(table: Table): TextIndex {
  const { column } = indexOf(table, 'body');
  const index = anyTextIndexOn(table, column);
  assert.ok(index, 'the column has a text index');
  return index;
}

async function foundIds(engine: Engine, plan: ReadPlan): Promise<readonly number[]> {
  return (await read(engine, plan)).rows.map(([id]) => Number(id));
}

/** Writes to a row, and to the model in the same way. */
async function writeSome(
  engine: Engine,
  table: Table,
  rows: Rows,
  random: ReturnType<typeof seededRandom>,
): Promise<void> {
  const id = random.below(50);
  const body = random.some(words, 1 + random.below(3)).join(' ');
  const write = random.below(4);
  const n = rows.get(id)?.n ?? 0;
  if (write === 0) {
    await deleteRows(engine, table, `{"id":${id}}`);
    rows.delete(id);
  } else if (write === 1) {
    await change(engine, table, `{"id":${id}}`, `{"n":${n},"body":"${body}"}`);
    rows.set(id, { n, body });
  } else {
    const isNull = write === 2 && random.oneIn(3);
    await insert(engine, table, `{"id":${id},"n":${n},"body":${isNull ? 'null' : `"${body}"`}}`);
    rows.set(id, { n, body: isNull ? null : body });
  }
}
