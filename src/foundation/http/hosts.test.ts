// Checks host names in addresses and headers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  hostInUrl,
  hostOfAuthority,
  hostOfOrigin,
  isLoopbackHost,
  reachableHost,
  shareAddresses,
} from './hosts.js';

describe('hosts', () => {
  it('knows loopback', () => {
    for (const host of ['localhost', '127.0.0.1', '127.255.3.4', '::1'])
      assert.equal(isLoopbackHost(host), true, host);
    for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.evil.com', 'localhost.evil.com', '']) {
      assert.equal(isLoopbackHost(host), false, host);
    }
  });

  it('knows which hosts share an address', () => {
    const shared = (host: string, other: string) => {
      const isShared = shareAddresses(host, other);
      assert.equal(shareAddresses(other, host), isShared);
      return isShared;
    };
    for (const other of ['localhost', '127.0.0.1', '::1', '0:0:0:0:0:0:0:1', '0.0.0.0', '::'])
      assert.equal(shared('localhost', other), true, other);
    for (const other of ['127.0.0.2', '10.0.0.1', 'h'])
      assert.equal(shared('localhost', other), false, other);
    assert.equal(shared('127.0.0.1', '::1'), false);
  });

  it('reaches a server on all addresses by loopback', () => {
    const hosts = ['0.0.0.0', '::', '0:0:0:0:0:0:0:0', '10.0.0.1', 'h', '::2'];
    assert.deepEqual(hosts.map(reachableHost), ['127.0.0.1', '::1', '::1', '10.0.0.1', 'h', '::2']);
  });

  it('takes the host out of an authority', () => {
    assert.equal(hostOfAuthority('LocalHost:80'), 'localhost');
    assert.equal(hostOfAuthority('127.0.0.1'), '127.0.0.1');
    assert.equal(hostOfAuthority('[::1]:8888'), '::1');
    for (const bad of ['', 'a@localhost', 'localhost/x', '[::1', 'a:b:c', 'localhost:x']) {
      assert.equal(hostOfAuthority(bad), undefined, bad);
    }
  });

  it('takes the host out of a web origin, and none out of anything else', () => {
    assert.equal(hostOfOrigin('http://localhost:3000'), 'localhost');
    assert.equal(hostOfOrigin('https://[::1]'), '::1');
    for (const bad of ['null', '', 'file://', 'chrome-extension://abc', 'http://']) {
      assert.equal(hostOfOrigin(bad), undefined, bad);
    }
  });

  it('puts IPv6 addresses of URLs in brackets', () => {
    assert.equal(hostInUrl('::1'), '[::1]');
    assert.equal(hostInUrl('localhost'), 'localhost');
  });
});
