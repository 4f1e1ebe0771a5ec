// Commands in the forms that people copy.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { isObject, parseJson } from '../json/exact-json.js';
import type { Command } from './command.js';
import { snippetOf } from './snippets.js';

const server = { url: 'http://127.0.0.1:8181', needsToken: false };

function commandOf(name: string, body: string): Command {
  const value = parseJson(body);
  assert.ok(isObject(value));
  return { target: { keyspace: 'shop', name: 'books', kind: 'table' }, name, body: value };
}

const find = commandOf(
  'find',
  `{"filter":{"title":"it's"},"sort":{"n":-1},"options":{"limit":5,"pageState":"x"}}`,
);

describe('snippets', () => {
  it('quote for the shell', () => {
    assert.equal(
      snippetOf('curl', find, server),
      `curl -s 'http://127.0.0.1:8181/v1/shop/books' -H 'Content-Type: application/json' -d ` +
        `'{"find":{"filter":{"title":"it'\\''s"},"sort":{"n":-1},"options":{"limit":5,"pageState":"x"}}}'`,
    );
  });

  it('call the methods of the clients, which make the pages themselves', () => {
    const typeScript = snippetOf('TypeScript', find, server);
    assert.match(typeScript, /const table = db\.table\('books'\);/);
    assert.match(typeScript, /table\.find\(\{ title: 'it\\'s' \}, \{ sort: \{ n: -1 \}, limit: 5 \}\)/);
    const python = snippetOf('Python', find, server);
    assert.match(python, /table\.find\(\{ "title": "it's" \}, sort=\{ "n": -1 \}, limit=5\):/);
  });

  it('keep every digit and write the words of each language', () => {
    const insert = commandOf(
      'insertMany',
      '{"documents":[{"n":9007199254740993,"d":1.50,"b":true,"x":null}]}',
    );
    assert.match(snippetOf('TypeScript', insert, server), /n: 9007199254740993n, d: 1\.50, b: true, x: null/);
    assert.match(
      snippetOf('Python', insert, server),
      /"n": 9007199254740993, "d": 1\.50, "b": True, "x": None/,
    );
  });

  it('write numbers that a double does not keep as the clients keep them', () => {
    const documents = '{"documents":[{"d":1.100000000000000000001,"e":1e400,"f":0.1,"i":9007199254740992}]}';
    const insert = commandOf('insertMany', documents);
    const typeScript = snippetOf('TypeScript', insert, server);
    assert.match(typeScript, /^import \{ BigNumber, DataAPIClient \}/);
    assert.match(
      typeScript,
      /d: new BigNumber\('1\.10{19}1'\),\s+e: new BigNumber\('1e400'\),\s+f: 0\.1,\s+i: 9/,
    );
    const python = snippetOf('Python', insert, server);
    assert.match(python, /^from decimal import Decimal\n\nfrom astrapy/);
    assert.match(python, /"d": Decimal\("1\.10{19}1"\),\s+"e": Decimal\("1e400"\),\s+"f": 0\.1,/);
    assert.doesNotMatch(python, /SerdesOptions/);
    const ofDocuments = { ...insert, target: { keyspace: 'shop', name: 'c', kind: 'collection' } as const };
    assert.match(snippetOf('TypeScript', ofDocuments, server), /db\.collection\('c', \{ serdes: /);
    assert.match(snippetOf('Python', ofDocuments, server), /get_collection\("c", spawn_api_options=/);
  });

  it('quote every text so that each language reads it again', () => {
    const text = `it's "so" \\ and \\' \\" \n \u2028 ü 😀 $HOME \`x\` \${y}`;
    const body = { documents: [{ __proto__x: 1, text, [`a'b`]: text }] };
    const insert = commandOf('insertMany', JSON.stringify(body));
    const typeScript = snippetOf('TypeScript', insert, server);
    const argument = /insertMany\((.*)\);$/s.exec(typeScript)?.[1] ?? '';
    assert.deepEqual(runInNewContext(`JSON.stringify(${argument})`), JSON.stringify(body.documents));
    assert.doesNotMatch(typeScript.split('\n')[0] ?? '', /"/);
    const strange = commandOf('insertMany', '{"documents":[{"__proto__":1}]}');
    assert.match(snippetOf('TypeScript', strange, server), /\['__proto__'\]: 1/);
  });

  it('send other commands as they are, with the token of the environment', () => {
    const command: Command = { target: { keyspace: 'shop' }, name: 'dropTable', body: { name: 'books' } };
    const secret = { ...server, needsToken: true };
    assert.match(
      snippetOf('TypeScript', command, secret),
      /db\.command\(\{ dropTable: \{ name: 'books' \} \}\)/,
    );
    assert.match(snippetOf('Python', command, secret), /token=os\.environ\["COLONNADE_TOKEN"\]/);
    assert.match(snippetOf('curl', command, secret), /-H "Token: \$COLONNADE_TOKEN"/);
  });
});
