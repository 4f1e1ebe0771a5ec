// Checks that values of parameters cannot change other parts of a URL.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fillUrl } from './provider-url.js';

describe('fillUrl', () => {
  it('fills placeholders in host, path and query, and adds the path of the provider', () => {
    assert.equal(fillUrl('https://h/v1/', 'embeddings', {}), 'https://h/v1/embeddings');
    assert.equal(fillUrl('https://h/v1', 'embed', {}), 'https://h/v1/embed');
    assert.equal(
      fillUrl('https://a.{region}.b/m/{model}/x?v={region}', '', {
        region: 'eu-1',
        model: 'a/b:0',
        other: 1,
      }),
      'https://a.eu-1.b/m/a/b%3A0/x?v=eu-1',
    );
  });

  it('lets no value leave its place', () => {
    for (const value of ['../..', '?a=b', '#a', 'a@b', 'x\r\ny', '%2e%2e', '.', '..', 'ü']) {
      const filled = fillUrl('https://h/before/{model}/after', '', { model: value });
      const url = new URL(filled);
      assert.equal(url.host, 'h');
      assert.ok(url.pathname.startsWith('/before/') && url.pathname.endsWith('/after'), filled);
      assert.equal(url.search + url.hash, '');
    }
  });
});
