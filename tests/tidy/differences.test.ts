// Every documented difference from the public API is held by a test that carries its name.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { differences, leftOut } from '../cassandra/wire-differences.js';
import { isTest, projectRoot, readSamples, readSources, type Source } from './read-sources.js';

describe('docs/differences.md', () => {
  const names = rowNames(readFileSync(join(projectRoot, 'docs', 'differences.md'), 'utf8'));

  it('names every row, and none twice', () => {
    assert.ok(names.length > 30, `${names.length} rows have a name`);
    assert.deepEqual(
      names.filter((name, place) => name === '' || names.indexOf(name) < place),
      [],
    );
  });

  it('has no row without a test that carries its name', () => {
    const sources = readSources();
    assert.deepEqual(
      names.filter((name) => !isCarried(name, sources)),
      [],
    );
  });
});

describe('tests of requests that differ on a cluster', () => {
  const names = rowNames(readFileSync(join(projectRoot, 'docs', 'differences.md'), 'utf8'));
  const sources = readSources();

  it('have a row of docs/differences.md', () => {
    assert.deepEqual(
      Object.values(differences).filter((row) => !names.includes(row)),
      [],
    );
  });

  it('are there, and name the embedded engine', () => {
    const unknown = Object.keys(differences).filter((name) => {
      const [file = '', ...path] = name.split(' > ');
      const text = sources.find(({ path }) => path === `tests/wire/${file.replace(/js$/, 'ts')}`)?.text ?? '';
      return !name.includes('(embedded)') || !path.every((part) => text.includes(`'${part}'`));
    });
    assert.deepEqual(unknown, []);
  });

  it('do not run at all only where their file exists', () => {
    const files = new Set(sources.map(({ path }) => path));
    assert.deepEqual(
      Object.keys(leftOut).filter((name) => !files.has(`tests/wire/${name}.test.ts`)),
      [],
    );
  });
});

describe('the rule about differences', () => {
  it('reads the names in the first cells of tables', () => {
    const text =
      '| what | here |\n| --- | --- |\n| **a, `b`** | **no** name |\n| unnamed | x |\n\n**c** is not a row';
    assert.deepEqual(rowNames(text), ['a, `b`', '']);
  });

  it('finds a row that no test name begins with', () => {
    const carried = (path: string, text: string) => isCarried('page state', readSamples({ [path]: text }));
    assert.equal(carried('tests/wire/a.test.ts', `it('page state: survives', () => {});`), true);
    assert.equal(carried('src/a.test.ts', 'it(`page state: 1`, () => {});'), true);
    const rows = `const rows = [['page state', 1]];\nfor (const [row, x] of rows) it(\`\${row}: \${x}\`, () => {});`;
    assert.equal(carried('tests/wire/a.test.ts', rows), true);
    assert.equal(carried('tests/wire/a.test.ts', `const rows = [['page state', 1]];`), false);
    assert.equal(carried('tests/wire/a.test.ts', `// it('page state: survives', () => {});`), false);
    assert.equal(carried('tests/wire/a.test.ts', `it('a page state: survives', () => {});`), false);
    assert.equal(carried('src/a.ts', `it('page state: survives', () => {});`), false);
  });
});

/** The bold name in the first cell of each row; empty for a row without one. */
function rowNames(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (what|---) \|/.test(line))
    .map((line) => /^\| \*\*(.+?)\*\* \|/.exec(line)?.[1] ?? '');
}

/** A test is named `<row>: …`, or takes the row's name from a table of cases. */
function isCarried(name: string, sources: readonly Source[]): boolean {
  return sources.filter(isTest).some(({ lines }) => {
    const code = lines.filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line)).join('\n');
    const isBeginning = ["'", '`'].some((quote) => code.includes(`it(${quote}${name}: `));
    return isBeginning || (code.includes(`it(\`\${row}: `) && code.includes(`'${name}'`));
  });
}
