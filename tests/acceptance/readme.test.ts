// What the README says of scripts, options and files is true. The tests of guides run its commands.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { projectRoot } from '../tidy/read-sources.js';
import { type RunningServer, startServer } from './start-server.js';

const shownUrl = 'http://127.0.0.1:8181';
const shownOpsUrl = 'http://127.0.0.1:8888';
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'examples/packages/README.md',
];
const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');

describe('the README', () => {
  let server: RunningServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  it('shows the lines that a server prints', () => {
    const lines = server.stdout().replaceAll(server.url, shownUrl).replaceAll(server.opsUrl, shownOpsUrl);
    assert.ok(blocksOf('text').includes(lines), lines);
  });

  it('shows scripts that there are', () => {
    const manifest: { scripts: object } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
    const names = [...readme.matchAll(/npm run ([\w:]+)/g)].map((match) => match[1] ?? '');
    assert.ok(names.length > 0);
    for (const name of names) assert.ok(name in manifest.scripts, name);
  });

  it('names options that there are', () => {
    const options = readFileSync(join(projectRoot, 'docs', 'options.md'), 'utf8');
    const names = [...readme.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map((match) => match[1] ?? '');
    assert.ok(names.length > 3);
    const others = ['help', 'no-install']; // of all commands, and of npx
    for (const name of names) assert.ok(others.includes(name) || options.includes(`## ${name}\n`), name);
  });
});

describe('links between documents', () => {
  for (const document of documents) {
    it(`lead somewhere from ${document}`, () => {
      const text = readFileSync(join(projectRoot, document), 'utf8');
      const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map((match) => match[1] ?? '');
      const missing = targets.filter((target) => !existsSync(join(projectRoot, dirname(document), target)));
      assert.deepEqual(missing, []);
    });
  }
});

/** The contents of the README's fenced blocks of one language. */
function blocksOf(language: string): readonly string[] {
  return readme
    .split('```')
    .filter((part) => part.startsWith(`${language}\n`))
    .map((part) => part.slice(language.length + 1));
}
