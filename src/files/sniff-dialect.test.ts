// Checks how much of a sample decides about the dialect.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sniffDialect } from './sniff-dialect.js';

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
});
