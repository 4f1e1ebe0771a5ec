// When the schema is read again.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { CqlPage, CqlSession, CqlStatement } from '../../../../foundation/cassandra/cql-session.js';
import { SchemaHolder } from './schema-holder.js';

it('reads a change that the nodes have got when they are asked whether they agree', async () => {
  const replication = new Map([['class', 'SimpleStrategy']]);
  const names = ['before'];
  let announce = (_keyspace: string | undefined): void => undefined;
  const node = {
    run: async ({ cql, values }: CqlStatement): Promise<CqlPage> => {
      const isWanted = (name: string) => values.length === 0 || String(values[0]) === name;
      const rows = cql.includes('system_schema.keyspaces')
        ? names.filter(isWanted).map((name) => [name, replication])
        : [];
      return { rows, next: null, bytes: 0 };
    },
  };
  const session: Pick<CqlSession, 'nodes' | 'isInAgreement' | 'onSchemaChange'> = {
    nodes: async () => [node],
    // The node that is read gets the change at this moment.
    isInAgreement: async () => {
      if (!names.includes('made')) names.push('made');
      return true;
    },
    onSchemaChange: (listener) => {
      announce = listener;
    },
  };
  const holder = new SchemaHolder(session as CqlSession, (error) => assert.fail(error));
  assert.deepEqual([...(await holder.read()).keyspaces.keys()], ['before']);
  announce('made');
  for (let time = 0; time < 500 && holder.keyspace('made') === undefined; time += 1) await pause(10);
  assert.ok(holder.keyspace('made'));
  await holder.close();
});
