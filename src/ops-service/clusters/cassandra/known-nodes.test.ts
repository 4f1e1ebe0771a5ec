// Checks how nodes are recognized when a cluster reports them again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mergeSeenNodes, nodesOfSeeds, type SeenNode } from './known-nodes.js';

const seen = (hostId: string, changed: Partial<SeenNode> = {}): SeenNode => ({
  hostId,
  address: `10.0.0.${hostId}`,
  dc: 'd',
  rack: 'r',
  release: '5.0.9',
  token: `token ${hostId}`,
  loadBytes: 1,
  ...changed,
});

describe('the nodes of a cluster', () => {
  it('are the seeds until the cluster is reached, which reports no node as joined', () => {
    const seeds = nodesOfSeeds(['10.0.0.1', 'host.example']);
    assert.deepEqual(
      seeds.map(({ address, dc, state }) => [address, dc, state]),
      [
        ['10.0.0.1', null, 'unknown'],
        ['host.example', null, 'unknown'],
      ],
    );
    const { nodes, news } = mergeSeenNodes(seeds, [seen('1'), seen('2')]);
    assert.deepEqual(
      nodes.map(({ address }) => address),
      ['10.0.0.1', '10.0.0.2'],
    );
    assert.deepEqual(news, []);
  });

  it('join, leave and move', () => {
    const { nodes } = mergeSeenNodes([], [seen('1'), seen('2'), seen('3')]);
    const later = [seen('1', { address: '10.0.0.9' }), seen('2', { token: 'other' }), seen('4')];
    const { news } = mergeSeenNodes(nodes, later);
    assert.deepEqual(
      news.map(({ kind, address }) => [kind, address]),
      [
        ['nodeMoved', '10.0.0.9'],
        ['nodeMoved', '10.0.0.2'],
        ['nodeJoined', '10.0.0.4'],
        ['nodeLeft', '10.0.0.3'],
      ],
    );
    assert.deepEqual(mergeSeenNodes(nodes, [seen('1'), seen('2'), seen('3')]).news, []);
  });

  it('keep their state and their token while gossip is silent about it', () => {
    const [first] = mergeSeenNodes([], [seen('1')]).nodes;
    assert.ok(first !== undefined);
    const down = { ...first, state: 'down' as const, downSinceMs: 7 };
    const { nodes, news } = mergeSeenNodes([down], [seen('1', { token: null, loadBytes: null })]);
    assert.deepEqual(news, []);
    assert.deepEqual([nodes[0]?.state, nodes[0]?.downSinceMs, nodes[0]?.token], ['down', 7, 'token 1']);
  });
});
