// Checks how records are read, and where messages place those that cannot be read.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CsvDialect, usualDialect } from './csv-dialect.js';
import { CsvReader, type CsvRecord, readCsv } from './read-csv.js';

async function* piecesOf(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function recordsOf(text: string, dialect: CsvDialect, size: number): Promise<readonly CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const group of readCsv(piecesOf(text, size), dialect, 'f')) records.push(...group);
  return records;
}

describe('readCsv', () => {
  it('names the line where a record begins whose quote is not closed, for pieces of every size', async () => {
    const text = 'id,a\n\n1,"x\n\ny"\n2,z\n3,"open\n4,x\n5,x\n';
    const message =
      'f cannot be read as CSV: the record at line 7: its quote is not closed. ' +
      'If " is a letter in this file, give --quote none';
    for (const whole of [text, text.replaceAll('\n', '\r\n'), text.replaceAll('\n', '\r')])
      for (const size of [1, 2, 7, whole.length])
        await assert.rejects(recordsOf(whole, usualDialect, size), { message });
  });

  it('reads records with every line break and quotes that are letters, in pieces of every size', async () => {
    const text = 'a,b\r1,"x\r\ny"\r\n\r\n2,5" pipe\n3,"say ""hi"""\r4,"wrong" end\n5,""\n6,"at the end" \n7,';
    const expected = [
      { line: 1, fields: ['a', 'b'] },
      { line: 2, fields: ['1', 'x\r\ny'] },
      { line: 5, fields: ['2', '5" pipe'] },
      { line: 6, fields: ['3', 'say "hi"'] },
      { line: 7, fields: ['4', '"wrong" end'], problem: 'the field 2 has text behind its closing "' },
      { line: 8, fields: ['5', ''] },
      { line: 9, fields: ['6', 'at the end'] },
      { line: 10, fields: ['7', null] },
    ];
    for (const size of [1, 2, 3, 7, text.length])
      assert.deepEqual(await recordsOf(text, usualDialect, size), expected, `pieces of ${size}`);
  });

  it('reads escapes, other quotes, comments and skipped lines', async () => {
    const cases: readonly (readonly [dialect: Partial<CsvDialect>, text: string, records: object])[] = [
      [{ escape: '\\' }, '"a \\"b\\"",\\N,C:\\new,x\\,y\n', [['a "b"', '\\N', 'C:\\new', 'x,y']]],
      [{ quote: "'", escape: "'" }, `'it''s, so',"x"\n`, [["it's, so", '"x"']]],
      [{ quote: '', escape: '' }, '"a,b"\n', [['"a', 'b"']]],
      [{ skippedLines: 2, comment: '#' }, 'one "\ntwo\n#three\nfour\n', [['four']]],
      [{ skipsBlanks: true }, 'a, "b, c", d \n', [['a', 'b, c', 'd ']]],
      [{ delimiter: '' }, 'a,b\n', [['a,b']]],
    ];
    for (const [dialect, text, records] of cases)
      for (const size of [1, text.length]) {
        const found = await recordsOf(text, { ...usualDialect, ...dialect }, size);
        assert.deepEqual(
          found.map(({ fields }) => fields),
          records,
          text,
        );
      }
  });

  it('searches each character of a text few times, whatever the escape and the quote are', () => {
    const many = 200_000;
    // A search of this text for an escape, a quote or a line break takes tens of milliseconds, because each character
    // has a byte of theirs. A reader that searches it again for each field takes hours, and the test run ends it.
    const slow = '\u225c\u0a0d'.repeat(4_000_000);
    const cases: readonly (readonly [dialect: Partial<CsvDialect>, text: string, count: number])[] = [
      [{ escape: '\\' }, `${'a,b\n'.repeat(many)}${slow}\n`, many + 1],
      [{ escape: '\\' }, `${'"a","b"\n'.repeat(many)}${slow}\n`, many + 1],
      [{ escape: '\\', quote: '' }, `${'a,b\n'.repeat(many)}${slow}\n`, many + 1],
      [{ escape: '\\' }, `"${'\\\\'.repeat(many)}${slow}"\n`, 1],
      [{ escape: '\\' }, `${'\\,'.repeat(many)}${slow}\n`, 1],
      [{ escape: '\\' }, `${'"\\,'.repeat(many)}${slow}\n`, 1],
      [{ comment: '#' }, `${'#a\nb\n'.repeat(many)}${slow}\n`, many + 1],
      [{}, `${'a,""\r'.repeat(many)}${slow}\r`, many + 1],
    ];
    for (const [dialect, text, count] of cases) {
      const reader = new CsvReader({ ...usualDialect, ...dialect }, 'f');
      const length = reader.read(text).length + reader.end().length;
      assert.equal(length, count, JSON.stringify(dialect));
    }
  });
});
