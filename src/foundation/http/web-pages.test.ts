// Checks which requests are of pages of other addresses.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFromBrowser, isFromForeignPage, isJsonType } from './web-pages.js';

const plain = { ownHosts: ['ops.example', '::2'], isSecure: false };
const secure = { ...plain, isSecure: true };

function head(headers: Record<string, string>, method = 'POST') {
  return {
    method,
    path: '/',
    query: '',
    remoteAddress: '127.0.0.1',
    header: (name: string) => headers[name],
  };
}

describe('the page of a request', () => {
  const ofPort: readonly (readonly [host: string, origin: string])[] = [
    ['127.0.0.1:8888', 'http://127.0.0.1:8888'],
    ['LOCALHOST:8888', 'http://localhost:8888'],
    ['localhost', 'http://localhost:80'],
    ['localhost:80', 'http://localhost'],
    ['[::1]:8888', 'http://[::1]:8888'],
    ['[0:0:0:0:0:0:0:1]:8888', 'http://[::1]:8888'],
    // A proxy in front of the port, with TLS or without.
    ['ops.example', 'https://ops.example'],
    ['ops.example', 'http://ops.example'],
    ['ops.example:8443', 'https://ops.example:8443'],
    ['[::2]:8443', 'https://[::2]:8443'],
    // A proxy on this machine that sends its own `Host`.
    ['127.0.0.1:8888', 'https://ops.example'],
    ['127.0.0.1:8888', 'http://[::2]'],
  ];
  for (const [host, origin] of ofPort)
    it(`is of the port: ${origin} for ${host}`, () => {
      assert.equal(isFromForeignPage(head({ host, origin }), plain), false);
    });

  const foreign: readonly (readonly [host: string, origin: string])[] = [
    ['127.0.0.1:8888', 'http://127.0.0.1:3000'],
    ['127.0.0.1:8888', 'http://127.0.0.1'],
    ['127.0.0.1:8888', 'https://127.0.0.1:8888'],
    ['127.0.0.1:8888', 'http://localhost:8888'],
    ['127.0.0.1:8888', 'http://127.0.0.2:8888'],
    ['[::1]:8888', 'http://[::1]:8889'],
    ['127.0.0.1:8888', 'https://ops.example:8443'],
    ['ops.example', 'http://ops.example:443'],
    ['ops.example:8888', 'https://ops.example'],
    ['ops.example', 'https://evil.example'],
    ['127.0.0.1:8888', 'null'],
    ['127.0.0.1:8888', ''],
    ['127.0.0.1:8888', 'http://127.0.0.1:8888/x'],
    ['127.0.0.1:8888', 'http://127.0.0.1:99999'],
    ['127.0.0.1:99999', 'http://127.0.0.1:99999'],
    ['127.0.0.1:8888', 'http://127.0.0.1:8888, http://127.0.0.1:8888'],
  ];
  for (const [host, origin] of foreign)
    it(`is of another address: ${JSON.stringify(origin)} for ${host}`, () => {
      assert.equal(isFromForeignPage(head({ host, origin }), plain), true);
    });

  it('has the scheme of a port with TLS', () => {
    const host = 'ops.example:8888';
    assert.equal(isFromForeignPage(head({ host, origin: `https://${host}` }), secure), false);
    assert.equal(isFromForeignPage(head({ host, origin: `http://${host}` }), secure), true);
    const local = { host: '127.0.0.1:8888', origin: 'http://127.0.0.1:8888' };
    assert.equal(isFromForeignPage(head(local), secure), true);
  });

  it('may have the public address, of a proxy at any port', () => {
    const port = { ...plain, publicOrigin: 'https://ops.example:8443' };
    const host = '127.0.0.1:8888';
    assert.equal(isFromForeignPage(head({ host, origin: 'https://ops.example:8443' }), port), false);
    for (const origin of ['http://ops.example:8443', 'https://ops.example:8444', 'null'])
      assert.equal(isFromForeignPage(head({ host, origin }), port), true, origin);
  });

  it('is what the browser compared, where a proxy changed the address', () => {
    const behind = { host: '127.0.0.1:8888', 'sec-fetch-site': 'same-origin' };
    assert.equal(isFromForeignPage(head({ ...behind, origin: 'http://localhost:5173' }), plain), false);
    assert.equal(isFromForeignPage(head({ ...behind, origin: 'https://ops.example:8443' }), plain), false);
    for (const origin of ['https://evil.example', 'null'])
      assert.equal(isFromForeignPage(head({ ...behind, origin }), plain), true, origin);
    for (const site of ['cross-site', 'same-site', 'other'])
      assert.equal(isFromForeignPage(head({ 'sec-fetch-site': site }), plain), true, site);
    for (const site of ['same-origin', 'none'])
      assert.equal(isFromForeignPage(head({ 'sec-fetch-site': site }), plain), false, site);
    const typed = { host: 'localhost', 'sec-fetch-site': 'none', origin: 'http://localhost:3000' };
    assert.equal(isFromForeignPage(head(typed), plain), true);
  });

  it('does not matter where a person follows its link, except to a frame', () => {
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    assert.equal(isFromForeignPage(head(link, 'GET'), plain), false);
    assert.equal(isFromForeignPage(head(link, 'POST'), plain), true);
    for (const more of [
      { 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-mode': 'no-cors' },
      { origin: 'http://localhost:3000' },
    ])
      assert.equal(isFromForeignPage(head({ ...link, ...more }, 'GET'), plain), true);
  });

  it('is none for programs', () => {
    assert.equal(isFromForeignPage(head({ host: 'localhost' }), plain), false);
    assert.equal(isFromBrowser(head({ host: 'localhost', 'sec-fetch-mode': 'cors' })), false); // Node's fetch
    assert.equal(isFromBrowser(head({ origin: 'null' })), true);
    assert.equal(isFromBrowser(head({ 'sec-fetch-site': 'none' })), true);
  });

  it('sends JSON only under its own type', () => {
    for (const type of ['application/json', 'APPLICATION/JSON', 'application/json ; charset=utf-8'])
      assert.equal(isJsonType(type), true, type);
    for (const type of [
      undefined,
      '',
      'application/jsonp',
      'text/plain; application/json',
      'application/a+json',
    ])
      assert.equal(isJsonType(type), false, type);
  });
});
