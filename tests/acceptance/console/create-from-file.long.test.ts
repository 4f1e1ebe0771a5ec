// Tables and collections that the console creates for a file in a real browser, with the rows of the file.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { makeTemporaryDirectory } from '../start-server.js';
import {
  expectAccessible,
  expectNoOverflow,
  expectQuiet,
  phone,
  useConsole,
  waitUntil,
  withoutBrowser,
} from './open-console.js';

describe('a table or collection that is created for a file', { skip: withoutBrowser }, () => {
  const console = useConsole();
  const space = '/default_keyspace';
  const form = `/#/data${space}?open=create&as=file`;
  const choose = (page: Page, name: string, content: string | Buffer) =>
    page
      .getByRole('dialog')
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });
  const press = (page: Page, name: string) =>
    page.getByRole('dialog').locator('footer').getByRole('button', { name, exact: true }).click();
  const documentsOf = async (name: string, filter: object) =>
    JSON.stringify(await console.command(`${space}/${name}`, { find: { filter } }));
  const countIn = async (name: string) =>
    JSON.stringify(await console.command(`${space}/${name}`, { countDocuments: { filter: {} } }));
  const definitions = async () =>
    JSON.stringify(await console.command(space, { listTables: { options: { explain: true } } }));

  it('has the name of the file, the primary key and the types that are chosen, and the rows', async () => {
    const open = await console.open({ path: `/#/data${space}` });
    const { page } = open;
    await page.getByRole('button', { name: 'Create from a file' }).click();
    const dialog = page.getByRole('dialog');
    const rows = Array.from({ length: 230 }, (_, at) => `${at % 7},${at},0${at},${at === 99 ? 'x' : at}`);
    await choose(page, 'Trips 2024.csv', `city,at,code,n\n${rows.join('\n')}\n`);
    assert.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'Trips_2024');
    await dialog.getByText('Choose the column of the partition key.').waitFor();
    await dialog.getByLabel('Partition key').selectOption('city');
    await dialog.getByLabel('Clustering column').selectOption('at');
    await dialog.getByLabel('Type of n').selectOption('int');
    await dialog.getByText('key: city, at; of rows with the same key the last one remains').waitFor();
    await expectAccessible(page);
    await page.setViewportSize(phone);
    await expectNoOverflow(page);
    await press(page, 'Create and insert 230 rows');
    await dialog.getByText('Created the table Trips_2024. Inserted 229 rows. Refused 1.').waitFor();
    await dialog.getByText(/the column n is int, which .*x.* is not/).waitFor();
    assert.equal(await dialog.getByLabel('Name', { exact: true }).isDisabled(), true);
    await press(page, 'Close');
    await page.getByText('50 rows so far').waitFor();
    assert.ok(page.url().endsWith(`/#/data${space}/Trips_2024`), page.url());
    assert.match(
      await definitions(),
      /"name":"Trips_2024","definition":\{"columns":\{.*"partitionBy":\["city"\],"partitionSort":\{"at":1\}/,
    );
    const found = await documentsOf('Trips_2024', { city: 5, at: 229 });
    assert.match(found, /"documents":\[\{"city":5,"at":229,"code":"0229","n":229\}\]/);
    expectQuiet(open);
  });

  it('has the rows of all members of a gzip file, as exports write them', async () => {
    const { page } = await console.open({ path: form });
    const members = Array.from({ length: 300 }, (_, at) => gzipSync(`${at},${'x'.repeat(at)}\n`));
    const content = Buffer.concat([gzipSync('id,text\n'), ...members]);
    await choose(page, 'members.csv.gz', content);
    await press(page, 'Create and insert 300 rows');
    await page.getByText('Created the table members. Inserted 300 rows.').waitFor();
  });

  it('has the ids of a column, which remains in the documents', async () => {
    const open = await console.open({ path: form });
    const { page } = open;
    const dialog = page.getByRole('dialog');
    await choose(page, 'people.csv', 'code,tags\na1,"[1,2]"\nb2,\na1,\n,\n');
    await dialog.getByLabel('Kind').selectOption('collection');
    await dialog.getByLabel('Ids of the documents from').selectOption('code');
    await dialog.getByText('ids: the values of code; a document whose id exists is refused').waitFor();
    await press(page, 'Create and insert 3 documents');
    await dialog.getByText('Created the collection people. Inserted 2 documents. Refused 1.').waitFor();
    const refused = dialog.getByRole('region', { name: 'Refused rows' });
    await refused.getByRole('cell', { name: '4', exact: true }).waitFor();
    await press(page, 'Close');
    await page.getByText('2 documents').waitFor();
    assert.match(await documentsOf('people', { _id: 'a1' }), /\{"_id":"a1","code":"a1","tags":\[1,2\]\}/);
    expectQuiet(open);
  });

  it('is a collection for JSON, with the ids of a member', async () => {
    const open = await console.open({ path: form });
    const { page } = open;
    const dialog = page.getByRole('dialog');
    await choose(page, 'books.json', '[{"isbn": 1, "title": "a"}, {"isbn": 2, "title": "b"}]');
    await dialog.getByText(/^JSON goes into a collection/).waitFor();
    assert.equal(await dialog.getByLabel('Kind').isDisabled(), true);
    await dialog.getByLabel('Ids of the documents from').fill('isbn');
    await dialog.getByText('ids: the values of isbn; a document whose id exists is refused').waitFor();
    await press(page, 'Create and insert 2 documents');
    await dialog.getByText('Created the collection books. Inserted 2 documents.').waitFor();
    assert.match(await documentsOf('books', { _id: 2 }), /\{"_id":2,"isbn":2,"title":"b"\}/);
    expectQuiet(open);
  });

  it('gets a name that is free, also if a link opened the form before the names were loaded', async () => {
    await console.command(space, { createCollection: { name: 'known' } });
    const { page } = await console.open({ path: `/#/data${space}` });
    let load = () => {};
    const isAsked = new Promise<void>((resolve) => {
      const mayLoad = new Promise<void>((open) => {
        load = open;
      });
      void page.route('**/data/v1/**', async (route) => {
        if (route.request().postData()?.includes('"findCollections"') === true) {
          resolve();
          await mayLoad;
        }
        await route.fallback();
      });
    });
    await page.goto('about:blank');
    await page.goto(`${console.server.opsUrl}${form}`);
    await isAsked;
    await choose(page, 'known.csv', 'id,name\n1,a\n');
    const named = (name: string) =>
      waitUntil(
        page,
        `[...document.querySelectorAll('dialog input')].some(({ value }) => value === '${name}')`,
      );
    await named('known');
    load();
    await named('known_2');
    await press(page, 'Create and insert 1 row');
    await page.getByRole('dialog').getByText('Created the table known_2. Inserted 1 row.').waitFor();
    assert.equal(await countIn('known'), '{"status":{"count":0}}');
  });

  it('is not there after an error of its creation, which the form shows, and nothing is inserted', async () => {
    const open = await console.open({ path: form });
    const { page } = open;
    const dialog = page.getByRole('dialog');
    await choose(page, 'again.csv', 'id,name\n1,a\n');
    await dialog.getByLabel('Name', { exact: true }).waitFor();
    const inserts: string[] = [];
    page.on('request', (request) => {
      if (request.postData()?.includes('"insertMany"') === true) inserts.push(request.url());
    });
    await console.command(space, { createCollection: { name: 'again' } });
    await press(page, 'Create and insert 1 row');
    await dialog.getByRole('alert').getByText('default_keyspace has a collection again already.').waitFor();
    await choose(page, 'again.csv', 'PAR1');
    await dialog
      .getByRole('alert')
      .getByText(/again\.csv is a Parquet file/)
      .waitFor();
    await choose(page, 'again.csv', 'id,name\n1,a\n');
    await dialog.getByRole('button', { name: 'Create and insert 1 row' }).waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('not-a-name');
    await press(page, 'Create and insert 1 row');
    await dialog
      .getByRole('alert')
      .getByText(/letters \(A-Z, a-z\), digits or underscores/)
      .waitFor();
    assert.doesNotMatch(await definitions(), /not-a-name/);
    assert.deepEqual(inserts, []);
    assert.equal(await countIn('again'), '{"status":{"count":0}}');
    await dialog.getByLabel('Name', { exact: true }).fill('again_2');
    await press(page, 'Create and insert 1 row');
    await dialog.getByText('Created the table again_2. Inserted 1 row.').waitFor();
    assert.match(await documentsOf('again_2', { id: 1 }), /"name":"a"/);
  });

  it('is not there after a stop before its creation, and a failure of the creation is shown after a stop', async () => {
    const { page } = await console.open({ path: form });
    const dialog = page.getByRole('dialog');
    await choose(page, 'stopped.csv', 'id,name\n1,a\n');
    const commands: string[] = [];
    let isHeld = (_: string) => {};
    let answer = (_: string | undefined) => {};
    await page.route('**/data/v1/**', async (route) => {
      const [name = ''] = Object.keys(JSON.parse(route.request().postData() ?? '{}'));
      commands.push(name);
      const body = await new Promise<string | undefined>((resolve) => {
        answer = resolve;
        isHeld(name);
      });
      if (body !== undefined) await route.fulfill({ contentType: 'application/json', body });
      else await route.fallback().catch(() => {}); // an aborted request needs no reply
    });
    const until = (wanted: string) =>
      new Promise<void>((resolve) => {
        isHeld = (name) => (name === wanted ? resolve() : answer(undefined));
      });
    const listed = until('listTables');
    await press(page, 'Create and insert 1 row');
    await listed;
    await press(page, 'Stop');
    answer(undefined);
    await dialog.getByRole('button', { name: 'Create and insert 1 row' }).waitFor();
    const sent = until('createTable');
    await press(page, 'Create and insert 1 row');
    await sent;
    await press(page, 'Stop');
    answer('{"errors":[{"errorCode":"FULL","title":"Full","message":"The disk is full."}]}');
    await dialog
      .getByRole('alert')
      .getByText(/The disk is full/)
      .waitFor();
    assert.deepEqual(
      commands.filter((name) => name.startsWith('create') || name.startsWith('insert')),
      ['createTable'],
    );
    assert.doesNotMatch(await definitions(), /stopped/);
  });

  it('has one row of those with the same key, and the form says how many replaced others', async () => {
    const { page } = await console.open({ path: form });
    const dialog = page.getByRole('dialog');
    const rows = Array.from({ length: 230 }, (_, at) => `c${at % 7},${at}`);
    await choose(page, 'cities.csv', `city,at\n${rows.join('\n')}\n`);
    await dialog.getByLabel('Partition key').selectOption('city');
    await press(page, 'Create and insert 230 rows');
    await dialog
      .getByText('Inserted 230 rows. 223 of them replaced other rows of the file with the same key.')
      .waitFor();
    assert.match(await documentsOf('cities', { city: 'c5' }), /"documents":\[\{"city":"c5","at":229\}\]/);
  });

  it('has one row of those whose keys are equal and written differently', async () => {
    const { page } = await console.open({ path: form });
    const dialog = page.getByRole('dialog');
    const rows = ['1.0,2024-01-01T00:00:00Z', '1,2024-01-01T01:00:00+01:00', '1e0,2024-01-01T00:00:00.000Z'];
    await choose(page, 'equal.csv', `id,at\n${rows.join('\n')}\n2,2024-01-01T00:00:00Z\n`);
    await dialog.getByLabel('Type of id').selectOption('double');
    await dialog.getByLabel('Type of at').selectOption('timestamp');
    await dialog.getByLabel('Clustering column').selectOption('at');
    await press(page, 'Create and insert 4 rows');
    await dialog
      .getByText('Inserted 4 rows. 2 of them replaced other rows of the file with the same key.')
      .waitFor();
    assert.match(await documentsOf('equal', { id: 1 }), /"documents":\[\{"id":1,"at":"[^"]+"\}\]/);
  });

  it('is not created for a file that cannot be read, and the form says only why', async () => {
    const { page } = await console.open({ path: form });
    const alert = page.getByRole('dialog').getByRole('alert');
    await choose(page, 'empty.csv', '');
    await alert.waitFor();
    assert.equal(
      (await alert.textContent())?.trim(),
      'empty.csv is empty: its first line must name the columns',
    );
  });

  it('has no rows of a file that changed after it was chosen, and the form says what to do', async () => {
    const { page } = await console.open({ path: form });
    const dialog = page.getByRole('dialog');
    const file = join(makeTemporaryDirectory(), 'moving.csv');
    writeFileSync(file, 'id,name\n1,a\n2,b\n');
    await dialog.locator('input[type=file]').setInputFiles(file);
    // The form has read the file for the last time when it can be sent.
    await dialog.getByRole('button', { name: 'Create and insert 2 rows' }).waitFor();
    writeFileSync(file, 'id,name\n1,a\n2,b\n3,c\n');
    await press(page, 'Create and insert 2 rows');
    await dialog
      .getByRole('alert')
      .getByText(
        /^moving\.csv cannot be read: .*[^.]\. If it was changed or moved, close this form and choose it again$/,
      )
      .waitFor();
    await dialog.getByText('Created the table moving. Inserted 0 rows. Stopped: 2 are left.').waitFor();
  });

  it('remains with the rows that were inserted before its form was closed, and a message says so', async () => {
    const { page } = await console.open({ path: form });
    const rows = Array.from({ length: 230 }, (_, at) => `${at},n${at}`);
    await choose(page, 'closed.csv', `id,name\n${rows.join('\n')}\n`);
    let sent = 0;
    const second = new Promise<void>((resolve) => {
      void page.route('**/data/v1/**', (route) => {
        if (route.request().postData()?.includes('"insertMany"') === true) sent += 1;
        // The second request has no reply.
        if (sent < 2) return route.fallback();
        resolve();
        return undefined;
      });
    });
    await press(page, 'Create and insert 230 rows');
    await second;
    await page.keyboard.press('Escape');
    await page.getByText('Inserted 100, then stopped: 130 are left.').waitFor();
  });

  it('has documents whose request had no reply once, and the form says that they are perhaps there', async () => {
    const { page } = await console.open({ path: form });
    const dialog = page.getByRole('dialog');
    const rows = Array.from({ length: 150 }, (_, at) => `{"_id":${at}}`);
    await choose(page, 'unsure.json', rows.join('\n'));
    let sent = 0;
    await page.route('**/data/v1/**', async (route) => {
      const isInsert = route.request().postData()?.includes('"insertMany"') === true;
      if (isInsert) sent += 1;
      if (!isInsert || sent > 1) return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await press(page, 'Create and insert 150 documents');
    await dialog
      .getByText('Created the collection unsure. Inserted 0 documents. Stopped: 150 are left.')
      .waitFor();
    await press(page, 'Insert 150 documents');
    await dialog.getByText('Inserted 50 documents. Refused 100.').waitFor();
    const reason =
      /^A document with the _id 7 exists.* This document is perhaps that one: it was sent before/;
    await dialog.getByRole('cell', { name: reason }).waitFor();
    assert.equal(await countIn('unsure'), '{"status":{"count":150}}');
  });

  it('remains with the rows that were inserted before an error, and the import continues', async () => {
    const { page } = await console.open({ path: form });
    const dialog = page.getByRole('dialog');
    const rows = Array.from({ length: 230 }, (_, at) => `${at},n${at}`);
    await choose(page, 'cut.csv', `id,name\n${rows.join('\n')}\n`);
    let sent = 0;
    await page.route('**/data/v1/**', (route) => {
      const isInsert = route.request().postData()?.includes('"insertMany"') === true;
      if (isInsert) sent += 1;
      return isInsert && sent === 2 ? route.abort() : route.fallback();
    });
    await press(page, 'Create and insert 230 rows');
    await dialog
      .getByRole('alert')
      .getByText(/cannot be reached/)
      .waitFor();
    await dialog.getByText('Created the table cut. Inserted 100 rows. Stopped: 130 are left.').waitFor();
    await press(page, 'Continue');
    await dialog.getByText('Created the table cut. Inserted 230 rows.').waitFor();
    await press(page, 'Close');
    await page.getByText('50 rows so far').waitFor();
    assert.match(await documentsOf('cut', { id: 229 }), /"name":"n229"/);
  });
});
