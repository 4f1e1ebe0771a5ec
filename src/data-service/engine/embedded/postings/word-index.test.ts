// What a search finds beside a log: the same with and without the rows that the statistics found.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Database, openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { scoreOf, weightsOf } from '../../../query/word-search.js';
import { BestRows } from './best-rows.js';
import { FilteredRows } from './filtered-rows.js';
import { addBuilt } from './keep-segments.js';
import { SegmentBuilder } from './segment-builder.js';
import { WordIndex } from './word-index.js';

const sizes = { chunk: 120, sharedList: 12 };
const tables = { postings: 'p', recent: 'r', segments: 'x', progress: 's' };
const segmentRows = 150;
const words = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

/** The words of a row: each is in every second, third … row; some texts have it twice. */
function wordsOf(row: number): readonly string[] {
  return words.flatMap((word, at) => (row % (at + 2) === 0 ? (row % 7 === 0 ? [word, word] : [word]) : []));
}

function logged(found: readonly string[]): Buffer {
  const fields = [...new Set(found)].map((word) => {
    const count = found.filter((each) => each === word).length;
    return `${word}\u0000${count > 1 ? `\u0001${count}\u0000` : ''}`;
  });
  return Buffer.from(`${found.length}\u0000${fields.join('')}`);
}

/** Rows in a segment, of which every `step`-th has changed since or is deleted, and as many new ones. */
function indexWith(step: number): {
  readonly database: Database;
  readonly texts: Map<number, readonly string[]>;
} {
  const database = openDatabase({ path: ':memory:' });
  database.exec(
    'CREATE TABLE p (segment, token BLOB, row, change, postings BLOB, PRIMARY KEY (segment, token, row));' +
      'CREATE TABLE r (row INTEGER PRIMARY KEY, tokens BLOB, old BLOB);' +
      'CREATE TABLE x (id INTEGER PRIMARY KEY, state, level, first, last, texts, length, done)',
  );
  const builder = new SegmentBuilder();
  const texts = new Map<number, readonly string[]>();
  for (let row = 1; row <= segmentRows; row += 1) {
    builder.add(row, logged(wordsOf(row)), null);
    texts.set(row, wordsOf(row));
  }
  addBuilt(database, tables, sizes, builder);
  for (let row = step; row <= segmentRows * 2; row += step) {
    const [old, isDeleted] = [texts.get(row), row % 5 === 0 && row <= segmentRows];
    const now = wordsOf(row + 1);
    const values = [row, isDeleted ? null : logged(now), old === undefined ? null : logged(old)];
    database.statement('INSERT INTO r VALUES (?, ?, ?)').run(values);
    if (isDeleted) texts.delete(row);
    else texts.set(row, now);
  }
  return { database, texts };
}

describe('a search beside logged texts', () => {
  for (const step of [1, 2, 10, 1_000]) {
    it(`finds the rows and the statistics, with every ${step}. row logged`, () => {
      const { database, texts } = indexWith(step);
      for (const tokens of [['a'], ['b', 'a'], ['d', 'c'], ['i'], ['none', 'a'], words]) {
        const withAll = [...texts].filter(([, own]) => tokens.every((token) => own.includes(token)));
        const index = new WordIndex(database, tables, tokens);
        const rowsIn = (above: number, through: number) => index.rows({ above, through });
        const expected = withAll.map(([row]) => row).sort((left, right) => left - right);
        const check = () => {
          assert.deepEqual(rowsIn(0, 1_000), expected);
          assert.deepEqual([...rowsIn(0, 77), ...rowsIn(77, 180), ...rowsIn(180, 1_000)], expected);
        };
        check();
        assert.deepEqual(index.statistics(), {
          texts: texts.size,
          length: [...texts.values()].reduce((sum, own) => sum + own.length, 0),
          rows: tokens.map((token) => [...texts.values()].filter((own) => own.includes(token)).length),
        });
        check();
      }
      database.close();
    });
  }
});

describe('lists that searches share', () => {
  it('have the same rows and scores as lists that are read, where newer segments changed and removed rows', () => {
    const { database } = indexWith(1_000);
    const texts = new Map<number, readonly string[]>();
    for (let row = 1; row <= segmentRows; row += 1) texts.set(row, wordsOf(row));
    for (let round = 1; round <= 6; round += 1) {
      const builder = new SegmentBuilder();
      for (let row = round; row <= segmentRows + round * 20; row += round + 1) {
        const [old, now] = [texts.get(row), (row + round) % 4 === 0 ? undefined : wordsOf(row + round)];
        if (old === undefined && now === undefined) continue;
        builder.add(row, now === undefined ? null : logged(now), old === undefined ? null : logged(old));
        if (now === undefined) texts.delete(row);
        else texts.set(row, now);
      }
      addBuilt(database, tables, sizes, builder);
    }
    for (const tokens of [['a'], ['b'], ['a', 'b'], ['d', 'a', 'c']]) {
      const expected = [...texts].filter(([, own]) => tokens.every((token) => own.includes(token)));
      for (const time of ['first', 'second', 'third']) {
        const index = new WordIndex(database, tables, tokens);
        const scoring = weightsOf(
          index.statistics(),
          tokens.map(() => 1),
        );
        const best = new BestRows({ count: 1_000, best: [], isFiltered: false }, (numbers) => numbers);
        for (const above of [0, 60, 61]) {
          index.score({ above, through: above === 0 ? 60 : above === 60 ? 61 : 1_000 }, scoring, best);
        }
        const found = best.take().map(({ row, score }) => [row, score] as const);
        const scored = expected.map(([row, own]) => {
          const counts = tokens.map((token) => own.filter((word) => word === token).length);
          return [row, scoreOf(scoring, own.length, counts)] as const;
        });
        assert.deepEqual(new Map(found), new Map(scored), time);
      }
    }
    database.close();
  });
});

describe('a search with a filter', () => {
  const count = 5;
  const last = 9_000;
  const textOf = (row: number) => ['a', ...Array.from({ length: (row * 7_919) % 50 }, () => 'b'), 'c'];
  const { database } = indexWith(1_000);
  database.exec('DELETE FROM p; DELETE FROM r; DELETE FROM x');
  const builder = new SegmentBuilder();
  for (let row = 1; row <= last; row += 1) builder.add(row, logged(textOf(row)), null);
  addBuilt(database, { ...tables }, { chunk: 4_700, sharedList: 2_000 }, builder);

  database.exec('CREATE TABLE numbers (number INTEGER PRIMARY KEY)');
  const insert = database.statement('INSERT INTO numbers SELECT value FROM json_each(?)');
  insert.run([JSON.stringify(Array.from({ length: last }, (_, at) => at + 1))]);

  for (const [each, hasIndex, spans, isAtOnce = true] of [1, 3, 31, 101, 1_501, 8_900, 10_000].flatMap(
    (one) => [
      [one, false, 1] as const,
      [one, true, 1] as const,
      [one, true, 3] as const,
      [one, true, 1, false] as const,
      [one, true, 3, false] as const,
    ],
  )) {
    const when = isAtOnce ? 'at once' : 'later';
    const found = hasIndex ? `, which an index finds ${when}, in ${spans} spans` : '';
    it(`finds the best rows if the filter leaves one row of ${each}${found}`, () => {
      const index = new WordIndex(database, tables, ['a', 'c']);
      const scoring = weightsOf(index.statistics(), [1, 2]);
      const passes = (row: number) => row % each === 0;
      const inKeyOrder = (rows: readonly number[]) => [...rows].sort((left, right) => right - left);
      const best = new BestRows({ count, best: [], isFiltered: true }, (rows) =>
        inKeyOrder(rows.filter(passes)),
      );
      const all = `SELECT number FROM numbers WHERE number % ${each} = 0 ORDER BY number DESC LIMIT ?`;
      const filtered = hasIndex
        ? new FilteredRows(
            database,
            { sql: all, values: [], compares: 'nothing' },
            { lastRow: last, candidates: isAtOnce ? last : 1 },
          )
        : undefined;
      const size = last / spans;
      for (let above = 0; above < last; above += size)
        index.score({ above, through: above + size }, scoring, best, filtered);
      const few = Math.floor(last / each);
      if (hasIndex && (isAtOnce || each > 1_500))
        assert.equal(filtered?.known?.length, few <= last / 4 || each > 1_500 ? few : undefined);
      if (each < 5 && !isAtOnce) assert.equal(filtered?.known, undefined);
      const rows = inKeyOrder(Array.from({ length: last }, (_, at) => at + 1).filter(passes));
      const scored = rows.map((row) => ({ row, score: scoreOf(scoring, textOf(row).length, [1, 1]) }));
      scored.sort((left, right) => right.score - left.score);
      assert.deepEqual(best.take(), scored.slice(0, count));
    });
  }
});

describe('a search for many words', () => {
  it('scores the rows that each further word leaves', () => {
    const { database } = indexWith(1_000);
    database.exec('DELETE FROM p; DELETE FROM r; DELETE FROM x');
    const many = Array.from({ length: 60 }, (_, at) => `w${String(at).padStart(2, '0')}`);
    /** Every word is missing in one of 17 rows, and some are there twice. */
    const textOf = (row: number) =>
      many.flatMap((word, at) =>
        (row + at) % 17 === 0 && row % 5 !== 0 ? [] : (row * 7 + at) % 3 === 0 ? [word, word] : [word],
      );
    const builder = new SegmentBuilder();
    const rows = Array.from({ length: 400 }, (_, at) => at + 1);
    for (const row of rows) builder.add(row, logged(textOf(row)), null);
    addBuilt(database, tables, sizes, builder);
    for (const tokens of [many, many.toReversed(), many.slice(0, 3)]) {
      const index = new WordIndex(database, tables, tokens);
      const check = () => {
        const expected = rows.filter((row) => tokens.every((token) => textOf(row).includes(token)));
        assert.deepEqual(index.rows({ above: 0, through: 1_000 }), expected);
        const scoring = weightsOf(
          index.statistics(),
          tokens.map((_, at) => at % 3),
        );
        const best = new BestRows({ count: 400, best: [], isFiltered: false }, (numbers) => numbers);
        index.score({ above: 0, through: 1_000 }, scoring, best);
        const scores = new Map(best.take().map(({ row, score }) => [row, score]));
        assert.equal(scores.size, expected.length);
        for (const row of expected) {
          const text = textOf(row);
          const counts = tokens.map((token) => text.filter((word) => word === token).length);
          assert.equal(scores.get(row), scoreOf(scoring, text.length, counts));
        }
      };
      check();
      index.beginWithRarest(index.statistics());
      check();
    }
    database.close();
  });
});
