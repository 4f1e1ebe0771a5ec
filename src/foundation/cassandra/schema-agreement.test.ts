// When nodes have one schema.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlNode } from './cql-session.js';
import { findSchemaSource, haveOneSchema, untilOneSchema } from './schema-agreement.js';
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

  it('not where one of three answers alone, which may have been down', async () => {
    const alone = nodesWith('a', undefined, undefined);
    assert.equal(await haveOneSchema(alone), false);
    assert.equal(await untilOneSchema(async () => alone, 30), undefined);
    assert.equal(await haveOneSchema(nodesWith('a', undefined)), true);
  });

  it('once the last one has got it', async () => {
    const agreed = nodesWith('b', undefined, 'b');
    const states = [nodesWith('b', 'a'), nodesWith(undefined, undefined), agreed];
    let asked = 0;
    const nodes = async () => states[asked++] ?? assert.fail('asked again');
    assert.deepEqual(await untilOneSchema(nodes, 60_000), { version: 'b', nodes: [agreed[0], agreed[2]] });
    assert.equal(asked, states.length);
  });

  it('and it counts: behind a change, others agree on the schema before while its node stops', async () => {
    const others = nodesWith('before', 'before');
    const states = [others, others, nodesWith('behind', 'behind')];
    let asked = 0;
    const nodes = async () => states[Math.min(asked++, 2)] ?? assert.fail('asked again');
    const hasChange = ({ version }: { readonly version: string }) => version !== 'before';
    assert.equal((await untilOneSchema(nodes, 60_000, hasChange))?.version, 'behind');
    assert.equal(asked, states.length);
    assert.equal(await untilOneSchema(async () => others, 30, hasChange), undefined);
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

  it('never hides a fault of the program', async () => {
    const broken = { run: () => Promise.reject(new TypeError('a fault')) };
    await assert.rejects(haveOneSchema([...nodesWith('a'), broken]), TypeError);
    await assert.rejects(
      untilOneSchema(async () => [broken], 60_000),
      TypeError,
    );
  });
});

describe('a schema is read from a node', () => {
  it('with the one that most have, or from the first one with the most frequent', async () => {
    for (const [versions, at, isOfMost] of [
      [['a', 'b', 'b'], 1, true],
      [['b', 'a', 'b'], 0, true],
      [[undefined, 'a', 'a'], 1, true],
      [[undefined, 'c', 'a', 'a'], 2, true],
      [[undefined, 'a'], 1, true],
      [['a', 'b'], 0, false],
      [['a', 'b', 'c'], 0, false],
      [[undefined, 'a', 'b'], 1, false],
      [[undefined, undefined, 'a'], 2, false],
    ] as const) {
      const nodes = nodesWith(...versions);
      const source = await findSchemaSource(async () => nodes, 'most', 0);
      assert.deepEqual(source, { node: nodes[at], isOfMost }, versions.join());
    }
    await assert.rejects(
      findSchemaSource(async () => nodesWith(undefined), 'most', 0),
      /no answer/,
    );
  });

  it('once most have one: a node that was down comes up while others get a change', async () => {
    const later = nodesWith('dropped', 'changed', 'changed');
    const states = [
      nodesWith('dropped', 'before', 'changed'),
      nodesWith('dropped', undefined, 'changed'),
      nodesWith('dropped', undefined, undefined),
      later,
    ];
    let asked = 0;
    const nodes = async () => states[asked++] ?? assert.fail('asked again');
    const source = await findSchemaSource(nodes, 'most', 60_000);
    assert.deepEqual(source, { node: later[1], isOfMost: true });
  });

  it('once all have one, if the last change counts', async () => {
    const last = nodesWith('changed', 'changed', 'changed');
    const states = [nodesWith('changed', 'before', 'before'), last];
    let asked = 0;
    const nodes = async () => states[asked++] ?? assert.fail('asked again');
    assert.deepEqual(await findSchemaSource(nodes, 'all', 60_000), { node: last[0], isOfMost: true });
  });
});
