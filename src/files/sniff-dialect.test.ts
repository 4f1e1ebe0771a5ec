// Checks how much of a sample decides about the dialect.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sniffDialect } from './sniff-dialect.js';
import { csvLine } from './write-csv.js';

describe('sniffDialect', () => {
  it('reads a sample of 500,000 lines of one column', () => {
    const sample = { text: 'a\n'.repeat(500_000), isWhole: true };
    assert.equal(sniffDialect(sample, {}).delimiter, ',');
    // The quote is not closed, so it is a letter, and the whole sample decides.
    const quoted = { text: `"${'a\n'.repeat(500_000)}`, isWhole: true };
    assert.equal(sniffDialect(quoted, {}).quote, '');
  });

  it('decides from the first 128 KiB if they have many records', () => {
    const sample = { text: 'a,b\n'.repeat(40_000) + 'a;b;c\n'.repeat(100_000), isWhole: true };
    assert.equal(sniffDialect(sample, {}).delimiter, ',');
  });

  it('decides from the whole sample if a record is long', () => {
    const field = `"${'a line, or more;\n'.repeat(6000)}"`;
    const text = `id,page\n${Array.from({ length: 9 }, (_, at) => `${at},${field}\n`).join('')}`;
    const { delimiter, quote } = sniffDialect({ text, isWhole: false }, {});
    assert.deepEqual({ delimiter, quote }, { delimiter: ',', quote: '"' });
  });

  it('takes no delimiter within quotes, where each record has it', () => {
    for (const other of [';', '|', '\t']) {
      const text = `id,"lat${other}lon"\n1,"5${other}6"\n2,"7"" ${other} 8"\n`;
      assert.equal(sniffDialect({ text, isWhole: true }, {}).delimiter, ',', other);
    }
    const letters = { text: 'size;name, first\n5";a, b\n6";c, d\n', isWhole: true };
    assert.equal(sniffDialect(letters, {}).delimiter, ';');
  });

  it('takes no text with a line break for a declared delimiter', () => {
    const text = '"sep=;\n",n\na,1\nb,2\n';
    assert.equal(sniffDialect({ text, isWhole: true }, {}).delimiter, ',');
    assert.equal(sniffDialect({ text: '"sep=;"\na;b\n', isWhole: true }, {}).delimiter, ';');
  });

  it('finds the delimiter of files of an export', () => {
    for (const other of [';', '|', '\t', ','])
      for (const names of [['id'], ['id', `a${other}b`]]) {
        const records = [names, names.map(() => `x${other}y`), names.map(() => `${other}z`)];
        const text = records.map((fields) => `${csvLine(fields, ',')}\n`).join('');
        assert.equal(sniffDialect({ text, isWhole: true }, {}).delimiter, ',', text);
      }
  });
});
