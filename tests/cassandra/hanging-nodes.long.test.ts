// Data sessions with simulated nodes that hang, refuse or stop: who else is asked, and what is known of the outcome.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { stoppingBody, unavailableBody } from '../../benchmarks/simulated-cassandra/cql-frames.js';
import { numberedId, tablesOf } from '../../benchmarks/simulated-cassandra/node-tables.js';
import { startSimulatedNode } from '../../benchmarks/simulated-cassandra/simulated-node.js';
import type { CqlSession, CqlStatement } from '../../src/foundation/cassandra/cql-session.js';
import { openCqlSession } from '../../src/foundation/cassandra/open-cql-session.js';
import { CassandraFailure, type CassandraFailureKind } from '../../src/foundation/cassandra/session.js';
import { waitFor } from '../acceptance/ops-client.js';

const cql = 'SELECT keyspace_name FROM system_schema.tables';
const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});

/**
 * What each node does once the session is connected: with every request where it `stops` or is `silent`, else with the
 * query alone.
 */
type Behaviour = 'answers' | 'hangs' | 'refuses' | 'stops' | 'silent';

describe('a data session with nodes of which some hang', () => {
  it('asks another node for what may be sent again', async () => {
    const { session } = await sessionWith('127.0.7', ['hangs', 'answers', 'answers']);
    const pages = await Promise.all(Array.from({ length: 30 }, () => session.run(statement(true))));
    assert.ok(pages.every(({ rows }) => rows.length > 0));
  });

  it('leaves a statement that may not be sent again where it is', async () => {
    const { session, askedOf } = await sessionWith('127.0.8', ['hangs', 'hangs', 'hangs']);
    await fails('unanswered', session.run({ ...statement(false), timeoutMs: 3_000 }));
    assert.equal(askedOf(0) + askedOf(1) + askedOf(2), 1);
  });

  it('knows that nothing was done where every node refused', async () => {
    const { session } = await sessionWith('127.0.9', ['refuses', 'refuses', 'refuses']);
    for (let time = 0; time < 5; time += 1) await fails('unavailable', session.run(statement(true)));
  });

  it('does not say so where a node that hangs may do it yet', async () => {
    const { session, askedOf } = await sessionWith('127.0.10', ['hangs', 'refuses', 'refuses'], 6_000);
    const count = 12;
    const kinds = await Promise.all(
      Array.from({ length: count }, () => session.run(statement(true)).catch(kindOf)),
    );
    const hanging = askedOf(0);
    assert.ok(hanging > 0);
    assert.deepEqual(
      ['unavailable', 'unanswered'].map((kind) => kinds.filter((each) => each === kind).length),
      [count - hanging, hanging],
    );
  });

  it('prepares a new statement on a node that does not keep others', async () => {
    const { session } = await sessionWith('127.0.11', ['hangs', 'answers', 'answers']);
    // Some of these stay on the first node.
    const kept = Array.from({ length: 9 }, () =>
      session.run({ ...statement(false), timeoutMs: 8_000 }).catch(kindOf),
    );
    for (let time = 0; time < 6; time += 1) {
      const other = `${cql} LIMIT ${time + 1}`;
      await session.run({ ...statement(true), cql: other, timeoutMs: 4_000 });
    }
    await Promise.all(kept);
  });

  it('knows that nothing was done where no node prepares a statement', async () => {
    const { session } = await sessionWith('127.0.12', ['hangs', 'hangs', 'hangs'], 1_000);
    const other = `${cql} LIMIT 1`;
    await fails('unreachable', session.run({ ...statement(false), cql: other, timeoutMs: 8_000 }));
  });

  it('leaves a node that stops, with what may not be sent twice too, until it works again', async () => {
    const { session, askedOf, become } = await sessionWith('127.0.13', ['stops', 'answers', 'answers']);
    for (const isConditional of [false, true, false, true, false, true, false, true])
      await session.run({ ...statement(false), isConditional });
    assert.equal(askedOf(0), 1);
    become(0, 'answers');
    await untilAskedAgain(
      () => askedOf(0),
      () => session.run(statement(false)),
    );
  });

  it('soon no longer asks a node that stops to prepare statements', async () => {
    const { session, preparedOf } = await sessionWith('127.0.18', ['stops', 'answers', 'answers']);
    for (let time = 0; time < 30; time += 1)
      await session.run({ ...statement(false), cql: `${cql} LIMIT ${time + 1}` });
    // It is asked again where another node was asked meanwhile: see `passByPreparing`.
    assert.ok(preparedOf(0) <= 2, `${preparedOf(0)} times`);
  });

  it('sends texts of operators to another node than one that stops', async () => {
    const { session, askedOf } = await sessionWith('127.0.14', ['stops', 'answers', 'answers']);
    for (let time = 0; time < 6; time += 1)
      await session.runText(cql, { pageRows: 10, page: null, timeoutMs: 8_000 });
    assert.equal(askedOf(0), 1);
  });

  it('passes a node by that answered nothing, until it answers again', async () => {
    const { session, askedOf, become } = await sessionWith('127.0.15', ['silent', 'answers', 'answers']);
    for (let time = 0; time < 12; time += 1) await session.run(statement(true));
    for (let time = 0; time < 12; time += 1) await session.run(statement(false));
    assert.equal(askedOf(0), 1);
    become(0, 'answers');
    await untilAskedAgain(
      () => askedOf(0),
      () => session.run(statement(true)),
    );
  });

  it('gives up early what is sent once to a node that answers nothing', async () => {
    const { session, askedOf } = await sessionWith('127.0.16', ['silent', 'silent', 'silent']);
    const sent = session.run({ ...statement(false), isConditional: true, timeoutMs: 100_000 });
    await assert.rejects(sent, /the node does not answer/);
    assert.ok(askedOf(0) + askedOf(1) + askedOf(2) <= 1); // none, where the node was to prepare it before
  });

  it('asks the same nodes again where all of them hang for a while', async () => {
    const { session, askedOf, become } = await sessionWith('127.0.17', ['hangs', 'hangs', 'hangs'], 60_000);
    const sent = session.run(statement(true));
    await waitFor('a question to each node', async () => askedOf(0) + askedOf(1) + askedOf(2) >= 3);
    for (const at of [0, 1, 2]) become(at, 'answers');
    await sent;
  });
});

/** Sends statements until a node that was asked once is asked again. */
async function untilAskedAgain(asked: () => number, send: () => Promise<unknown>): Promise<void> {
  await waitFor('another question to the node', async () => {
    await send();
    return asked() > 1;
  });
}

function statement(isIdempotent: boolean): CqlStatement {
  return { cql, values: [], isIdempotent };
}

interface SessionWithNodes {
  readonly session: CqlSession;
  /** How often a node got the query. */
  readonly askedOf: (at: number) => number;
  /** How often a node was asked to prepare another query. */
  readonly preparedOf: (at: number) => number;
  /** What a node does from then on. */
  readonly become: (at: number, behaviour: Behaviour) => void;
}

async function sessionWith(
  net: string,
  behaviours: readonly Behaviour[],
  timeoutMs = 8_000,
): Promise<SessionWithNodes> {
  const present = [...behaviours];
  const members = behaviours.map((_, at) => ({
    address: `${net}.${at + 1}`,
    hostId: numberedId(at),
    dc: 'dc1',
  }));
  let isConnected = false;
  let port = 0;
  const asked = behaviours.map(() => 0);
  const prepared = behaviours.map(() => 0);
  for (const [at, self] of members.entries()) {
    const tables = tablesOf({ self, members, port, tableCount: 1, seconds: () => 1 });
    const hold = (query: string) => {
      const isAsked = query === cql || query.startsWith(`PREPARE ${cql} LIMIT`);
      if (query === cql && isConnected) asked[at] = (asked[at] ?? 0) + 1;
      if (!isConnected) return undefined;
      if (query.startsWith(`PREPARE ${cql} LIMIT`)) prepared[at] = (prepared[at] ?? 0) + 1;
      switch (present[at] ?? 'answers') {
        case 'answers':
          return undefined;
        case 'hangs':
          return isAsked ? new Promise<void>(() => undefined) : undefined;
        case 'refuses':
          return isAsked ? Promise.resolve(unavailableBody) : undefined;
        case 'stops':
          return Promise.resolve(stoppingBody);
        case 'silent':
          return new Promise<void>(() => undefined);
      }
    };
    // The driver reads what replicates keyspaces, which the simulated one lacks.
    const tableOf = (name: string) => (name === 'system_schema.keyspaces' ? noKeyspaces : tables[name]?.());
    const node = await startSimulatedNode({ address: self.address, port }, tableOf, hold);
    port = node.port; // the first one picks it for all
    closing.unshift(() => node.close());
  }
  const contactPoints = members.map(({ address }) => address);
  const session = await openCqlSession({ contactPoints, port, localDataCenter: 'dc1', timeoutMs });
  closing.unshift(() => session.close());
  await session.run(statement(true));
  isConnected = true;
  return {
    session,
    askedOf: (at) => asked[at] ?? 0,
    preparedOf: (at) => prepared[at] ?? 0,
    become: (at, behaviour) => {
      present[at] = behaviour;
    },
  };
}

const noKeyspaces = { columns: [['keyspace_name', 'text']], rows: [] } as const;

function kindOf(error: unknown): CassandraFailureKind | undefined {
  return error instanceof CassandraFailure ? error.kind : undefined;
}

function fails(kind: CassandraFailureKind, asked: Promise<unknown>): Promise<void> {
  return assert.rejects(asked, (error) => {
    assert.equal(kindOf(error), kind, String(error));
    return true;
  });
}
