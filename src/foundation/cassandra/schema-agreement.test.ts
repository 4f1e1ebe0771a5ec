// When nodes have one schema.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlNode } from './cql-session.js';
import { haveOneSchema, nodeOfMost, untilOneSchema } from './schema-agreement.js';
import { CassandraFailure } from './session.js';

/** A node with this version of the schema; undefined: it does not answer. */
function nodeWith(version: string | undefined): CqlNode {
  return {
    run: async ({ cql, timeoutMs }) => {
      assert.match(cql, /FROM system\.local/); // not what it knows of others
      assert.ok(timeoutMs !== undefined);
      if (version === undefined) throw new CassandraFailure('unanswered', 'no answer');
      return { rows: [[version]], next: null, bytes: 0 };
    },
  };
}

const nodesWith = (...versions: readonly (string | undefined)[]) => versions.map(nodeWith);

describe('nodes have one schema', () => {
  it('where all name the same version themselves', async () => {
    assert.equal(await haveOneSchema(nodesWith('a', 'a', 'a')), true);
    assert.equal(await haveOneSchema(nodesWith('a', 'a', 'b')), false);
    assert.equal(await haveOneSchema(nodesWith('b', 'a', 'a')), false);
  });

  it('without those that do not answer, as long as one does', async () => {
    assert.equal(await haveOneSchema(nodesWith('a', undefined, 'a')), true);
    assert.equal(await haveOneSchema(nodesWith(undefined, 'a', 'b')), false);
    await assert.rejects(haveOneSchema(nodesWith(undefined, undefined)), /no answer/);
  });

  it('once the last one has got it', async () => {
    const agreed = nodesWith('b', undefined, 'b');
    const states = [nodesWith('b', 'a'), nodesWith(undefined, undefined), agreed];
    let asked = 0;
    const nodes = async () => states[asked++] ?? assert.fail('asked again');
    assert.deepEqual(await untilOneSchema(nodes, 60_000), [agreed[0], agreed[2]]);
    assert.equal(asked, states.length);
  });

  it('or not in time', async () => {
    assert.equal(await untilOneSchema(async () => nodesWith('a', 'b'), 30), undefined);
    await assert.rejects(
      untilOneSchema(async () => nodesWith(undefined), 30),
      /no answer/,
    );
  });

  it('never, where none can be reached', async () => {
    const away = async () => Promise.reject(new CassandraFailure('unreachable', 'the cluster is away'));
    await assert.rejects(untilOneSchema(away, 60_000), /is away/);
  });

  it('which is that of most of them, or of the first one', async () => {
    for (const [versions, at] of [
      [['a', 'b', 'b'], 1],
      [['b', 'a', 'b'], 0],
      [[undefined, 'a', 'b'], 1],
      [['a', 'b'], 0],
      [[undefined, 'c', 'a', 'a'], 2],
    ] as const) {
      const nodes = nodesWith(...versions);
      assert.equal(await nodeOfMost(nodes), nodes[at], versions.join());
    }
    await assert.rejects(nodeOfMost(nodesWith(undefined)), /no answer/);
  });

  it('never hides a fault of the program', async () => {
    const broken = { run: () => Promise.reject(new TypeError('a fault')) };
    await assert.rejects(haveOneSchema([...nodesWith('a'), broken]), TypeError);
    await assert.rejects(
      untilOneSchema(async () => [broken], 60_000),
      TypeError,
    );
  });
});
