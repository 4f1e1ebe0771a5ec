// The recipes of CONTRIBUTING.md and the table of layers name what exists, and lists that recipes name are complete.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { committedFiles } from './committed-files.js';
import { expectNone } from './expect-none.js';
import { pathsIn, sectionOf } from './paths-in-documents.js';
import { type Import, projectRoot, readSources, type Source } from './read-sources.js';

/** A file that imports each of the files that a recipe adds, itself or by a file beside it. */
interface ImportedFiles {
  readonly list: string;
  /** Paths of the files; a group is the part that an import must begin with. */
  readonly files: RegExp;
}

const importedFiles: readonly ImportedFiles[] = [
  { list: 'src/ops-service/http/routes.ts', files: /^src\/ops-service\/http\/[a-z-]+-routes\.ts$/ },
  { list: 'src/bin/engines/registry.ts', files: /^(src\/data-service\/engine\/[a-z-]+\/)/ },
];

/** Recipes that CONTRIBUTING.md must have, by their titles. */
const wanted = [
  'A column type.',
  'A command.',
  'A filter operator of tables.',
  'A filter operator of documents.',
  'A notification channel.',
  'A kind of alert rule.',
  'A kind of event.',
  'An engine.',
  'A route of the operations service.',
  'A static file, as of a console.',
];

describe('the recipes', () => {
  const files = committedFiles();
  const contributing = readDocument('CONTRIBUTING.md');

  it('name files and folders that exist', () => {
    const paths = pathsIn(sectionOf(contributing, 'Recipes'));
    assert.ok(paths.length > 30, 'few paths are recognised');
    expectNone(missing(paths, files).map((path) => `CONTRIBUTING.md names ${path}, which does not exist`));
  });

  it('are there for everything that is added often', () => {
    expectNone(
      wanted.filter((title) => !contributing.includes(`**${title}**`)).map((title) => `no recipe: ${title}`),
    );
  });

  for (const { list, files: added } of importedFiles) {
    it(`add files that ${list} imports`, () => {
      const imports = importsOf(list);
      const things = new Set(files.flatMap((path) => added.exec(path)?.slice(-1) ?? []));
      assert.ok(things.size > 0, 'no file is recognised');
      const left = [...things].filter((thing) => !imports.some(({ target }) => target?.startsWith(thing)));
      expectNone(left.map((thing) => `${list} imports nothing of ${thing}`));
    });
  }
});

function importsOf(list: string): readonly Import[] {
  const sources = readSources();
  const own = sources.find(({ path }) => path === list)?.imports ?? [];
  const isBeside = ({ path }: Source) =>
    dirname(path) === dirname(list) && own.some(({ target }) => target === path);
  return [...own, ...sources.filter(isBeside).flatMap(({ imports }) => imports)];
}

describe('the table of layers', () => {
  it('names folders that exist', () => {
    const rows = sectionOf(readDocument('ARCHITECTURE.md'), 'Layers').split('\n');
    const paths = rows.flatMap((row) => (row.startsWith('| `') ? pathsIn(row.split('|')[1] ?? '') : []));
    assert.ok(paths.length > 15, 'few paths are recognised');
    expectNone(
      missing(paths, committedFiles()).map((path) => `ARCHITECTURE.md names ${path}, which does not exist`),
    );
  });
});

describe('each recipe', () => {
  it('names the path at which it begins', () => {
    const recipes = sectionOf(readDocument('CONTRIBUTING.md'), 'Recipes').split('\n**').slice(1);
    assert.ok(recipes.length > 15, 'few recipes are recognised');
    expectNone(recipes.filter((recipe) => pathsIn(recipe).length === 0));
  });
});

describe('the rule about paths', () => {
  const files = ['src/a/b.ts', 'tests/c/d.test.ts', 'CONTRIBUTING.md'];
  const find = (text: string) => missing(pathsIn(text), files);

  it('finds a file or folder that does not exist', () => {
    assert.deepEqual(find('`src/a/c.ts`, `src/c/` and `d.ts`'), ['src/a/c.ts', 'src/c/', 'd.ts']);
    assert.deepEqual(find('`…/e`'), ['/e']);
  });

  it('accepts paths from the root, ends of paths, folders and compiled files', () => {
    assert.deepEqual(
      find('`src/a/b.ts` `a/b.ts` `b.ts` `src/a/` `…/a` `dist/tests/c/` `CONTRIBUTING.md`'),
      [],
    );
  });

  it('passes over commands, names and patterns', () => {
    assert.deepEqual(
      find('`npm test -- a/b.ts` `registry` `*.test.ts` `run-….js` `node:test` `text/html`'),
      [],
    );
  });
});

function readDocument(name: string): string {
  return readFileSync(join(projectRoot, name), 'utf8');
}

function missing(paths: readonly string[], files: readonly string[]): readonly string[] {
  const known = files.map((file) => `/${file}`);
  return paths.filter((path) => {
    const end = path.startsWith('/') ? path : `/${path}`;
    return !known.some((file) => file.endsWith(end) || file.includes(`${end.replace(/\/$/, '')}/`));
  });
}
