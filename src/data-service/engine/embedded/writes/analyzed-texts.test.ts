// Long texts of a job, which are analyzed before the writer thread gets it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { text } from '../../../column-types/text.js';
import { type Column, makeTable, type TextIndex } from '../../../schema/table.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';
import { longText, TextsToAnalyze, textFunctions, withAnalyzed } from '../file/text-functions.js';
import { changeStatements, insertStatements, type WriteStatement } from '../statements/write-statements.js';
import { packStatements, unpackStatements } from './write-batch.js';

const table = makeTable(
  { id: 4, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: [
      { name: 'id', type: text },
      { name: 'plain', type: text },
      { name: 'content', type: text },
    ],
    partitionKey: ['id'],
    clustering: [],
  },
);
const [id, plain, column] = table.columns;
assert.ok(id && plain && column);
const indexes = ['"standard"', '"english"'].map((definition, at): TextIndex => {
  return { kind: 'text', id: at, name: `i${at}`, column, analyzer: analyzerOf(definition) };
});
const long = 'A red house. '.repeat(longText / 10);
const sql = 'INSERT INTO t VALUES (?, ?)';
const statements = [
  { sql, valueSets: [['a', 'short']], columns: [id, column] },
  {
    sql,
    valueSets: [
      ['b', 'short'],
      ['c', long],
    ],
    columns: [id, column],
  },
];
const withoutColumns = statements.map(({ valueSets }) => ({ sql, valueSets }));

/** The texts of which a job has the tokens after it was packed, with the analyzers. */
function analyzedOf(packed: readonly WriteStatement[]): readonly (readonly [string, string])[] {
  const { analyzed = [] } = unpackStatements(packStatements(packed, indexes)).known ?? {};
  return analyzed.map(({ stored, definition }) => [stored, definition]);
}

/** So many rows, with texts of so many characters in the column without an index and in the other one. */
function rowsOf(count: number, plainLength: number, length: number): readonly WriteStatement[] {
  const columns = [id, plain, column].filter((each) => each !== undefined);
  const rows = Array.from({ length: count }, (_, at) => {
    return { columns, values: [`row ${at}`, 'p'.repeat(plainLength), `${at} `.padEnd(length, 'red ')] };
  });
  return insertStatements({ table, rows });
}

describe('the long texts of a packed job', () => {
  it('come with the tokens of each text index, in the form of the log', () => {
    const unpacked = unpackStatements(packStatements(statements, indexes));
    assert.deepEqual(unpacked.statements, withoutColumns);
    assert.deepEqual(
      unpacked.known?.analyzed.map(({ stored, definition, tokens }) => [stored === long, definition, tokens]),
      indexes.map(({ analyzer: { definition } }) => [
        true,
        definition,
        Uint8Array.from(textFunctions['text_tokens']?.(long, definition) as Uint8Array),
      ]),
    );
  });

  it('are not analyzed without a text index', () => {
    assert.deepEqual(unpackStatements(packStatements(statements)).known?.analyzed, []);
  });

  it('are those of the column of the index only, however long others are', () => {
    assert.deepEqual(analyzedOf(rowsOf(100, 5_000, 20)), []);
    assert.deepEqual(analyzedOf(rowsOf(2, longText * 4, 20)), []);
    const analyzed = analyzedOf(rowsOf(100, 5_000, 2_000));
    assert.equal(analyzed.length, 100 * indexes.length);
    assert.ok(analyzed.every(([stored]) => stored.includes('red ')));
  });

  it('are all of the column where they are many, so that the writer thread runs the job once', () => {
    assert.equal(analyzedOf(rowsOf(1_000, 0, 300)).length, 1_000 * indexes.length);
    assert.deepEqual(analyzedOf(rowsOf(100, 0, 300)), []);
  });

  it('are left to another thread beyond a bound', () => {
    assert.equal(analyzedOf(rowsOf(20, 0, 2 * longText)).length, 2 * 8);
  });

  it('are found in the values of an update', () => {
    const set = (one: Column, value: string) => ({ kind: 'set' as const, column: one, value });
    const changes = [set(plain, `${long} plain`), set(column, long)];
    assert.deepEqual(
      analyzedOf(changeStatements({ table, key: ['a'], changes })),
      indexes.map(({ analyzer: { definition } }) => [long, definition]),
    );
  });

  it('are not analyzed again while the job is run, and others are', () => {
    const tokens = Uint8Array.of(1, 2, 3);
    const read = (stored: string, definition = '"standard"') =>
      textFunctions['text_tokens']?.(stored, definition);
    withAnalyzed([{ stored: long, definition: '"standard"', tokens }], Number.POSITIVE_INFINITY, () => {
      assert.equal(read(long), tokens);
      assert.notDeepEqual(read(long, '"english"'), tokens);
      assert.notDeepEqual(read(`${long} more`), tokens);
      assert.notDeepEqual(read('short'), tokens);
    });
    assert.notDeepEqual(read(long), tokens);
  });

  it('are wanted where they are longer together than the work may analyze itself', () => {
    const read = () => textFunctions['text_tokens']?.(long, '"standard"');
    const work = () => [read(), read()];
    const whole = read();
    assert.deepEqual(withAnalyzed([], long.length * 2, work), [whole, whole]);
    const wanted = withAnalyzed([], long.length, work);
    assert.ok(wanted instanceof TextsToAnalyze);
    assert.deepEqual(wanted.texts, [{ stored: long, definition: '"standard"' }]);
    assert.deepEqual(read(), whole);
  });
});
