// What the built-in embedding compares is said wherever people meet it, and no name promises more.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { colonnade } from '../../src/data-service/embedding/providers/colonnade.js';
import { readBlocks } from '../acceptance/guides/guide-blocks.js';
import { expectNone } from './expect-none.js';
import { projectRoot } from './read-sources.js';

const says = /compares\s+letters\s+and\s+words/;
/** In a command, a program or a definition. */
const isUsedIn = /["']colonnade["'],\s*["']?model_?name["']?\s*[:=]\s*["']hashed-ngrams/i;
const promising = /\bmeaning\b|_meaning\b/;

function filesIn(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => ending.test(path) && !path.includes('decisions') && !path.includes('node_modules'));
}

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const documents = ['README.md', ...filesIn('docs', /\.md$/), ...filesIn('examples', /\.md$/)];
const sources = [
  ...filesIn('console', /(?<!\.test)\.tsx?$/),
  ...filesIn(join('src', 'cli'), /(?<!\.test)\.ts$/),
  ...filesIn('examples', /(?<!\.test)\.ts$/),
];

describe('the built-in embedding', () => {
  it('is used with what it compares in documents and in sources that people meet', () => {
    const using = [...documents, ...sources].filter((path) => isUsedIn.test(read(path)));
    assert.ok(using.includes('README.md') && using.length > 5, using.join(' '));
    expectNone(using.filter((path) => !says.test(read(path))).map((path) => `${path} does not say it`));
  });

  it('has no column, index or sample whose name promises meaning', () => {
    expectNone(
      documents.flatMap((path) =>
        readBlocks(read(path))
          .filter(({ content }) => promising.test(content))
          .map(({ line }) => `${path}:${line}`),
      ),
    );
    expectNone(
      sources.filter((path) => isUsedIn.test(read(path)) && /['"`{]meaning\b|_meaning\b/.test(read(path))),
    );
  });

  it('says it in the list of providers', () => {
    for (const text of [colonnade.entry.displayName, colonnade.help])
      assert.match(text, /compares letters and words, not meaning/);
  });
});
