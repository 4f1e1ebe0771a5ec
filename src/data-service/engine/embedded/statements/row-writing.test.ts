// Rows as JSON: SQLite writes the same text as the types themselves.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { isReadable } from '../../../column-types/column-type.js';
import { listOf, mapOf, setOf } from '../../../column-types/containers.js';
import { int } from '../../../column-types/integers.js';
import { columnTypes } from '../../../column-types/registry.js';
import { text } from '../../../column-types/text.js';
import { vectorOf } from '../../../column-types/vector.js';
import { type Column, makeColumn } from '../../../schema/table.js';
import { finishRows, writingOf } from './row-writing.js';

const limits = { maxDepth: 10, maxNumberLength: 250_000 };
const types = [...columnTypes, listOf(text), setOf(text), mapOf(text, int)].filter(isReadable);

describe('a row as JSON text', () => {
  for (const type of types) {
    it(`shows every ${type.name} as the type writes it`, () => {
      const columns = [int, type, int, type].map((each, at) =>
        makeColumn(at + 1, { name: `c${at}`, type: each }),
      );
      for (const example of type.examples.accepts) {
        const value = type.parse(parseJson(example, limits));
        if (type.container?.isEmpty(value) === true) continue;
        for (const row of [
          [1, value, 2, value],
          [1, null, 2, value],
          [null, value, null, null],
        ]) {
          const { written, expected } = writeRows(columns, [row, row]);
          if (written === undefined) assert.match(expected, /\\u000[01]/);
          else assert.equal(written, expected);
        }
      }
    });
  }

  it('shows every character of a text', () => {
    const columns = [makeColumn(1, { name: 'a', type: text })];
    const characters = Array.from({ length: 0x300 }, (_, code) => String.fromCodePoint(code));
    for (const character of [...characters, '\u2028', '\ufffd', '\u{1f600}', '\\u0031', '\\\\"\\']) {
      const { written, expected } = writeRows(columns, [[`${character}"${character}`]]);
      if (character > '\u0001') assert.equal(written, expected);
      else assert.equal(written, undefined, 'what is stored with an escape is left to the type');
    }
  });

  it('leaves missing values out, whatever texts look like them', () => {
    const names = ['a', 'b', 'c', "it's", 'é"'];
    const columns = names.map((name, at) => makeColumn(at + 1, { name, type: text }));
    const texts = [null, ',"b":null', '{"a":null,', '{"a":null}', ':null', '","b":null,"', ''];
    for (let at = 0; at < texts.length ** 3; at += 1) {
      const pick = (place: number) => texts[Math.floor(at / texts.length ** place) % texts.length] ?? null;
      const row = [pick(0), pick(1), pick(2), pick(0), pick(1)];
      const { written, expected } = writeRows(columns, [row, row.toReversed()]);
      assert.equal(written, expected);
    }
  });

  it('has no members where no column is wanted', () => {
    assert.deepEqual(writeRows([], [[], []]), { written: '{},{}', expected: '{},{}' });
  });

  it('may have as many columns as SQLite takes, and no more', () => {
    const wide = (width: number) =>
      Array.from({ length: width }, (_, at) =>
        makeColumn(at + 1, { name: `c${at}`, type: types[at % 20] ?? int }),
      );
    const { written, expected } = writeRows(wide(100), [Array.from({ length: 100 }, () => null)]);
    assert.equal(written, expected);
    assert.equal(writingOf(wide(101)), undefined);
  });

  it('is not tried with vectors, and with names that could end a text', () => {
    assert.equal(writingOf([makeColumn(1, { name: 'v', type: vectorOf(3) })]), undefined);
    for (const name of [',"b', ':null', '}', ']'])
      assert.equal(writingOf([makeColumn(1, { name, type: int })]), undefined);
  });
});

/** The texts that SQLite and `finishRows` write for rows, and the texts of the types. */
function writeRows(columns: readonly Column[], rows: readonly (readonly unknown[])[]) {
  const writing = writingOf(columns);
  assert.ok(writing !== undefined);
  const database = openDatabase({ path: ':memory:' });
  try {
    const definitions = columns.map(({ id, type }) => `c${id} ${type.sql.columnType}`);
    database.exec(`CREATE TABLE t (${['n INTEGER PRIMARY KEY', ...definitions].join(', ')})`);
    for (const row of rows) {
      const stored = row.map(
        (value, at): SqlValue => (value === null ? null : (columns[at]?.type.sql.encode(value) ?? null)),
      );
      database
        .statement(`INSERT INTO t VALUES (${['NULL', ...stored.map(() => '?')].join(', ')})`)
        .run(stored);
    }
    const [text] = database
      .statement(`SELECT group_concat(w) FROM (SELECT ${writing.selection} AS w FROM t ORDER BY n)`, {
        returnArrays: true,
      })
      .get() ?? [null];
    return {
      written: finishRows(String(text), writing.form),
      expected: rows.map((row) => rowText(columns, row)).join(','),
    };
  } finally {
    database.close();
  }
}

function rowText(columns: readonly Column[], row: readonly unknown[]): string {
  const members = columns.flatMap(({ label, type }, at) =>
    row[at] === null ? [] : [`${label}${type.serialize(row[at])}`],
  );
  return `{${members.join(',')}}`;
}
