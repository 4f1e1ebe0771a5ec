// Checks how the gossip of other nodes shows nodes that hang, stop or leave.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type GossipEntry, GossipWatch, readGossipEntry } from './gossip-watch.js';

describe('a row of gossip_info', () => {
  const row = {
    address: '127.0.0.2',
    host_id: 'b',
    native_address_and_port: '127.0.0.2:9042',
    dc: 'datacenter1',
    rack: 'rack1',
    release_version: '5.0.9',
    hostname: 'b.example',
    generation: 1,
    heartbeat: 34,
    load: '118839.0',
    status: null,
    status_with_port: 'NORMAL,-3410233685280372500',
  };

  it('is read', () => {
    assert.deepEqual(readGossipEntry(row), {
      hostId: 'b',
      address: '127.0.0.2',
      dc: 'datacenter1',
      rack: 'rack1',
      release: '5.0.9',
      hostname: 'b.example',
      generation: 1,
      heartbeat: 34,
      status: 'NORMAL',
      loadBytes: 118_839,
      token: '-3410233685280372500',
    });
  });

  it('may lack what the node has not reported', () => {
    const entry = readGossipEntry({ ...row, load: null, status_with_port: null, dc: null });
    assert.deepEqual([entry?.loadBytes, entry?.status, entry?.dc], [null, null, null]);
    assert.equal(readGossipEntry({ ...row, hostname: '127.0.0.2' })?.hostname, null);
    assert.equal(readGossipEntry({ ...row, host_id: null }), undefined);
    assert.equal(readGossipEntry({ ...row, native_address_and_port: '[::1]:9042' })?.address, '::1');
  });
});

describe('what nodes see of each other', () => {
  const entry = (hostId: string, changed: Partial<GossipEntry>): GossipEntry => ({
    hostId,
    address: hostId,
    dc: 'd',
    rack: 'r',
    release: '5.0.9',
    hostname: null,
    generation: 1,
    heartbeat: 1,
    status: 'NORMAL',
    loadBytes: 1,
    token: '1',
    ...changed,
  });

  it('is alive while the heartbeat moves, dead when it has not moved for 30 s, and unsure in between', () => {
    const watch = new GossipWatch();
    for (let second = 0; second <= 60; second += 2) {
      watch.observe('a', [entry('b', { heartbeat: Math.min(second, 20) })], second * 1000);
      const [alive, dead] = second < 26 ? [1, 0] : second < 50 ? [0, 0] : [0, 1];
      assert.deepEqual(watch.seenBy('b', second * 1000), { observers: 1, alive, dead }, `after ${second} s`);
    }
    watch.observe('a', [entry('b', { generation: 2, heartbeat: 20 })], 61_000);
    assert.deepEqual(watch.seenBy('b', 61_000), { observers: 1, alive: 1, dead: 0 });
  });

  it('is dead at once after an orderly stop', () => {
    for (const changed of [{ heartbeat: 2_147_483_647 }, { status: 'shutdown' }, { status: 'LEFT' }]) {
      const watch = new GossipWatch();
      watch.observe('a', [entry('b', changed)], 0);
      assert.deepEqual(watch.seenBy('b', 0), { observers: 1, alive: 0, dead: 1 }, JSON.stringify(changed));
    }
  });

  it('leaves out the node itself, observers that do not answer any more and those that do not know the node', () => {
    const watch = new GossipWatch();
    watch.observe('b', [entry('b', { heartbeat: 2_147_483_647 })], 0);
    watch.observe('a', [entry('b', {})], 0);
    watch.observe('c', [entry('a', {})], 0);
    assert.deepEqual(watch.seenBy('b', 1000), { observers: 2, alive: 1, dead: 0 });
    assert.deepEqual(watch.seenBy('b', 7_000), { observers: 0, alive: 0, dead: 0 });
    watch.forgetAllBut(new Set(['b', 'c']));
    assert.deepEqual(watch.seenBy('b', 1000), { observers: 1, alive: 0, dead: 0 });
  });
});
