// What lists things agrees with the folder it lists: nothing is written and then forgotten.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSamples, readSources, type Source } from './read-sources.js';

/** A list file, and which exports of the files beside it must stand in it. */
interface List {
  readonly file: string;
  readonly folder: string;
  /** Whether an exported declaration, seen by its text, is one of the listed things. */
  readonly isListed: RegExp;
}

const lists: readonly List[] = [
  {
    file: 'src/data-service/commands/registry.ts',
    folder: 'src/data-service/commands',
    isListed:
      /^export const (\w+)(?:: CommandParts\b| = (?:define)?[cC]ommand\b|[^=\n]*: (?:Command|AnyCommand)\b)/gm,
  },
  {
    file: 'src/data-service/column-types/registry.ts',
    folder: 'src/data-service/column-types',
    isListed: /^export const (\w+)(?:: ColumnType\b|: readonly ColumnType\b)/gm,
  },
];

describe('lists', () => {
  const sources = readSources();
  for (const list of lists) {
    it(`${list.file} names everything of its kind in ${list.folder}`, () => {
      assert.deepEqual(missingFrom(list, sources), []);
    });
  }
});

describe('the rule about lists', () => {
  const list: List = {
    file: 'src/a/registry.ts',
    folder: 'src/a',
    isListed: /^export const (\w+): ColumnType\b/gm,
  };
  const int = 'export const int: ColumnType<number> = {};\nexport const limit = 1;';

  it('finds a thing that its list does not use', () => {
    const samples = readSamples({ 'src/a/integers.ts': int, 'src/a/registry.ts': `import './integers.js';` });
    assert.deepEqual(missingFrom(list, samples), ['src/a/integers.ts: int is not in src/a/registry.ts']);
  });

  it('finds a thing that its list imports and then leaves out', () => {
    const registry = `import { int } from './integers.js';\nexport const all = [];`;
    const samples = readSamples({ 'src/a/integers.ts': int, 'src/a/registry.ts': registry });
    assert.equal(missingFrom(list, samples).length, 1);
  });

  it('is content with a thing that its list uses', () => {
    const registry = `import { int } from './integers.js';\nexport const all = [int];`;
    const samples = readSamples({ 'src/a/integers.ts': int, 'src/a/registry.ts': registry });
    assert.deepEqual(missingFrom(list, samples), []);
  });

  it('finds things that have no list at all', () => {
    assert.equal(missingFrom(list, readSamples({ 'src/a/integers.ts': int })).length, 1);
  });

  it('asks nothing of tests and of a folder without such things', () => {
    assert.deepEqual(
      missingFrom(list, readSamples({ 'src/a/integers.test.ts': int, 'src/b/c.ts': int })),
      [],
    );
  });
});

function missingFrom(list: List, sources: readonly Source[]): readonly string[] {
  const registry = sources.find(({ path }) => path === list.file);
  return sources
    .filter(
      ({ path }) => path.startsWith(`${list.folder}/`) && path !== list.file && !path.endsWith('.test.ts'),
    )
    .flatMap(({ path, text }) =>
      [...text.matchAll(list.isListed)]
        .map(([, name]) => name)
        // Once in the import, once in the list.
        .filter((name) => (registry?.uses.filter((use) => use.name === name).length ?? 0) < 2)
        .map((name) => `${path}: ${name} is not in ${list.file}`),
    );
}
