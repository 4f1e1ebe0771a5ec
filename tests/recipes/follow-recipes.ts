// Follows recipes of CONTRIBUTING.md in one copy of the tree, which is built once and whose server is started once.
//
// How to follow one more recipe: a file of this folder exports a `FollowedRecipe`, `recipes.long.test.ts` lists it.
// `files` and `changes` are the work of a contributor; the test fails if the recipe does not name a path of them.
// `find` looks for the added thing in `built`: `built.server` answers requests, `built.load` imports a module that the
// copy compiled (`src/…`, `console-modules/…`, `tests/…`), `built.read` has the texts of documents.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { generatedDocuments } from '../../tools/generate-docs.js';
import { makeTemporaryDirectory, type RunningServer } from '../acceptance/start-server.js';
import { committedFiles } from '../tidy/committed-files.js';
import { pathsIn, sectionOf } from '../tidy/paths-in-documents.js';
import { projectRoot } from '../tidy/read-sources.js';

export interface FileChange {
  readonly path: string;
  /** A text that the file has exactly once. */
  readonly from: string;
  /** What takes its place. */
  readonly to: string;
}

/** A recipe with the thing that the test adds by it. */
export interface FollowedRecipe {
  /** The bold words of the recipe without the full stop: `A metric key`. */
  readonly title: string;
  /** The texts of new files by their paths from the root. */
  readonly files: Readonly<Record<string, string>>;
  /** Several recipes can change the same file. */
  readonly changes: readonly FileChange[];
  /** Fails if the thing is not where a user or a contributor finds it. */
  find(built: BuiltCopy): Promise<void>;
}

/** The copy with the things of all recipes. */
export interface BuiltCopy {
  /** Its server, with an empty data directory. */
  readonly server: RunningServer;
  /** Imports a compiled module of the copy by its path in `dist/`, with the types of the same module of this tree. */
  load<Module>(path: string): Promise<Module>;
  /** The text of a file of the copy; generated documents are up to date. */
  read(path: string): string;
}

const buildTimeoutMs = 5 * 60_000;

/** Copies the tree, adds the things, builds, generates the documents and starts the server, which the caller stops. */
export async function followRecipes(recipes: readonly FollowedRecipe[]): Promise<BuiltCopy> {
  const root = makeTemporaryDirectory();
  for (const path of committedFiles()) cpSync(join(projectRoot, path), join(root, path));
  symlinkSync(join(projectRoot, 'node_modules'), join(root, 'node_modules'));
  for (const recipe of recipes) add(recipe, root);
  runIn(root, 'tools/build.mjs');
  runIn(root, 'dist/tools/generate-docs.js');
  // The descriptions that the documents come with are a part of the console and of the command line.
  runIn(root, 'tools/build.mjs');
  const load = async <Module>(path: string): Promise<Module> =>
    import(pathToFileURL(join(root, 'dist', path)).href);
  // This module of the copy starts the server of the copy.
  const { startServer } = await load<typeof import('../acceptance/start-server.js')>(
    'tests/acceptance/start-server.js',
  );
  return {
    server: await startServer(),
    load,
    read: (path) => readFileSync(join(root, path), 'utf8'),
  };
}

/** The paths of new and changed files that the text of the recipe does not name, not even by their folder. */
export function unnamedPaths({ title, files, changes }: FollowedRecipe): readonly string[] {
  const recipe = textOf(title);
  const generated = /[,;] documents\b/.test(recipe) ? generatedDocuments.map(({ file }) => file) : [];
  const named = [...pathsIn(recipe), ...generated];
  return [...Object.keys(files), ...changes.map(({ path }) => path)].filter(
    (path) =>
      !named.some((name) => (name.endsWith('/') ? path.startsWith(name) : `/${path}`.endsWith(`/${name}`))),
  );
}

/** The recipe without its title. */
function textOf(title: string): string {
  const recipes = sectionOf(readFileSync(join(projectRoot, 'CONTRIBUTING.md'), 'utf8'), 'Recipes');
  const [, text] = recipes.split(`\n**${title}.** `);
  assert.ok(text !== undefined, `CONTRIBUTING.md has no recipe: ${title}`);
  return text.split('\n\n')[0] ?? '';
}

function add({ files, changes }: FollowedRecipe, root: string): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { flag: 'wx' });
  }
  for (const { path, from, to } of changes) {
    const parts = readFileSync(join(root, path), 'utf8').split(from);
    assert.equal(parts.length, 2, `${path} has this text once: ${from}`);
    writeFileSync(join(root, path), parts.join(to));
  }
}

function runIn(root: string, script: string): void {
  const run = spawnSync(process.execPath, [script], { cwd: root, encoding: 'utf8', timeout: buildTimeoutMs });
  assert.equal(run.status, 0, `${script}: ${run.stdout}${run.stderr}`);
}
