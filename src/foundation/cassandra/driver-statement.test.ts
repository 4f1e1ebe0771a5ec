// When a statement is sent again, with a client that stands for the driver. No Cassandra node is needed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlStatement } from './cql-session.js';
import type { DataClient } from './driver-data-client.js';
import type { Attempts } from './driver-policies.js';
import { execute } from './driver-statement.js';
import { CassandraFailure } from './session.js';

const statement: CqlStatement = { cql: 'INSERT INTO k.t (p) VALUES (1)', values: [], isIdempotent: false };

function refusal(message: string, more: object): Error {
  return Object.assign(new Error(message), { name: 'ResponseError', code: 0x2200, ...more });
}

/** What each node says in turn: a refusal, or undefined for a result. `isPrepared`: the node had got the statement. */
function clientOf(nodes: number, answers: readonly (string | undefined)[], isPrepared = true) {
  const passed: string[] = [];
  let sent = 0;
  const client = {
    hosts: { length: nodes, get: (address: string) => address },
    passed: { passBy: (node: string) => passed.push(node), passByPreparing: () => passed.push('preparing') },
    execute: async (
      _cql: string,
      _values: unknown,
      options: { -readonly [Name in keyof Attempts]: unknown },
    ) => {
      const node = `node ${sent % nodes}`;
      const answer = answers[sent];
      sent += 1;
      if (isPrepared) {
        options.started = Number(options.started) + 1;
        options.node = { node };
      }
      // The driver names the node that refused to carry a statement out.
      if (answer !== undefined) throw refusal(answer, isPrepared ? { coordinator: node } : {});
      return { columns: null, rows: null, pageState: null };
    },
  };
  const run = () => execute(client as unknown as DataClient, statement, 1_000, {});
  return { run, passed, sent: () => sent };
}

const lacking = 'unconfigured table t';

describe('a statement whose node lacks the table', () => {
  it('is sent to another node, whether the node had it or was asked to prepare it', async () => {
    for (const isPrepared of [true, false]) {
      const { run, passed, sent } = clientOf(3, [lacking, lacking, undefined], isPrepared);
      await run();
      assert.equal(sent(), 3);
      assert.deepEqual(passed, isPrepared ? ['node 0', 'node 1'] : ['preparing', 'preparing']);
    }
  });

  it('fails without an effect where all nodes lack it, and where there is no other node', async () => {
    for (const [nodes, sends] of [
      [3, 4],
      [1, 1],
    ] as const) {
      const { run, sent } = clientOf(nodes, Array(9).fill(lacking));
      await assert.rejects(run(), (error) => error instanceof CassandraFailure && error.kind === 'refused');
      assert.equal(sent(), sends);
    }
  });

  it('is not sent again after another refusal', async () => {
    const { run, sent } = clientOf(3, ['Invalid INTEGER constant', undefined]);
    await assert.rejects(run(), CassandraFailure);
    assert.equal(sent(), 1);
  });
});
