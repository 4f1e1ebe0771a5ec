// Texts for people are shortened by `shorten-text.ts`, which does not cut them inside a character.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { committedFiles } from './committed-files.js';
import { expectNone } from './expect-none.js';
import { projectRoot } from './read-sources.js';

/** The beginning of a text up to a fixed length, and a text that ends with the mark of one that was cut. */
const fixedLength = /\d{2,}|\w*([lL]ength|Characters|longest|shown)\w*/.source;
const cuts = [
  new RegExp(
    String.raw`(?<!digest\('hex'\)|\b(?:rows|numbers))\.(slice|substring|substr)\(0, *(${fixedLength})( - 1)?\)`,
  ),
  /\.(slice|substring|substr)\([^()]*\)\}…/,
  /toString\('utf-?8', 0/,
];

/** Files that cut texts in another way, each with the reason. */
const others: ReadonlyMap<string, string> = new Map([
  ['src/foundation/text/shorten-text.ts', 'it is the place for it'],
  ['src/ops-service/clusters/cluster-repository.ts', 'the names are ASCII'],
  ['console/data/name-of-file.ts', 'the names are ASCII'],
  ['src/data-service/embedding/hashed-ngrams.ts', 'vectors that are stored were made so'],
  ['src/data-service/documents/entries.ts', 'the keys of indexes were made so'],
  ['src/data-service/engine/embedded/vectors/snapshot.ts', 'the checksum is ASCII'],
]);

/** Sources of the server and the console, without their tests. */
const isSource = /^(src|console)\/.*(?<!\.test)\.tsx?$/;

describe('texts for people', () => {
  it('are shortened by one function, which does not cut them inside a character', () => {
    const paths = committedFiles().filter((path) => isSource.test(path));
    expectNone(paths.flatMap((path) => breachesIn(path, readFileSync(join(projectRoot, path), 'utf8'))));
  });
});

describe('the rule about cut texts', () => {
  it('finds texts that are cut anywhere', () => {
    const samples = ['text.slice(0, shownLength)', 'value.slice(0, 100)', '{name.slice(0, n)}…'];
    assert.equal(breachesIn('src/a.ts', samples.join('\n')).length, samples.length);
  });
});

function breachesIn(path: string, text: string): string[] {
  if (others.has(path)) return [];
  return text.split('\n').flatMap((line, at) => {
    if (!cuts.some((cut) => cut.test(line))) return [];
    return [`${path}:${at + 1}: use shortened() or beginningOf() of shorten-text.ts: ${line.trim()}`];
  });
}
