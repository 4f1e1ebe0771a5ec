// The reader behind the tidy tests sees what is there and only what is there.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSamples, readSources, type Source } from './read-sources.js';

function readOne(text: string): Source {
  const [source] = readSamples({ 'src/a/one.ts': text });
  assert.ok(source !== undefined);
  return source;
}

describe('readSources', () => {
  it('finds the files of the project and this very file', () => {
    const paths = readSources().map(({ path }) => path);
    assert.ok(paths.includes('tests/tidy/read-sources.test.ts'));
    assert.ok(paths.includes('src/foundation/json/parse-json.ts'));
    assert.ok(paths.includes('console/app/main.tsx'));
    assert.ok(paths.every((path) => /^(src|console|tests|benchmarks|examples|tools)\//.test(path)));
  });
});

describe('readSamples', () => {
  it('reads every form of import, with its line and the file it names', () => {
    const { imports } = readOne(
      `import { a } from './b.js';
import type { C } from '../c/d.js';
import 'node:fs';
export { e } from './e.js';
export * from './f.js';
const g = await import('./g.js');
let h: import('./h.js').H;
// import './comment.js';
const text = "import './text.js'";`,
    );
    assert.deepEqual(
      imports.map(({ specifier, target, line }) => [line, specifier, target]),
      [
        [1, './b.js', 'src/a/b.ts'],
        [2, '../c/d.js', 'src/c/d.ts'],
        [3, 'node:fs', undefined],
        [4, './e.js', 'src/a/e.ts'],
        [5, './f.js', 'src/a/f.ts'],
        [6, './g.js', 'src/a/g.ts'],
        [7, './h.js', 'src/a/h.ts'],
      ],
    );
  });

  it('reads exports', () => {
    const { exports } = readOne(
      `// A file.
/** Documented. */
export function one(): void {}
// not a doc comment
export const two = 1, three = 2;
/** Documented. */
export interface Four {}
export type Five = 1;
/** Documented. */
export class Six {}
function hidden() {}
export { hidden as seven };
export default hidden;`,
    );
    assert.deepEqual(
      exports.map(({ name, line }) => [name, line]),
      [
        ['one', 3],
        ['two', 5],
        ['three', 5],
        ['Four', 7],
        ['Five', 8],
        ['Six', 10],
        ['seven', 12],
        ['default', 13],
      ],
    );
  });

  it('measures functions, methods and arrow functions, and knows the body of a describe', () => {
    const { functions } = readOne(
      `function one() {
  return '}';
}
class A {
  method(): void {
    const brace = /[}]/;
  }
}
const two = () => [
  1,
];
describe('x', () => {
  it('y', () => {});
});`,
    );
    assert.deepEqual(
      functions.map(({ line, lineCount, isSuite }) => [line, lineCount, isSuite]),
      [
        [1, 3, false],
        [5, 3, false],
        [9, 3, false],
        [12, 3, true],
        [13, 1, false],
      ],
    );
  });

  it('lists the names that code uses, not those in comments and strings', () => {
    const names = readOne(
      `const a = Date.now(); // performance.now()
const b = new Date(), c = new Date(1), d = process.env['X'], e = 'Math.random';`,
    ).uses.map(({ name }) => name);
    for (const name of ['Date.now', 'new Date()', 'process.env']) assert.ok(names.includes(name), name);
    for (const name of ['performance.now', 'Math.random']) assert.equal(names.includes(name), false, name);
    assert.equal(names.filter((name) => name === 'new Date()').length, 1);
  });

  it('distinguishes a barrel from a file that also declares something', () => {
    assert.equal(readOne(`export { a } from './a.js';\nexport * from './b.js';`).isBarrel, true);
    assert.equal(readOne(`import { a } from './a.js';\nexport { a };`).isBarrel, true);
    assert.equal(readOne(`export { a } from './a.js';\nconst b = 1;`).isBarrel, false);
    assert.equal(readOne(`import './a.js';`).isBarrel, false);
  });
});
