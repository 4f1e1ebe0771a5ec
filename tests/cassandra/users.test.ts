// Requests with the rights of users of the cluster, on a real node that asks for passwords and permissions.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DataAPIClient, UsernamePasswordTokenProvider } from '@datastax/astra-db-ts';
import { openSession } from '../../src/foundation/cassandra/open-session.js';
import { launch, openPage, withoutBrowser } from '../acceptance/console/open-console.js';
import { waitFor } from '../acceptance/ops-client.js';
import type { RunningServer } from '../acceptance/start-server.js';
import { messagesIn, shortened } from '../wire/wire-server.js';
import { post, startOnCluster, tokenOf } from './cluster-server.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const token = 'token-of-the-server';
const passwords: Readonly<Record<string, string>> = {
  colonnade: 'password-of-the-server',
  reader: 'password-of-the-reader',
  writer: 'password-of-the-writer',
  builder: 'password-of-the-builder',
  locked: 'password-of-the-locked',
};
const missing = '<REQUEST SECURITY MISSING_AUTHENTICATION_TOKEN: Authentication token missing>';
const refused = '<REQUEST SECURITY UNAUTHENTICATED_REQUEST: Authentication token not accepted>';
const notPermitted = '<REQUEST SECURITY UNAUTHORIZED_ACCESS: Access not permitted>';
const findOne = { findOne: { filter: { id: 1 } } };
const insertOne = (id: number) => ({ insertOne: { document: { id, note: 'x' } } });
/** A body that the thread for large requests answers. */
const insertLarge = {
  insertMany: { documents: [1, 2].map((id) => ({ id: id + 100, note: 'x'.repeat(100_000) })) },
};

describe('requests of users of a cluster', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1, security: { hasUsers: true } });
  let server: RunningServer;
  let administrator: ReturnType<typeof openSession>;
  const port = () => cluster().nodes[0]?.place.nativePort ?? 0;
  const cql = (text: string) => administrator.query(text, 100);
  const as = (name: string) => tokenOf(name, passwords[name] ?? '');
  const send = (path: string, body: object, given: string | undefined) =>
    post(`${server.url}/v1${path}`, body, given);
  const refusesAs = async (name: string, path: string, body: object, permission: string) => {
    const { status, text } = await send(path, body, as(name));
    assert.equal(status, 401, text);
    assert.ok(shortened(text).includes(notPermitted), text);
    assert.ok(messagesIn(text).includes(permission), text);
  };
  const answersAs = async (name: string, path: string, body: object) => {
    const { status, text } = await send(path, body, as(name));
    assert.deepEqual([status, text.includes('"errors"')], [200, false], text);
    return text;
  };

  before(async () => {
    const [username, password] = ['cassandra', 'cassandra'];
    administrator = openSession({
      contactPoints: ['127.0.0.1'],
      port: port(),
      username,
      password,
      timeoutMs: 20_000,
    });
    await waitFor('the first user', async () => (await administrator.connect()) === undefined);
    for (const keyspace of ['shop', 'other']) {
      await cql(
        `CREATE KEYSPACE ${keyspace} WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}`,
      );
      await cql(`CREATE TABLE ${keyspace}.orders (id int PRIMARY KEY, note text)`);
    }
    for (const [name, own] of Object.entries(passwords))
      await cql(`CREATE ROLE ${name} WITH PASSWORD = '${own}' AND LOGIN = ${name !== 'locked'}`);
    await cql('GRANT SELECT ON KEYSPACE system_views TO colonnade');
    for (const name of ['reader', 'writer', 'builder']) await cql(`GRANT SELECT ON KEYSPACE shop TO ${name}`);
    await cql('GRANT MODIFY ON KEYSPACE shop TO writer');
    await cql('GRANT ALL ON KEYSPACE shop TO builder');
    server = await startOnCluster(port(), {
      args: ['--token', token, '--cassandra-username', 'colonnade', '--log-level', 'debug'],
      environment: { COLONNADE_CASSANDRA_PASSWORD: passwords['colonnade'] ?? '' },
    });
    await waitFor('the cluster', async () => (await fetch(`${server.url}/health/ready`)).status === 200);
  });
  after(async () => {
    await server.stop();
    await administrator.close();
  });

  it('need a token that the server or the cluster knows', async () => {
    const cases: readonly (readonly [given: string | undefined, error: string])[] = [
      [undefined, missing],
      ['other', refused],
      ['Cassandra:x', refused],
      [tokenOf('reader', 'wrong'), refused],
      [tokenOf('nobody', 'wrong'), refused],
      [as('locked'), refused],
    ];
    for (const [given, error] of cases) {
      // Twice: the second reply is known already.
      for (let times = 0; times < 2; times += 1) {
        const { status, text } = await send('', { findKeyspaces: {} }, given);
        assert.deepEqual([status, shortened(text)], [401, `{"errors":[${error}]}`], given);
      }
    }
  });

  it('read and write what their permissions allow', async () => {
    await answersAs('writer', '/shop/orders', insertOne(1));
    assert.match(await answersAs('reader', '/shop/orders', findOne), /"note":"x"/);
    await refusesAs('reader', '/shop/orders', insertOne(2), 'reader has no MODIFY permission');
    await refusesAs('reader', '/shop/orders', { deleteOne: { filter: { id: 1 } } }, 'no MODIFY permission');
    const update = { updateOne: { filter: { id: 1 }, update: { $set: { note: 'y' } } } };
    await refusesAs('reader', '/shop/orders', update, 'no MODIFY permission');
    await refusesAs('reader', '/other/orders', findOne, 'reader has no SELECT permission');
    await refusesAs('writer', '/other/orders', insertOne(1), 'writer has no MODIFY permission');
  });

  it('have these permissions in the thread for large requests, too', async () => {
    await refusesAs('reader', '/shop/orders', insertLarge, 'reader has no MODIFY permission');
    await answersAs('writer', '/shop/orders', insertLarge);
    await answersAs('reader', '/shop/orders', { find: { filter: { id: { $in: [101, 102] } } } });
    const { status, text } = await send('/shop/orders', insertLarge, tokenOf('writer', 'wrong'));
    assert.deepEqual([status, shortened(text)], [401, `{"errors":[${refused}]}`]);
  });

  it('read and write documents as their permissions allow', async () => {
    const create = { createCollection: { name: 'people', options: { vector: { dimension: 2 } } } };
    await refusesAs('writer', '/shop', create, 'no CREATE permission');
    await answersAs('builder', '/shop', create);
    const people = '/shop/people';
    const insert = { insertMany: { documents: [{ _id: 1, $vector: [1, 2] }, { _id: 2 }] } };
    await refusesAs('reader', people, insert, 'reader has no MODIFY permission');
    await answersAs('writer', people, insert);
    assert.match(await answersAs('reader', people, { find: { sort: { $vector: [1, 2] } } }), /"_id":1/);
    const update = { updateOne: { filter: { _id: 1 }, update: { $inc: { n: 1 } } } };
    await refusesAs('reader', people, update, 'reader has no MODIFY permission');
    await refusesAs('reader', people, { deleteMany: {} }, 'reader has no MODIFY permission');
    await answersAs('writer', people, update);
    // A condition is a read.
    await cql("CREATE ROLE blind WITH PASSWORD = 'blind' AND LOGIN = true");
    await cql('GRANT MODIFY ON TABLE shop.people TO blind');
    const one = { insertOne: { document: { _id: 3 } } };
    const { status, text } = await send(people, one, tokenOf('blind', 'blind'));
    assert.equal(status, 401, text);
    assert.match(messagesIn(text), /blind has no SELECT permission/);
    await refusesAs('writer', '/shop', { deleteCollection: { name: 'people' } }, 'no DROP permission');
    await answersAs('builder', '/shop', { deleteCollection: { name: 'people' } });
  });

  it('change the schema as their permissions allow', async () => {
    const create = {
      createTable: { name: 'made', definition: { columns: { id: 'int', v: 'text' }, primaryKey: 'id' } },
    };
    const { status, text } = await send('/shop', create, as('writer'));
    assert.deepEqual([status, shortened(text)], [401, `{"status":{"ok":0},"errors":[${notPermitted}]}`]);
    assert.match(await answersAs('builder', '/shop', create), /"ok":1/);
    const index = { createIndex: { name: 'made_v', definition: { column: 'v' } } };
    await refusesAs('writer', '/shop/made', index, 'no ALTER permission');
    await answersAs('builder', '/shop/made', index);
    await refusesAs('builder', '', { dropKeyspace: { name: 'other' } }, 'no DROP permission');
    assert.match(await answersAs('reader', '/shop', { listTables: {} }), /"made"/);
    await answersAs('builder', '/shop', { dropTable: { name: 'made' } });
  });

  it('change settings of columns where the server may store them', async () => {
    const create = {
      createTable: { name: 'altered', definition: { columns: { id: 'int', v: 'text' }, primaryKey: 'id' } },
    };
    const add = (name: string) => ({ alterTable: { operation: { add: { columns: { [name]: 'int' } } } } });
    await answersAs('builder', '/shop', create);
    await refusesAs('writer', '/shop/altered', add('a'), 'writer has no ALTER permission');
    await refusesAs('builder', '/shop/altered', add('a'), 'colonnade has no CREATE permission');
    await cql('GRANT CREATE ON KEYSPACE shop TO colonnade');
    await answersAs('builder', '/shop/altered', add('a'));
    await refusesAs('writer', '/shop/altered', add('b'), 'writer has no ALTER permission');
    await answersAs('builder', '/shop/altered', add('b'));
    await answersAs('builder', '/shop', { dropTable: { name: 'altered' } });
  });

  it('are answered beside many changes that another user may not make', async () => {
    let ended = 0;
    const drops = Array.from({ length: 100 }, () =>
      refusesAs('reader', '', { dropKeyspace: { name: 'shop' } }, 'reader has no DROP permission').finally(
        () => {
          ended += 1;
        },
      ),
    );
    const all = Promise.all(drops);
    await Promise.race(drops);
    await answersAs('writer', '/shop/orders', insertOne(3));
    await answersAs('writer', '/shop/orders', insertLarge);
    assert.ok(ended < drops.length, 'the writes waited for all of the changes');
    await all;
  });

  it('credentials on a cluster: show every user the whole schema, as Cassandra does', async () => {
    assert.match(await answersAs('reader', '', { findKeyspaces: {} }), /"other","shop"/);
    assert.match(await answersAs('reader', '/other', { listTables: {} }), /"orders"/);
  });

  it('have the permissions of the server with its token', async () => {
    const { status, text } = await send('/shop/orders', findOne, token);
    assert.deepEqual([status, shortened(text)], [401, `{"errors":[${notPermitted}]}`]);
    const native = await post(`${server.opsUrl}/local/cql`, { query: 'SELECT * FROM shop.orders' }, token);
    assert.equal(native.status, 403);
    assert.match(native.text, /colonnade has no SELECT permission/);
  });

  it('follow changes of permissions at once', async () => {
    await cql('GRANT SELECT ON TABLE other.orders TO reader');
    await answersAs('reader', '/other/orders', findOne);
    await cql('REVOKE SELECT ON TABLE other.orders FROM reader');
    await refusesAs('reader', '/other/orders', findOne, 'no SELECT permission');
  });

  it('come from the official client', async () => {
    const client = new DataAPIClient({ environment: 'cassandra' });
    const provider = new UsernamePasswordTokenProvider('writer', passwords['writer'] ?? '');
    const orders = client.db(server.url, { keyspace: 'shop', token: provider }).table('orders');
    await orders.insertOne({ id: 7, note: 'by the client' });
    assert.deepEqual(await orders.findOne({ id: 7 }), { id: 7, note: 'by the client' });
    await client.close();
  });

  it('take nothing from the server where it has no token, unless they name a user', async () => {
    const open = await startOnCluster(port(), {
      args: ['--cassandra-username', 'writer'],
      environment: { COLONNADE_CASSANDRA_PASSWORD: passwords['writer'] ?? '' },
    });
    try {
      await waitFor('the cluster', async () => (await fetch(`${open.url}/health/ready`)).status === 200);
      const url = `${open.url}/v1/shop/orders`;
      for (const given of [undefined, 'anything'])
        assert.equal((await post(url, insertOne(9), given)).status, 200);
      assert.equal((await post(url, insertOne(9), as('reader'))).status, 401);
      assert.equal((await post(url, insertOne(9), tokenOf('reader', 'wrong'))).status, 401);
    } finally {
      await open.stop();
    }
  });

  it('--cassandra-require-user yes: is required of every request', async () => {
    const strict = await startOnCluster(port(), {
      args: ['--token', token, '--cassandra-username', 'writer', '--cassandra-require-user', 'yes'],
      environment: { COLONNADE_CASSANDRA_PASSWORD: passwords['writer'] ?? '' },
    });
    try {
      await waitFor('the cluster', async () => (await fetch(`${strict.url}/health/ready`)).status === 200);
      const url = `${strict.url}/v1/shop/orders`;
      for (const [given, error] of [
        [undefined, missing],
        [token, refused],
        ['anything', refused],
        [tokenOf('writer', 'wrong'), refused],
      ] as const) {
        for (const command of [insertOne(11), insertLarge]) {
          const { status, text } = await post(url, command, given);
          assert.deepEqual([status, shortened(text)], [401, `{"errors":[${error}]}`], given);
        }
      }
      assert.equal((await post(url, insertOne(11), as('reader'))).status, 401);
      assert.equal((await post(url, insertOne(11), as('writer'))).status, 200);
      // The schema is read by the user of the server.
      assert.match((await post(`${strict.url}/v1/shop`, { listTables: {} }, as('reader'))).text, /"orders"/);
    } finally {
      await strict.stop();
    }
  });

  it('come from the console, which asks for the user', { skip: withoutBrowser }, async () => {
    const strict = await startOnCluster(port(), {
      args: ['--cassandra-username', 'writer', '--cassandra-require-user', 'yes'],
      environment: { COLONNADE_CASSANDRA_PASSWORD: passwords['writer'] ?? '' },
    });
    const browser = await launch();
    try {
      await waitFor('the cluster', async () => (await fetch(`${strict.url}/health/ready`)).status === 200);
      const { page } = await openPage(browser, strict.opsUrl, { path: '/#/data/shop/orders' });
      const logIn = async (name: string, password: string) => {
        await page.getByRole('textbox', { name: 'User' }).fill(name);
        await page.getByRole('textbox', { name: 'Password' }).fill(password);
        await page.keyboard.press('Enter');
      };
      await logIn('reader', 'wrong');
      await page.getByText('The server did not accept the user or the password').waitFor();
      await logIn('reader', passwords['reader'] ?? '');
      await page.getByRole('columnheader', { name: 'note' }).waitFor();
      await page.goto(`${strict.opsUrl}/#/data/other/orders`);
      await page.getByText(/reader has no SELECT permission/).waitFor();
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('dialog', { name: 'Log in as a user of the cluster' }).waitFor();
    } finally {
      await browser.close();
      await strict.stop();
    }
  });

  it('leave no password behind in the output of the server', async () => {
    const output = server.stderr() + server.stdout();
    assert.match(output, /"msg":"ready"/);
    for (const password of [...Object.values(passwords), token]) {
      assert.ok(!output.includes(password), password);
      assert.ok(!output.includes(Buffer.from(password).toString('base64')), password);
    }
  });

  it('get the error of a cluster that is away, and are answered again behind it', async () => {
    const [node] = cluster().nodes;
    assert.ok(node !== undefined);
    await administrator.close(); // the driver keeps a timer of a session whose node was away
    await node.stop();
    await waitFor('the failure', async () => {
      const { status, text } = await send('/shop/orders', findOne, as('reader'));
      return status === 200 && text.includes('FAILED_TO_CONNECT_TO_DATABASE');
    });
    await node.restart();
    await waitFor('the answer', async () => {
      const { status, text } = await send('/shop/orders', findOne, as('reader'));
      return status === 200 && text.includes('"document"');
    });
  });
});
