// The tests of requests and replies against servers whose rows are in a real Cassandra node. This file takes longest,
// and its name makes it the first that the runner starts.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { argsFor, runOnNode } from './run-on-node.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';
import { differences, isByChance, leftOut, listedName } from './wire-differences.js';

const folder = fileURLToPath(new URL('../wire', import.meta.url));

describe('requests and replies, with rows in a real node', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });

  it('are the same as with the embedded engine, except for documented differences', async (test) => {
    const names = readdirSync(folder).filter(
      (name) => name.endsWith('.test.js') && leftOut[name.replace('.test.js', '')] === undefined,
    );
    const { failed, passed, skipped } = await runOnNode(folder, names, argsFor(cluster()));
    const undocumented = [...failed].filter(([name]) => listedName(name) === undefined);
    assert.deepEqual(undocumented, []);
    assert.deepEqual(skipped, [], 'these are skipped');
    const passing = passed.filter((name) => listedName(name) !== undefined && !isByChance(name));
    assert.deepEqual(passing, [], 'these pass');
    const found = new Set([...failed.keys(), ...passed].map(listedName));
    const missing = Object.keys(differences).filter((name) => !found.has(name));
    assert.deepEqual(missing, [], 'these did not run');
    test.diagnostic(`${passed.length} tests passed, ${failed.size} differ`);
  });
});
