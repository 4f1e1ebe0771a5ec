// What the commands of documents reach: this machine only, and servers that were started before.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type GuideBlock, markPart, readBlocks } from '../acceptance/guides/guide-blocks.js';
import { foreignAddresses, unstartedServers } from './command-addresses.js';
import { expectNone } from './expect-none.js';
import { projectRoot } from './read-sources.js';

/** A reader follows them from the beginning to the end. */
const followed = [
  'README.md',
  join('examples', 'packages', 'README.md'),
  ...documentsIn(join('docs', 'guides')),
];
const documents = [...followed, ...documentsIn('docs')];

function documentsIn(folder: string): readonly string[] {
  const names = readdirSync(join(projectRoot, folder)).filter((name) => name.endsWith('.md'));
  return names.map((name) => join(folder, name));
}

const contentOf = (document: string) => readFileSync(join(projectRoot, document), 'utf8');

/** Whether a reader runs it, or has a server read it. */
function isUsed(block: GuideBlock): boolean {
  return ['sh', 'js', 'python'].includes(block.language) || markPart(block, 'file') !== undefined;
}

describe('the commands of documents', () => {
  it('reach this machine only', () => {
    expectNone(
      documents.flatMap((document) =>
        readBlocks(contentOf(document))
          .filter(isUsed)
          .flatMap(({ content, line }) =>
            foreignAddresses(content).map((address) => `${document}:${line} has the address ${address}`),
          ),
      ),
    );
  });

  it('run no package that npx gets from the registry, where nobody owns the name `colonnade`', () => {
    expectNone(
      documents.flatMap((document) =>
        [...contentOf(document).matchAll(/\bnpx (?!--no-install )[\w@-]+.*/g)]
          .filter(([text]) => text.includes('colonnade'))
          .map(([text]) => `${document} has ${text}`),
      ),
    );
  });

  it('use servers that the same document starts, in the README and in guides', () => {
    expectNone(
      followed.flatMap((document) =>
        unstartedServers(readBlocks(contentOf(document)).filter(isUsed)).map(
          ({ line, server }) => `${document}:${line} uses ${server}, which nothing started`,
        ),
      ),
    );
  });
});

describe('the rules about commands', () => {
  it('find addresses of other machines in any form, and leave those of this one', () => {
    const foreign: readonly (readonly [text: string, found: readonly string[]])[] = [
      ['curl http://10.0.0.1:9042/x', ['10.0.0.1']],
      ['{"seed_hosts": "127.0.0.1, 10.0.0.2"}', ['10.0.0.2']],
      ['{"url": "https://example.org/hook"}', ['example.org']],
      ['{"host": "smtp.example.org", "to": ["ada@example.org"]}', ['smtp.example.org']],
      ['curl http://server/x', ['server']],
      ['curl http://[2001:db8::1]:80/', ['[2001:db8::1]']],
      ['ssh ada@192.0.2.7', ['192.0.2.7']],
    ];
    for (const [text, found] of foreign) assert.deepEqual(foreignAddresses(text), found, text);
    for (const text of [
      "curl http://127.0.0.1:8888/ 'http://localhost:1' http://[::1]:2/",
      '{"host": "0.0.0.0", "version": "1.2.3", "file": "data.json"}',
      "import { a } from '@datastax/astra-db-ts';",
    ])
      assert.deepEqual(foreignAddresses(text), [], text);
  });

  it('find servers that were not started before', () => {
    const block = (content: string, mark = ''): GuideBlock => ({ language: 'sh', content, mark, line: 1 });
    const used = block('curl -s http://127.0.0.1:8888/local/alerts');
    const received = block('curl -s http://127.0.0.1:9000/');
    assert.equal(unstartedServers([used, block('npm start\n')]).length, 1);
    assert.deepEqual(
      unstartedServers([block('npm start\n'), used, block('npx --no-install colonnade backup x')]),
      [],
    );
    assert.equal(unstartedServers([block('npx --no-install colonnade export x')]).length, 1);
    assert.equal(unstartedServers([block('node receiver.mjs'), received]).length, 1);
    assert.deepEqual(unstartedServers([block('node receiver.mjs', 'background'), received]), []);
  });
});
