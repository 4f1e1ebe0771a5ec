// No file imports itself by a detour, not even for a type.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectNone } from './expect-none.js';
import { readSamples, readSources, type Source } from './read-sources.js';

describe('imports', () => {
  it('form no cycle', () => {
    expectNone(findCycles(readSources()));
  });
});

describe('the search for cycles', () => {
  it('finds a cycle of types over three files and names its members', () => {
    const samples = readSamples({
      'src/a.ts': `import type { B } from './b.js';\nexport type A = B;`,
      'src/b.ts': `export { C as B } from './c.js';`,
      'src/c.ts': `import { A } from './a.js';\nexport type C = A;`,
      'src/d.ts': `import './a.js';`,
    });
    assert.deepEqual(findCycles(samples), ['src/a.ts → src/b.ts → src/c.ts → src/a.ts']);
  });

  it('does not take two ways to one file for a cycle', () => {
    const samples = readSamples({
      'src/a.ts': `import './b.js';\nimport './c.js';`,
      'src/b.ts': `import './c.js';`,
      'src/c.ts': '',
    });
    expectNone(findCycles(samples));
  });
});

function findCycles(sources: readonly Source[]): readonly string[] {
  const targets = new Map(sources.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start >= 0) cycles.push([...way.slice(start), path].join(' → '));
    if (start >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) if (target !== undefined) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return cycles;
}
