// Checks which address nodetool gets, with a program that reports its arguments.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAddressPolicy } from '../../../foundation/http/address-policy.js';
import { createResolveAddress } from '../../../foundation/http/checked-lookup.js';
import { nodetoolActions } from './nodetool-actions.js';

const say = ['-e', 'console.log(process.argv.slice(1).join(" "))', '--'];

function run(node: string, places: Parameters<typeof nodetoolActions>[0]['places'] = {}) {
  const actions = nodetoolActions({
    words: [process.execPath, ...say, '-h', '{host}', '-p', '{port}'],
    places,
    port: 7199,
    environment: { PATH: process.env['PATH'] ?? '' },
    resolveAddress: createResolveAddress(createAddressPolicy({ deny: ['10.0.0.0/8'], allow: [] })),
  });
  const action = { action: 'flush', node, keyspace: 'shop', tables: ['orders'] } as const;
  return actions.run(action, new AbortController().signal);
}

describe('nodetool', () => {
  it('is called with the address of the node and the names after --', async () => {
    const detail = '-h 192.168.1.1 -p 7199 flush -- shop orders';
    assert.deepEqual(await run('192.168.1.1'), { state: 'success', detail });
  });

  it('is called with the address that the start options give, also where the policy denies it', async () => {
    const places = { '192.168.1.1': { host: '10.0.0.1', port: 17_199 } };
    const detail = '-h 10.0.0.1 -p 17199 flush -- shop orders';
    assert.deepEqual(await run('192.168.1.1', places), { state: 'success', detail });
  });

  for (const [node, reason] of [
    ['169.254.169.254', 'a metadata address'],
    ['10.1.2.3', 'denied by --deny-address'],
  ] as const) {
    it(`is not sent to ${node}, which gossip reported`, async () => {
      const detail = `${node} cannot be connected to: ${node} is ${reason}`;
      assert.deepEqual(await run(node), { state: 'error', detail });
    });
  }
});
