// A server that learns late of what another one changed: its replies that nothing had to be changed, on a real node.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import { waitFor } from '../acceptance/ops-client.js';
import type { DataClient } from '../faults/data-client.js';
import { type InProcessServer, serveEngine } from '../faults/in-process-server.js';
import { openEmptied, openOnCluster } from './open-cassandra-engine.js';
import { overriding } from './overriding.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const path = '/late';
const ifNotExists = { options: { ifNotExists: true } };
const ifExists = { options: { ifExists: true } };
const columns = { id: 'int', n: 'int', v: { type: 'vector', dimension: 2 } };
const definition = { columns, primaryKey: 'id' };
const createTable = (name: string) => ({ createTable: { name, definition, ...ifNotExists } });
const fields = { definition: { fields: { street: 'text' } } };

/** A command at a path below the one of the keyspace. */
interface Sent {
  readonly at?: string;
  readonly command: object;
}

/** What a command makes, and another one removes. */
const things: readonly {
  readonly make: Sent;
  readonly remove: Sent;
  /** Succeeds where it was made, and is refused where it was not. */
  readonly use: Sent;
}[] = [
  {
    make: { command: createTable('passing') },
    remove: { command: { dropTable: { name: 'passing', ...ifExists } } },
    use: { at: '/passing', command: { insertOne: { document: { id: 1 } } } },
  },
  {
    make: { command: { createCollection: { name: 'documents' } } },
    remove: { command: { deleteCollection: { name: 'documents' } } },
    use: { at: '/documents', command: { insertOne: { document: {} } } },
  },
  {
    make: {
      at: '/kept',
      command: { createIndex: { name: 'by_n', definition: { column: 'n' }, ...ifNotExists } },
    },
    remove: { command: { dropIndex: { name: 'by_n', ...ifExists } } },
    use: { command: { dropIndex: { name: 'by_n' } } },
  },
  {
    make: {
      at: '/kept',
      command: { createVectorIndex: { name: 'by_v', definition: { column: 'v' }, ...ifNotExists } },
    },
    remove: { command: { dropIndex: { name: 'by_v', ...ifExists } } },
    use: { command: { dropIndex: { name: 'by_v' } } },
  },
  {
    make: {
      at: '/kept',
      command: { createTextIndex: { name: 'by_t', definition: { column: 't' }, ...ifNotExists } },
    },
    remove: { command: { dropIndex: { name: 'by_t', ...ifExists } } },
    use: { command: { dropIndex: { name: 'by_t' } } },
  },
  {
    make: { command: { createType: { name: 'address', ...fields, ...ifNotExists } } },
    remove: { command: { dropType: { name: 'address', ...ifExists } } },
    use: { command: { dropType: { name: 'address' } } },
  },
];

describe('a server that learns late of changes by others', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  let prompt: InProcessServer;
  let late: InProcessServer;
  before(async () => {
    const port = cluster().nodes[0]?.place.nativePort ?? 0;
    const extended = { dialect: 'extended' } as const;
    prompt = await serveEngine(checkedEngine(await openEmptied(port, 'extended')), extended);
    // No event arrives.
    const deaf = await openOnCluster(
      port,
      (real) => overriding(real, { onSchemaChange: () => undefined }),
      'extended',
    );
    late = await serveEngine(checkedEngine(deaf), extended);
    await send(prompt.client, { command: { createKeyspace: { name: 'late' } } }, '');
    const kept = { columns: { ...columns, t: 'text' }, primaryKey: 'id' };
    await send(prompt.client, { command: { createTable: { name: 'kept', definition: kept } } });
  });
  after(async () => {
    await late.close();
    await prompt.close();
  });

  async function send(client: DataClient, { at = '', command }: Sent, root = path): Promise<string> {
    const { text } = await client.send(`${root}${at}`, command);
    return text;
  }
  const succeeds = async (client: DataClient, sent: Sent, root?: string) => {
    const text = await send(client, sent, root);
    assert.doesNotMatch(text, /"errors"/, JSON.stringify(sent.command));
  };

  /** The other server learns of changes by events, a moment later. */
  const isUsable = (isWanted: boolean, sent: Sent, root?: string) =>
    waitFor(
      `a use that ${isWanted ? 'succeeds' : 'is refused'}: ${JSON.stringify(sent.command)}`,
      async () => {
        const text = await send(prompt.client, sent, root);
        return text.includes('"errors"') !== isWanted;
      },
    );

  for (const { make, remove, use } of things) {
    const [name = ''] = Object.keys(make.command);
    it(`makes what another server removed, and removes what it made: ${name}`, async () => {
      // Both know that it is there.
      await succeeds(late.client, make);
      await succeeds(prompt.client, make);
      await succeeds(prompt.client, remove);
      await succeeds(late.client, make);
      await isUsable(true, use);
      // Both know that it is not there.
      await succeeds(late.client, remove);
      await succeeds(prompt.client, make);
      await succeeds(late.client, remove);
      await isUsable(false, use);
    });
  }

  it('makes and drops a keyspace', async () => {
    const [make, remove] = [
      { command: { createKeyspace: { name: 'passing' } } },
      { command: { dropKeyspace: { name: 'passing' } } },
    ];
    await succeeds(late.client, make, '');
    await succeeds(prompt.client, remove, '');
    await succeeds(late.client, make, '');
    await isUsable(true, { command: createTable('one') }, '/passing');
    await succeeds(late.client, remove, '');
    await succeeds(prompt.client, make, '');
    await succeeds(late.client, remove, '');
    await isUsable(false, { command: { listTables: {} } }, '/passing');
  });
});
