// Checks which addresses are denied, in every notation of an address.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAddressPolicy, isNetwork } from './address-policy.js';

describe('the address policy', () => {
  const denialOf = createAddressPolicy({ deny: [], allow: [] });

  it('denies metadata, link-local, unspecified and multicast addresses', () => {
    for (const [address, reason] of [
      ['169.254.169.254', 'a metadata address'],
      ['100.100.100.200', 'a metadata address'],
      ['fd00:ec2::254', 'a metadata address'],
      ['169.254.0.1', 'a link-local address'],
      ['fe80::1', 'a link-local address'],
      ['fe80::1%eth0', 'a link-local address'],
      ['0.0.0.0', 'an unspecified address'],
      ['0.1.2.3', 'an unspecified address'],
      ['::', 'an unspecified address'],
      ['224.0.0.1', 'a multicast or broadcast address'],
      ['255.255.255.255', 'a multicast or broadcast address'],
      ['ff02::1', 'a multicast or broadcast address'],
      ['evil.example', 'not an address'],
    ] as const) {
      assert.equal(denialOf(address), reason, address);
    }
  });

  it('sees the IPv4 address inside an IPv6 one', () => {
    for (const address of [
      '::ffff:169.254.169.254',
      '::ffff:a9fe:a9fe',
      '0:0:0:0:0:ffff:a9fe:a9fe',
      '::a9fe:a9fe',
      '64:ff9b::a9fe:a9fe',
      '64:ff9b::169.254.169.254',
      '2002:a9fe:a9fe::1',
    ]) {
      assert.equal(denialOf(address), 'a metadata address', address);
    }
    assert.equal(denialOf('::ffff:10.0.0.1'), undefined);
  });

  it('allows all else, loopback and private networks too', () => {
    for (const address of ['127.0.0.1', '::1', '10.0.0.1', '192.168.1.1', '1.1.1.1', '2606:4700::1111']) {
      assert.equal(denialOf(address), undefined, address);
    }
  });

  it('denies what --deny-address names, except what --allow-address names', () => {
    const listed = createAddressPolicy({
      deny: ['10.0.0.0/8', '::1'],
      allow: ['10.1.2.3', '169.254.169.254'],
    });
    assert.equal(listed('10.0.0.1'), 'denied by --deny-address');
    assert.equal(listed('::ffff:10.0.0.1'), 'denied by --deny-address');
    assert.equal(listed('::1'), 'denied by --deny-address');
    assert.equal(listed('10.1.2.3'), undefined);
    assert.equal(listed('169.254.169.254'), 'a metadata address', 'no list allows what is always denied');
  });

  it('takes addresses and networks for its lists', () => {
    for (const text of ['10.0.0.0/8', '10.1.2.3', '::/0', 'fe80::/10']) assert.ok(isNetwork(text), text);
    for (const text of [
      '10.0.0.0/33',
      '::/129',
      'host',
      '10.0.0.0/8/8',
      '10.0.0/8',
      '',
      '/8',
      'fe80::1%e/10',
    ]) {
      assert.ok(!isNetwork(text), text);
    }
  });
});
