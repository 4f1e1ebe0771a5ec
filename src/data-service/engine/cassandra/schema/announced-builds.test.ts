// What nodes announce of their indexes, also in forms that are not known.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlNode } from '../../../../foundation/cassandra/cql-session.js';
import { isKnownToAll, readReceivedBuilds } from './announced-builds.js';

const index = { keyspace: 'shop', name: 'by_note' };
const readBuilds = (statuses: readonly unknown[]) => {
  const node: CqlNode = {
    run: async ({ cql }) => ({
      rows: cql.includes('system.local') ? [['0']] : statuses.map((status, at) => [String(at), status]),
      next: null,
      bytes: 0,
    }),
  };
  return readReceivedBuilds(node, [index]);
};

describe('readReceivedBuilds', () => {
  it('reads both forms of announcements', async () => {
    const { node, byNode } = await readBuilds([
      '{"shop":{"by_note":"3"}}',
      '{"shop.by_note":"BUILD_SUCCEEDED"}',
      '{"shop":{"by_note":"1"}}',
      '{"shop":{}}',
    ]);
    assert.equal(node, '0');
    assert.deepEqual(
      [...byNode.values()].map((builds) => builds.get(index)),
      [true, true, false, undefined],
    );
  });

  it('takes no state from a text of another form, as nodes do', async () => {
    const received = await readBuilds(['', '{"shop"', '[1]', 'null', '{"shop":12345678901234}', null, 7]);
    assert.ok([...received.byNode.values()].every((builds) => builds.get(index) === undefined));
    assert.equal(isKnownToAll(index, [received]), true);
  });
});
