// Checks where statements end.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitStatements } from './split-statements.js';

describe('splitStatements', () => {
  const cases: readonly (readonly [text: string, statements: readonly string[]])[] = [
    ['', []],
    [' ;; \n', []],
    ['A', ['A']],
    ['A;', ['A']],
    ['A; B ;\nC', ['A', 'B', 'C']],
    [`A 'x;''y;' B; C`, [`A 'x;''y;' B`, 'C']],
    ['A "x;""y" B; C', ['A "x;""y" B', 'C']],
    ["A $$x;'$$ B; C", ["A $$x;'$$ B", 'C']],
    ['A -- no; end\n B; C', ['A -- no; end\n B', 'C']],
    ['A // no; end\n B', ['A // no; end\n B']],
    ['A /* no;\n end; */ B; -- a comment; alone\n /* and; another */', ['A /* no;\n end; */ B']],
    ['BEGIN BATCH A; B; APPLY BATCH; C', ['BEGIN BATCH A; B; APPLY BATCH', 'C']],
    ['begin unlogged batch A; apply batch', ['begin unlogged batch A; apply batch']],
    [
      '/* x */ Begin /* ; */ Counter\nBatch A; Apply -- ;\n Batch;',
      ['/* x */ Begin /* ; */ Counter\nBatch A; Apply -- ;\n Batch'],
    ],
    [
      `BEGIN BATCH A 'APPLY BATCH;' B; C; APPLY BATCH; D`,
      [`BEGIN BATCH A 'APPLY BATCH;' B; C; APPLY BATCH`, 'D'],
    ],
    ['BEGIN; BATCH A; B', ['BEGIN', 'BATCH A', 'B']],
    // The server reports the errors in these statements.
    ["A 'x; B", ["A 'x", 'B']],
    ['A /* x; B', ['A /* x', 'B']],
    ['BEGIN BATCH A; B; ', ['BEGIN BATCH A; B;']],
  ];
  for (const [text, statements] of cases)
    it(`finds ${statements.length} in ${JSON.stringify(text)}`, () =>
      assert.deepEqual(splitStatements(text), statements));

  it('reads strings, names and comments of 30 million characters', () => {
    const long = 'x;'.repeat(15_000_000);
    for (const piece of [
      `'${long}'`,
      `"${long}"`,
      `$$${long}$$`,
      `/*${long}*/ A`,
      `'${"''".repeat(1_000_000)}'`,
    ])
      assert.equal(splitStatements(`${piece}; B`).length, 2);
  });

  it('searches the end of a comment once if there is none', () => {
    // A search of this text for the end takes tens of milliseconds, because each character has a byte of the end. A
    // search for each of the comments takes hours, and the test run ends it.
    const slow = '\u2a2a'.repeat(10_000_000);
    const text = `${"/* ' ".repeat(400_000)}'${slow}'; B`;
    assert.equal(splitStatements(text).length, 2);
  });
});
