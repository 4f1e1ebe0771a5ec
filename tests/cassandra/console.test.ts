// The web console of a server whose rows are in a real Cassandra node, in a real browser.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import {
  expectAccessible,
  expectHeadingsAbove,
  expectNoOverflow,
  expectQuiet,
  phone,
  useConsole,
  withoutBrowser,
} from '../acceptance/console/open-console.js';
import { post } from './cluster-server.js';
import { argsFor } from './run-on-node.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });
const words = (page: Page, text: string | RegExp) => page.getByText(text).first();

describe('the console of a server on a real node', { skip: cassandraSkipReason() || withoutBrowser }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  const console = useConsole(() => ({ args: [...argsFor(cluster()), '--dialect', 'extended'] }));
  const openAt = (path: string, options = {}) => console.open({ path: `/#/${path}`, ...options });

  it('leads from an empty cluster to a keyspace, a table with rows, and a search for similar texts', async () => {
    const open = await console.open();
    const { page } = open;
    await words(page, 'There is no keyspace yet').waitFor();
    await button(page, 'Create a keyspace').click();
    await page.getByLabel('Name', { exact: true }).fill('shop');
    await inDialog(page, 'Create').click();
    await button(page, 'Load a sample collection').waitFor();
    await button(page, 'Load a sample table').click();
    await page.getByRole('gridcell', { name: 'Moby-Dick' }).waitFor();
    await words(page, '12 rows').waitFor();
    await page.getByRole('searchbox').fill('a voyage by submarine');
    await page.keyboard.press('Enter');
    await words(page, '$similarity').waitFor();
    await words(page, 'Twenty Thousand Leagues').waitFor();
    await page.getByTitle('Sort by price').click();
    await words(page, 'IN_MEMORY_SORTING_DUE_TO_NON_PARTITION_SORTING').waitFor();
    expectQuiet(open);
  });

  describe('with tables', () => {
    before(async () => {
      const { url, opsUrl } = console.server;
      await post(`${url}/v1`, { createKeyspace: { name: 'more' } });
      const definition = {
        columns: { id: 'int', n: 'varint', d: 'decimal', v: { type: 'vector', dimension: 2 }, t: 'text' },
        primaryKey: 'id',
      };
      await console.command('/more', { createTable: { name: 'digits', definition } });
      const statements = [
        'CREATE TABLE more.made_by_cql (part int, at timeuuid, tup frozen<tuple<int, text>>, PRIMARY KEY (part, at))',
        'INSERT INTO more.made_by_cql (part, at) VALUES (1, 7a1a53f0-e94f-11f1-a458-cb5f2e763cff)',
        'CREATE TABLE more.hits (page text PRIMARY KEY, n counter)',
        "UPDATE more.hits SET n = n + 2 WHERE page = '/'",
      ];
      for (const query of statements) {
        const { status, text } = await post(`${opsUrl}/local/cql`, { query });
        assert.equal(status, 200, text);
      }
    });

    it('inserts, changes and deletes a row without losing a digit', async () => {
      const { page, errors } = await openAt('data/more/digits');
      await button(page, 'Insert').click();
      await page.getByLabel(/^id/).fill('1');
      await page.getByLabel(/^n/).fill('123456789012345678901234567890');
      await page.getByLabel(/^d/).fill('0.100000000000000000001');
      await page.getByLabel(/^v/).fill('[1, 2]');
      await inDialog(page, 'Insert').click();
      await words(page, '1 row').waitFor();
      await page.getByRole('gridcell', { name: '123456789012345678901234567890' }).click();
      await page.getByLabel(/^n/).fill('123456789012345678901234567891');
      await button(page, 'Save').click();
      await page.getByRole('gridcell', { name: '123456789012345678901234567891' }).waitFor();
      const found = await console.command('/more/digits', { findOne: { filter: { id: 1 } } });
      assert.match(JSON.stringify(found), /"v":\[1,2\]/);
      await page.getByRole('gridcell', { name: '0.100000000000000000001' }).click();
      await button(page, 'Delete').click();
      await inDialog(page, 'Delete').click();
      await words(page, 'There are no rows yet').waitFor();
      assert.deepEqual(errors, []);
    });

    it('creates and drops columns and indexes, also of words', async () => {
      const { page } = await openAt('data/more/digits?tab=definition');
      await button(page, 'Add a column').click();
      await page.getByLabel('Name', { exact: true }).fill('pages');
      await page.getByLabel('Type', { exact: true }).selectOption('int');
      await inDialog(page, 'Add').click();
      await page.getByRole('cell', { name: 'pages', exact: true }).waitFor();
      await button(page, 'Create an index').click();
      await page.getByLabel('Column', { exact: true }).selectOption('t');
      await page.getByRole('dialog').getByLabel('Kind').selectOption('createTextIndex');
      await inDialog(page, 'Create').click();
      await button(page, 'Drop the index digits_t').waitFor();
      await button(page, 'Create an index').click();
      await page.getByLabel('Column', { exact: true }).selectOption('v');
      await page.getByLabel('Similarity', { exact: true }).selectOption('euclidean');
      await inDialog(page, 'Create').click();
      await button(page, 'Drop the index digits_v').waitFor();
      await button(page, 'Drop the index digits_t').click();
      await inDialog(page, 'Drop').click();
      await button(page, 'Drop the index digits_t').waitFor({ state: 'detached' });
      await button(page, 'Drop the column pages').click();
      await inDialog(page, 'Drop').click();
      await page.getByRole('cell', { name: 'pages', exact: true }).waitFor({ state: 'detached' });
    });

    it('shows tables that were made by CQL with what the service can do with them', async () => {
      const { page } = await openAt('data/more/made_by_cql');
      await page.getByRole('gridcell', { name: '7a1a53f0-e94f-11f1-a458-cb5f2e763cff' }).waitFor();
      await page.getByRole('columnheader', { name: /frozen<tuple<int, text>>/ }).waitFor();
      await page.goto(`${console.server.opsUrl}/#/data/more/hits`);
      await page.getByRole('gridcell', { name: '2', exact: true }).waitFor();
      assert.equal(await button(page, 'Insert').count(), 0);
    });

    it('finds a table that another client has made since', async () => {
      const { page } = await openAt('data/more/digits');
      await words(page, 'There are no rows yet').waitFor();
      const definition = { columns: { id: 'int' }, primaryKey: 'id' };
      await console.command('/more', { createTable: { name: 'made_since', definition } });
      await page.goto(`${console.server.opsUrl}/#/data/more/made_since`);
      await page.getByRole('heading', { name: 'made_since' }).waitFor();
      await page.goto(`${console.server.opsUrl}/#/data/more/never_made`);
      await words(page, 'more has no never_made').waitFor();
    });

    it('shows what the service refuses, where it was sent', async () => {
      const { page } = await openAt('data/more/digits');
      await button(page, 'Insert').click();
      await page.getByLabel(/^id/).fill('one');
      await page.getByLabel(/^v/).fill('[0, 0]');
      await inDialog(page, 'Insert').click();
      const alert = page.getByRole('dialog').getByRole('alert');
      await alert.getByText(/id\(int\)/).waitFor();
      await page.getByLabel(/^id/).fill('2');
      await inDialog(page, 'Insert').click();
      await alert.getByText(/zero vector/).waitFor();
    });
  });

  it('shows this server, and the cluster once it is added', async () => {
    const open = await openAt('clusters');
    const { page } = open;
    await button(page, 'Add a cluster').click();
    await page.getByLabel('Hosts, separated by commas').fill('127.0.0.1');
    await page.getByLabel('Port', { exact: true }).fill(String(cluster().nodes[0]?.place.nativePort));
    await page.getByLabel('Id (optional)').fill('ring');
    await button(page, 'Test the connection').click();
    await words(page, 'Connected: 1 node').waitFor();
    await inDialog(page, 'Add').click();
    const row = page.getByRole('row', { name: /ring/ });
    await row.getByText('up').waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'ring' }).click();
    for (const text of ['datacenter1', 'rack1', /^5\.0\.\d+$/]) await words(page, text).waitFor();
    await words(page, 'the cluster ring was added').waitFor();
    await page.goto(`${console.server.opsUrl}/#/overview`);
    await page.getByRole('cell', { name: /^0\.\d+\.\d+/ }).waitFor();
    await expectHeadingsAbove(page);
    for (const screen of [
      'overview',
      'metrics',
      'events',
      'alerts',
      'notifications',
      'actions',
      'clusters',
    ]) {
      await page.goto(`${console.server.opsUrl}/#/${screen}?cluster=ring`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      assert.equal(await page.getByRole('alert').count(), 0, screen);
    }
    await page.goto(`${console.server.opsUrl}/#/overview?cluster=none`);
    await words(page, 'There is no cluster none').waitFor();
    expectQuiet(open);
  });

  it('is accessible, and fits a phone', async () => {
    for (const options of [{ theme: 'dark' }, { size: phone }] as const) {
      const { page } = await openAt('data/shop/sample_books', options);
      await page.getByRole('gridcell').first().waitFor();
      await expectAccessible(page);
      await expectNoOverflow(page);
    }
  });

  it('says so when no node answers, and keeps what it shows', async () => {
    const { page } = await openAt('data/shop/sample_books');
    await page.getByRole('gridcell', { name: 'Moby-Dick' }).waitFor();
    await cluster().nodes[0]?.stop();
    await button(page, 'Load again').click();
    await page
      .getByRole('alert')
      .getByText(/cannot be reached/)
      .first()
      .waitFor({ timeout: 60_000 });
    await button(page, 'Try again').first().waitFor();
    await page.getByRole('gridcell', { name: 'Moby-Dick' }).waitFor();
  });
});
