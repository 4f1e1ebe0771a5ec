// Checks where messages place records that cannot be read.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCsv } from './read-csv.js';

async function* chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
}

describe('readCsv', () => {
  it('names the line where a record with wrong quotes begins, for chunks of every size', async () => {
    const before = 'id,a\n\n1,"x\n\ny"\n2,z\n';
    const cases: readonly (readonly [record: string, problem: RegExp])[] = [
      ['3,"open\n4,x\n5,x\n', /f cannot be read as CSV: the record at line 7: Quote Not Closed: /],
      ['3,"\nop"en"\n4,x\n', /the record at line 7: Invalid Closing Quote: got "e" instead of /],
      ['3,op"en\n4,x\n', /the record at line 7: Invalid Opening Quote: .* on field 1, value is "op"$/],
    ];
    for (const [record, problem] of cases)
      for (const text of [before + record, (before + record).replaceAll('\n', '\r\n')])
        for (const size of [1, 2, 7, text.length])
          await assert.rejects(async () => {
            for await (const records of readCsv(chunksOf(text, size), ',', 'f'))
              assert.ok(records.length < 4);
          }, problem);
  });
});
