// Committed files name nothing of the machine they were written on: no absolute paths, no registry hosts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { committedFiles } from './committed-files.js';
import { expectNone } from './expect-none.js';
import { projectRoot } from './read-sources.js';

const binary = /\.(png|jpe?g|gif|ico|webp|woff2?|wasm|gz|zip|db|sqlite)$/;
const machinePath = /(?<![\w.$~/})*-])\/(home|Users|root|work|tmp|mnt|private\/tmp|var\/folders)\/[\w.@-]+/;
const windowsPath = /\b[A-Za-z]:\\+Users\\+\w+/;
// The public registry may be named: it is where everybody gets packages from.
const registryHost =
  /https?:\/\/(?!(\w+\.)?npmjs\.(org|com)\b)[\w.:-]*(registry|npm|mirror|artifactory|nexus|verdaccio)/;
const resolvedElsewhere = /"resolved":\s*"https?:\/\/(?!registry\.npmjs\.org\/)/;

/** Files whose matches are not paths of a machine, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'tests/tidy/private-paths.test.ts': 'spells out what it looks for',
};

describe('committed files', () => {
  it('name no path or registry of a machine', () => {
    const found = committedFiles()
      .filter((path) => !binary.test(path) && !(path in exceptions))
      .flatMap((path) => breachesIn(path, readFileSync(join(projectRoot, path), 'utf8')));
    expectNone(found);
  });
});

describe('the rule about private paths', () => {
  const privates: readonly string[] = [
    'see /home/ada/colonnade',
    "open('/tmp/x.db')",
    '`/work/ada/src`',
    '(/Users/ada/x)',
    'C:\\Users\\ada',
    '"resolved": "http://localhost:4873/npm/negotiator"',
    '"resolved": "https://npm.example.org/negotiator/-/n.tgz"',
  ];
  for (const line of privates) {
    it(`finds ${line}`, () => {
      assert.equal(breachesIn('a.md', `first\n${line}\n`).length, 1);
    });
  }

  const publics: readonly string[] = [
    '/v1/{keyspace}/{table}',
    'tests/work/a.ts and ./tmp/a',
    'https://registry.npmjs.org/negotiator/-/n.tgz',
    'https://example.org/home/page',
    'https://docs.npmjs.com/cli/commands/npm-ci',
    '~/tmp/x',
  ];
  for (const line of publics) {
    it(`accepts ${line}`, () => {
      expectNone(breachesIn('a.md', line));
    });
  }
});

function breachesIn(path: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const isPrivate = [machinePath, windowsPath, registryHost, resolvedElsewhere].some((pattern) =>
      pattern.test(line),
    );
    return isPrivate ? [`${path}:${index + 1} ${line.trim().slice(0, 120)}`] : [];
  });
}
