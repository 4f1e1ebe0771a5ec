// What a file exports, another file names.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectNone } from './expect-none.js';
import { readSamples, readSources, type Source } from './read-sources.js';

/** The test of registries reads all exports of these files. */
const isRegistry = /\/registry\.ts$/;

/** A type may be exported for the reader of a signature; the functions of AssemblyScript are called by their names. */
const isValue = /^export (async |abstract )?(function|const|let|class) /;

describe('exported values', () => {
  it('are named in another file', () => {
    expectNone(unusedIn(readSources()));
  });
});

describe('the rule about exported values', () => {
  it('finds one that only its own file names', () => {
    const found = unusedIn(
      readSamples({
        'src/a.ts': 'export const a = 1;\nexport const b = a;\nexport function c() {}\nexport type D = 1;',
        'src/b.ts': `import { b } from './a.js';\nb;`,
      }),
    );
    assert.deepEqual(found, [
      'src/a.ts:1 a is named in no other file',
      'src/a.ts:3 c is named in no other file',
    ]);
  });
});

function unusedIn(sources: readonly Source[]): readonly string[] {
  const users = new Map<string, Set<string>>();
  for (const { path, uses } of sources)
    for (const { name } of uses)
      for (const part of name.split('.')) users.set(part, (users.get(part) ?? new Set()).add(path));
  return sources
    .filter(({ path }) => !path.endsWith('.as.ts') && !isRegistry.test(path))
    .flatMap(({ path, exports, lines }) =>
      exports
        .filter(({ line }) => isValue.test(lines[line - 1] ?? ''))
        .filter(({ name }) => ![...(users.get(name) ?? [])].some((user) => user !== path))
        .map(({ name, line }) => `${path}:${line} ${name} is named in no other file`),
    );
}
