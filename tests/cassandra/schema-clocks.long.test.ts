// Changes of the schema where the clock of a node is wrong: on three real nodes.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import type { Table } from '../../src/data-service/schema/table.js';
import type { CqlNode, CqlSession } from '../../src/foundation/cassandra/cql-session.js';
import { waitFor } from '../acceptance/ops-client.js';
import { createTableNamed, findTable, keyspace, makeKeyspace } from '../conformance/engine-steps.js';
import { compileTroubles, noTrouble, type TroubledProcess, troubledProcess } from './histories/troubles.js';
import { untilAllAreUp } from './nodes-up.js';
import { openEmptied, openSession } from './open-cassandra-engine.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const skip = cassandraSkipReason();
const shape = { columns: { id: 'int' }, key: 'id' };
const aheadMs = 12_000;

describe('changes of the schema where the clock of a node is wrong', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'colonnade-clocks-'));
  const library = skip === false ? compileTroubles(folder) : '';
  const processes = new Map<string, TroubledProcess>();
  const cluster = useCassandra({
    nodeCount: 3,
    environmentOf: (address) => {
      const process = troubledProcess(library, join(folder, address));
      processes.set(address, process);
      return process.environment;
    },
  });
  let engine: Engine;
  let session: CqlSession;
  let first: CqlNode;
  let name = 't0';
  before(async () => {
    await untilAllAreUp(cluster());
    const port = cluster().nodes[0]?.place.nativePort ?? 0;
    engine = await openEmptied(port);
    session = await openSession(port);
    await makeKeyspace(engine);
  });
  beforeEach(async () => {
    const [node] = await session.nodes();
    assert.ok(node);
    first = node;
    nextName();
  });
  after(async () => {
    await engine.close();
    await session.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function nextName(): void {
    name = `t${Number(name.slice(1)) + 1}`;
  }
  const run = (node: CqlNode, cql: string) => node.run({ cql, values: [], isIdempotent: true });
  const timeOf = async (node: CqlNode) =>
    Number((await run(node, 'SELECT currentTimestamp() FROM system.local')).rows[0]?.[0]);

  /** Sets the clock of the first node, by which all servers change the schema, and waits until it has it. */
  async function setClock(ms: number): Promise<void> {
    const [[address] = []] = (await run(first, 'SELECT rpc_address FROM system.local')).rows;
    const process = processes.get(String(address));
    assert.ok(process);
    process.set({ ...noTrouble, clockMs: ms });
    await waitFor('the clock', async () => Math.abs((await timeOf(first)) - Date.now() - ms) < 1_000);
  }

  /**
   * Runs statements by another client, through a node whose clock is ahead, until half of that time is left when all
   * nodes have them: nodes agree late on a busy machine.
   */
  async function runAhead(...statements: ((table: string) => string)[]): Promise<void> {
    await waitFor('statements in time', async () => {
      nextName();
      await setClock(aheadMs);
      const table = `${keyspace}.${name}`;
      for (const statement of statements) await run(first, statement(table));
      const ranAt = Date.now();
      await setClock(0);
      await waitFor('one schema', () => session.isInAgreement());
      return Date.now() < ranAt + aheadMs / 2;
    });
  }
  const createCql = (table: string) => `CREATE TABLE ${table} (id int PRIMARY KEY)`;
  const dropCql = (table: string) => `DROP TABLE ${table}`;

  const isHidden = (pattern: RegExp) => (error: unknown) =>
    error instanceof EngineError && error.kind === 'unavailable' && pattern.test(error.message);
  const create = () => createTableNamed(engine, name, shape);
  const isThere = async () => (await findTable(engine, name)) !== undefined;

  it('makes a table again that it dropped while the clock of the first node was ahead', async () => {
    await setClock(150_000);
    const table: Table = await create();
    await engine.changeSchema({ kind: 'dropTable', table });
    await setClock(0);
    await create();
    assert.equal(await isThere(), true);
  });

  /** Makes a table that Cassandra hides, by statements alone, and says whether the node still has it a moment later. */
  async function makeHidden(): Promise<boolean> {
    await runAhead(createCql, dropCql);
    const createStatement = createCql(`${keyspace}.${name}`);
    await run(first, createStatement);
    for (const node of await session.nodes()) {
      const where = `keyspace_name = '${keyspace}' AND table_name = '${name}'`;
      const { rows } = await run(node, `SELECT id FROM system_schema.tables WHERE ${where}`);
      assert.deepEqual(rows, []);
    }
    return run(first, createStatement).then(
      () => false,
      (error: Error) => {
        assert.match(error.message, /already exist/);
        return true;
      },
    );
  }

  it('is a fault of Cassandra, by statements alone: it has a table that it does not show', async () => {
    // A schema that another node sends meanwhile makes the node read its own again, and forget the hidden table.
    await waitFor('a hidden table', makeHidden);
    await assert.rejects(create(), isHidden(/that no schema shows|dropped at a time that is still to come/));
    await session.changeSchema(`DROP TABLE IF EXISTS ${keyspace}.${name}`);
  });

  it('does not make a table that Cassandra would hide, and makes it when that time has come', async () => {
    await runAhead(createCql, dropCql);
    await assert.rejects(create(), isHidden(/dropped at a time that is still to come/));
    await waitFor('the table', () =>
      create().then(
        () => true,
        () => false,
      ),
    );
    assert.equal(await isThere(), true);
  });

  it('does not acknowledge the drop of a table that Cassandra keeps', async () => {
    await runAhead(createCql);
    await waitFor('the table', isThere);
    const table = await findTable(engine, name);
    assert.ok(table);
    await assert.rejects(
      engine.changeSchema({ kind: 'dropTable', table }),
      (error) => error instanceof EngineError && /had no effect/.test(error.message),
    );
  });
});
