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
    // The server reports what is wrong with them.
    ["A 'x; B", ["A 'x", 'B']],
    ['A /* x; B', ['A /* x', 'B']],
  ];
  for (const [text, statements] of cases)
    it(`finds ${statements.length} in ${JSON.stringify(text)}`, () =>
      assert.deepEqual(splitStatements(text), statements));
});
