// Long fields in the beginning of a file do not change how the file is read.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectCsv } from './inspect-csv.js';

/** Pieces of 64 KiB, as files have them. */
async function* piecesOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 65_536) yield text.slice(at, at + 65_536);
}

async function inspected(text: string) {
  const { dialect, rows, columns } = await inspectCsv(piecesOf(text), {}, 'f.csv');
  return { delimiter: dialect.delimiter, quote: dialect.quote, rows, columns: [...columns.keys()] };
}

const usual = { delimiter: ',', quote: '"', columns: ['id', 'page'] };

describe('the dialect of a file whose beginning ends within a long field', () => {
  it('has quotes if the field is one long line', async () => {
    const long = `"${'x'.repeat(5_000_000)}"`;
    assert.deepEqual(await inspected(`id,page\n1,${long}\n2,y\n`), { ...usual, rows: 2 });
    assert.deepEqual(await inspected(`id,page\n1,${long}`), { ...usual, rows: 1 });
  });

  it('has quotes if the field has many lines with delimiters', async () => {
    const long = `"${'a line; or "", two, words\n\n'.repeat(100_000)}"`;
    assert.deepEqual(await inspected(`id,page\n1,${long}\n2,y\n`), { ...usual, rows: 2 });
    const first = '0,"z"\n'.repeat(30);
    assert.deepEqual(await inspected(`id,page\n${first}1,${long}\n2,y\n`), { ...usual, rows: 32 });
    assert.deepEqual(await inspected(`id;page\n1;${long}\n2;y\n`), { ...usual, delimiter: ';', rows: 2 });
  });

  it('has none if the lines behind the quote are records, whether another quote ends them or not', async () => {
    const records = '1,x\n'.repeat(400_000);
    const letters = { ...usual, quote: '' };
    assert.deepEqual(await inspected(`id,page\n1,"a\n${records}`), { ...letters, rows: 400_001 });
    assert.deepEqual(await inspected(`id,page\n1,"a\n${records}1,b"\n`), { ...letters, rows: 400_002 });
  });
});
