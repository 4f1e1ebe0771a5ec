// Long texts of a job, which are analyzed before the writer thread gets it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { text } from '../../../column-types/text.js';
import { makeColumn, type TextIndex } from '../../../schema/table.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';
import { longText, TextsToAnalyze, textFunctions, withAnalyzed } from '../file/text-functions.js';
import { packStatements, unpackStatements } from './write-batch.js';

const column = makeColumn(1, { name: 'content', type: text });
const indexes = ['"standard"', '"english"'].map((definition, id): TextIndex => {
  return { kind: 'text', id, name: `i${id}`, column, analyzer: analyzerOf(definition) };
});
const long = 'A red house. '.repeat(longText / 10);
const statements = [
  { sql: 'INSERT INTO t VALUES (?, ?)', valueSets: [[1, 'short']] },
  {
    sql: 'INSERT INTO t VALUES (?, ?)',
    valueSets: [
      [2, 'short'],
      [3, long],
    ],
  },
];

describe('the long texts of a packed job', () => {
  it('come with the tokens of each text index, in the form of the log', () => {
    const unpacked = unpackStatements(packStatements(statements, indexes));
    assert.deepEqual(unpacked.statements, statements);
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
