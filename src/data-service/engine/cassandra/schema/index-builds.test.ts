// Which indexes are still being built, from what nodes say of theirs and of those of each other.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlNode } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import { readIndexBuilds } from './index-builds.js';

const indexes = ['first', 'second'].map((name) => ({ keyspace: 'k', name }));

/** What a node says of the two indexes, and what each node has announced to it. */
interface Said {
  readonly id: string;
  readonly first?: 'readable' | 'building' | 'idle';
  readonly second?: 'readable' | 'building' | 'idle';
  readonly received?: Readonly<Record<string, string | null>>;
  readonly failure?: CassandraFailure;
}

function nodeOf({ id, first = 'readable', second = 'readable', received = {}, failure }: Said): CqlNode {
  const rowsOf = (cql: string): readonly (readonly unknown[])[] => {
    if (cql.includes('gossip_info')) return Object.entries(received);
    if (cql.includes('system.local')) return [[id]];
    return Object.entries({ first, second }).map(([name, state]) => {
      return [name, state === 'readable', state === 'building'];
    });
  };
  const run: CqlNode['run'] = async ({ cql }) => {
    if (failure !== undefined) throw failure;
    return { rows: rowsOf(cql), next: null, bytes: 0 };
  };
  return { run } as CqlNode;
}

async function buildsOf(...nodes: readonly Said[]) {
  const found = await readIndexBuilds({ nodes: async () => nodes.map(nodeOf) }, indexes);
  const names = (some: ReadonlySet<{ readonly name: string }>) => [...some].map(({ name }) => name);
  return { unbuilt: names(found.unbuilt), idle: names(found.idle), silentNodes: found.silentNodes };
}

const all = { unbuilt: [], idle: [], silentNodes: 0 };
const built = '{"k":{"first":3,"second":3},"other":{"first":1}}';

describe('readIndexBuilds', () => {
  it('has those that a node cannot read, and those that it does not build either', async () => {
    assert.deepEqual(await buildsOf({ id: 'a' }, { id: 'b' }), all);
    const found = await buildsOf({ id: 'a', first: 'building' }, { id: 'b', second: 'idle' });
    assert.deepEqual(found, { unbuilt: ['first', 'second'], idle: ['second'], silentNodes: 0 });
  });

  it('has those that a node does not know to be built on another one', async () => {
    const receivedByBoth = { a: built, b: built };
    assert.deepEqual(
      await buildsOf({ id: 'a', received: receivedByBoth }, { id: 'b', received: receivedByBoth }),
      all,
    );
    for (const late of [
      '{"k":{"first":1,"second":3}}',
      '{"k":{"second":3}}',
      '{"k.first":"FULL_REBUILD_STARTED"}',
    ])
      assert.ok(
        (
          await buildsOf({ id: 'a', received: { a: built, b: late } }, { id: 'b', received: receivedByBoth })
        ).unbuilt.includes('first'),
        late,
      );
    // A node must know it of itself, too, although it answers that it can read the index.
    const alone = await buildsOf({ id: 'a', received: { a: '{"k":{"first":1,"second":3}}' } });
    assert.deepEqual(alone.unbuilt, ['first']);
  });

  it('reads the older form of announcements', async () => {
    const older = '{"k.first":"BUILD_SUCCEEDED","k.second":"BUILD_SUCCEEDED","other.first":"BUILD_FAILED"}';
    assert.deepEqual(await buildsOf({ id: 'a', received: { a: older } }), all);
  });

  it('takes no account of nodes that are silent or down, and of indexes that nobody announces', async () => {
    const received = { a: built, down: '{"k":{"first":1,"second":1}}' };
    assert.deepEqual(await buildsOf({ id: 'a', received }), all);
    const failure = new CassandraFailure('unanswered', 'no answer');
    assert.deepEqual(await buildsOf({ id: 'a', received }, { id: 'down', failure }), {
      ...all,
      silentNodes: 1,
    });
    assert.deepEqual(
      await buildsOf({ id: 'a', received: { a: null, b: '{}' } }, { id: 'b', received: {} }),
      all,
    );
  });

  it('has none where the user may not ask, and fails where no node answers', async () => {
    const refused = new CassandraFailure('notPermitted', 'no SELECT permission');
    assert.deepEqual(await buildsOf({ id: 'a', failure: refused }), all);
    const silent = new CassandraFailure('unanswered', 'no answer');
    await assert.rejects(buildsOf({ id: 'a', failure: silent }, { id: 'b', failure: silent }), silent);
  });
});
