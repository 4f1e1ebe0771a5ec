// The bounds of the kernel: the rows of a span, and the lists that searches share.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import type { ListPiece } from './posting-list.js';
import { WordKernel } from './word-kernel.js';
import { runShortSearch, runWordSlice, type ScoreSlice } from './word-slices.js';

/** Rows one after another, each with the token once in a text of ten. */
function pieceFrom(first: number, rows: number): ListPiece {
  const start = [
    ((first * 2) % 128) | 128,
    (((first * 2) >> 7) % 128) | 128,
    (((first * 2) >> 14) % 128) | 128,
  ];
  const bytes = new Uint8Array(start.length + 1 + rows * 2 - 1);
  bytes.set([...start, (first * 2) >> 21, 10]);
  for (let at = start.length + 2; at < bytes.length; at += 2) bytes.set([2, 10], at);
  return { change: rows, first, last: first + rows - 1, bytes, start: 0, end: bytes.length };
}

const chunkRows = 4_000;

function* piecesFrom(first: number, rows: number): Iterable<ListPiece> {
  for (let row = first; row < first + rows; row += chunkRows)
    yield pieceFrom(row, Math.min(chunkRows, first + rows - row));
}

describe('the rows of a span', () => {
  it('are refused if they need too much memory, and then a part of the span is taken', () => {
    const kernel = new WordKernel();
    const all = () => piecesFrom(1, 500_000);
    for (const tokens of [1, 100]) {
      kernel.begin(tokens);
      assert.equal(kernel.first(all(), { above: 0, through: 500_000 }), false);
      kernel.begin(tokens);
      assert.equal(kernel.first(all(), { above: 100, through: 10_100 }), true);
      assert.equal(kernel.size, 10_000);
    }
  });

  it('are refused before they are taken from a shared list', () => {
    const kernel = new WordKernel();
    const all = () => piecesFrom(1, 500_000);
    assert.equal(kernel.sharedList('a', all), undefined);
    const list = kernel.sharedList('a', all);
    assert.ok(list !== undefined);
    kernel.begin(1);
    assert.equal(kernel.first([list], { above: 0, through: 500_000 }), false);
    kernel.begin(1);
    assert.equal(kernel.first([list], { above: 499_990, through: 600_000 }), true);
    assert.deepEqual(
      kernel.rows(),
      Array.from({ length: 10 }, (_, at) => 499_991 + at),
    );
  });
});

describe('the rows of a span that pass a filter', () => {
  it('are kept, and the others are not', () => {
    const kernel = new WordKernel();
    const kept = (...numbers: readonly number[]) => {
      kernel.begin(1);
      kernel.first(piecesFrom(11, 10_000), { above: 0, through: 20_000 });
      kernel.keepOnly(Float64Array.from(numbers));
      return kernel.rows();
    };
    assert.deepEqual(kept(), []);
    assert.deepEqual(kept(1, 11, 12, 500, 10_010, 10_011), [11, 12, 500, 10_010]);
    assert.deepEqual(kept(5, 20_000), []);
    const all = Array.from({ length: 10_000 }, (_, at) => at + 11);
    assert.deepEqual(kept(...all), all);
  });
});

describe('a search among the rows that pass a filter', () => {
  it('gives the same rows and scores as one that keeps them behind it, from shared lists and others', () => {
    const kernel = new WordKernel();
    const passing = Float64Array.from([3, 11, 12, 4_010, 4_012, 9_999, 10_010, 10_011, 30_000]);
    const span = { above: 0, through: 20_000 };
    const scoring = { weights: [0, 1].map((token) => ({ token, weight: token + 1 })), averageLength: 7 };
    const wanted = { least: 0, below: 100, most: 100 };
    const scored = () => {
      const found: [number, number][] = [];
      kernel.score(scoring, [1, 0], wanted, (row, score) => found.push([row, score]));
      return found;
    };
    assert.ok(WordKernel.hasRoomFor(passing.length, 2));
    const [one, two] = [() => piecesFrom(11, 10_000), () => piecesFrom(4_011, 5_000)];
    const listsOf = () =>
      [one, two].map((pieces, at) => {
        const list = kernel.sharedList(`list ${at}`, pieces);
        return list === undefined ? pieces() : [list];
      });
    for (const time of ['first', 'second']) {
      const [first = [], second = []] = listsOf();
      kernel.begin(2);
      assert.ok(kernel.first(first, span));
      kernel.next(1, second);
      kernel.keepOnly(passing);
      const expected = scored();
      assert.deepEqual(
        expected.map(([row]) => row),
        [4_012],
        time,
      );
      const [again = [], other = []] = time === 'first' ? [one(), two()] : listsOf();
      kernel.beginAmong(passing, 2);
      kernel.next(0, again);
      kernel.next(1, other);
      assert.deepEqual(scored(), expected, time);
    }
  });
});

describe('the rows with which a search can begin', () => {
  it('are as many as a span can have with one token more', () => {
    const kernel = new WordKernel();
    const numbers = (count: number) => Float64Array.from({ length: count }, (_, at) => at + 1);
    for (const [tokens, most] of [
      [1, 367_001],
      [999, 3_640],
    ] as const) {
      assert.deepEqual(
        [WordKernel.hasRoomFor(most, tokens), WordKernel.hasRoomFor(most + 1, tokens)],
        [true, false],
      );
      kernel.beginAmong(numbers(most), tokens);
      assert.ok(kernel.load <= 1);
      assert.equal(kernel.size, most);
    }
  });
});

describe('a list that can never be shared', () => {
  it('is read no further than it fits, is read once, and leaves the others shared', () => {
    const kernel = new WordKernel();
    let read = 0;
    const long = function* () {
      for (const piece of piecesFrom(1, 5_000_000)) {
        read += piece.change;
        yield piece;
      }
    };
    const { bytes, ...piece } = pieceFrom(1, 1);
    // A count of 300: the code is odd, and then 2 times the count follows.
    const counted = Uint8Array.of((bytes[0] ?? 0) | 1, 128, 128, 0, 216, 4, 10);
    const often = { ...piece, bytes: counted, end: counted.length };
    const share = (name: string, pieces: () => Iterable<ListPiece>) => {
      kernel.makeRoom();
      return kernel.sharedList(name, pieces);
    };
    share('small', () => piecesFrom(1, 2_000));
    assert.equal(share('small', () => piecesFrom(1, 2_000))?.entries, 2_000);
    for (let time = 0; time < 1_500; time += 1) {
      assert.equal(share('long', long), undefined);
      assert.equal(
        share('often', () => [often]),
        undefined,
      );
    }
    assert.ok(read > 1_000_000 && read < 1_100_000);
    assert.equal(kernel.knownList('small')?.entries, 2_000);
    share('other', () => piecesFrom(1, 2_000));
    assert.equal(share('other', () => piecesFrom(1, 2_000))?.entries, 2_000);
  });
});

function integer(value: number): Uint8Array {
  return Uint8Array.of((value % 128) | 128, value >> 7);
}

/**
 * A search for a word that the last rows of a table have, in an index whose list has chunks of its own or not. The
 * statements return numbers.
 */
function searchOf(first: number, rows: number, isLong: boolean) {
  const database = openDatabase({ path: ':memory:' });
  database.exec(
    'CREATE TABLE p (segment, token BLOB, row, change, postings BLOB, PRIMARY KEY (segment, token, row));' +
      'CREATE TABLE r (row INTEGER PRIMARY KEY, tokens BLOB, old BLOB);' +
      'CREATE TABLE x (id INTEGER PRIMARY KEY, state, level, first, last, texts, length, done);' +
      `INSERT INTO x VALUES (1, 0, 0, 1, 1, ${rows}, ${rows * 10}, NULL);` +
      `CREATE VIEW t AS SELECT ${first + rows - 1} AS row_id`,
  );
  const token = Buffer.from('a');
  for (const { change, first: row, bytes } of piecesFrom(first, rows)) {
    const [head, key] = isLong
      ? [[integer(change - 1)], [row, change]]
      : [
          [Uint8Array.of(1), token, ...[change * 2, change - 1, bytes.length].map(integer)],
          [0, 0],
        ];
    const values = [token, ...key, Buffer.concat([...head, bytes])];
    database.statement('INSERT INTO p VALUES (1, ?, ?, ?, ?)').run(values);
  }
  const numbers = 'SELECT value FROM json_each(?)';
  const slice: ScoreSlice = {
    kind: 'score',
    tables: { postings: 'p', recent: 'r', segments: 'x', progress: 's' },
    rows: 't',
    tokens: ['a'],
    reading: { sql: `${numbers} LIMIT ?`, values: [], readBigInts: false },
    sort: { sql: `${numbers} ORDER BY value DESC`, values: [], readBigInts: false },
    isFiltered: false,
    limit: 3,
    count: 3,
    occurrences: [1],
    most: Number.MAX_SAFE_INTEGER,
    above: 0,
    best: [],
  };
  return { database, slice };
}

describe('a search for a word', () => {
  it('finds the best rows where many rows have numbers that are close together', () => {
    const { database, slice } = searchOf(5_000_001, 500_000, true);
    for (const time of ['first', 'second', 'third']) {
      const limits = { maxBytes: 1_000, allOrNone: false, isTimeUp: () => false };
      const { rows } = runWordSlice(database, slice, limits);
      assert.deepEqual(rows, [[5_500_000], [5_499_999], [5_499_998]], time);
    }
    database.close();
  });

  it('is not short if more than 200 other rows have the score of the best ones', () => {
    for (const [rows, found] of [
      [203, [[203], [202], [201]]],
      [204, undefined],
    ] as const) {
      const { database, slice } = searchOf(1, rows, false);
      assert.deepEqual(runShortSearch(database, slice)?.rows, found);
      database.close();
    }
  });

  it('is not short if one of the best rows is large', () => {
    const { database, slice } = searchOf(1, 20, false);
    const withoutLarge = 'SELECT value FROM json_each(?) WHERE value <> 19 LIMIT ?';
    assert.deepEqual(runShortSearch(database, slice)?.rows, [[20], [19], [18]]);
    const reading = { ...slice.reading, sql: withoutLarge };
    assert.equal(runShortSearch(database, { ...slice, reading }), undefined);
    database.close();
  });
});
