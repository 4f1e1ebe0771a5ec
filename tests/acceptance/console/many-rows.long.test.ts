// Many rows and documents at once in a real browser: inserted by paste and from files, and deleted by a filter.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page, Route } from 'playwright-core';
import {
  expectAccessible,
  expectNoOverflow,
  expectQuiet,
  phone,
  useConsole,
  withoutBrowser,
} from './open-console.js';

describe('many rows and documents', { skip: withoutBrowser }, () => {
  const console = useConsole();
  const space = '/default_keyspace';

  it('are counted before and after all that match are deleted, also beyond one call', async () => {
    await console.command(space, { createCollection: { name: 'many' } });
    const documents = Array.from({ length: 50 }, (_, at) => ({ _id: at, even: at % 2 === 0 }));
    await console.command(`${space}/many`, { insertMany: { documents } });
    const definition = {
      columns: { part: 'int', id: 'int' },
      primaryKey: { partitionBy: ['part'], partitionSort: { id: 1 } },
    };
    await console.command(space, { createTable: { name: 'parts', definition } });
    for (let part = 0; part < 11; part += 1) {
      const rows = Array.from({ length: 100 }, (_, id) => ({
        part: part === 0 ? 0 : 1,
        id: part * 100 + id,
      }));
      await console.command(`${space}/parts`, { insertMany: { documents: rows } });
    }
    const remove = async (path: string, filter: object, found: string, action: string, done: string) => {
      const { page, context } = await console.open({
        path: `/#/data${space}/${path}?filter=${encodeURIComponent(JSON.stringify(filter))}`,
      });
      await page.getByRole('button', { name: /^Delete all/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(found, { exact: true }).waitFor();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: action, exact: true }).click();
      await page.getByText(done).waitFor();
      await context.close();
    };
    await remove(
      'many',
      { even: true },
      '25 documents match.',
      'Delete 25 documents',
      'Deleted 25 documents. None match now.',
    );
    await remove(
      'parts',
      { part: 0 },
      '100 rows match.',
      'Delete 100 rows',
      'Deleted 100 rows. None match now.',
    );
    const most = 'At least 1,000 rows match.';
    await console.command(`${space}/parts`, { insertOne: { document: { part: 1, id: 5000 } } });
    await remove(
      'parts',
      { part: 1 },
      most,
      'Delete all rows that match',
      'Deleted at least 1,000 rows. None match now.',
    );
    const left = await console.command(`${space}/many`, { countDocuments: { filter: {} } });
    assert.deepEqual(left, { status: { count: 25 } });
  });

  it('say what was deleted when that is stopped, and are loaded again', async () => {
    await console.command(space, { createCollection: { name: 'stopped' } });
    const documents = Array.from({ length: 45 }, (_, at) => ({ _id: at, kind: 'a' }));
    await console.command(`${space}/stopped`, { insertMany: { documents } });
    const filter = encodeURIComponent('{"kind":"a"}');
    const { page } = await console.open({ path: `/#/data${space}/stopped?filter=${filter}` });
    await page.getByText('45 documents').waitFor();
    await page.getByRole('button', { name: /^Delete all/ }).click();
    const held = new Promise<Route>((resolve) => {
      void page.route('**/data/v1/**', (route) => {
        if (route.request().postData()?.includes('"deleteMany"') === true) resolve(route);
        else void route.fallback();
      });
    });
    await press(page, 'Delete 45 documents');
    const call = await held;
    await press(page, 'Stop');
    await call.continue();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Deleted 20 documents. 25 documents match.').waitFor();
    await dialog.locator('footer').getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('25 documents').waitFor();
    assert.equal(await page.getByText(/aborted/).count(), 0);
  });

  const countIn = async (name: string) => {
    const reply = await console.command(`${space}/${name}`, { countDocuments: { filter: {} } });
    return JSON.stringify(reply);
  };
  const press = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  const saved = async (page: Page, name: string) => {
    const download = page.waitForEvent('download');
    await press(page, name);
    return readFileSync(await (await download).path(), 'utf8');
  };

  it('are inserted from a paste in batches, with the line of each that is refused, and once only', async () => {
    await console.command(space, { createCollection: { name: 'pasted' } });
    const open = await console.open({ path: `/#/data${space}/pasted?open=insert` });
    const { page } = open;
    const dialog = page.getByRole('dialog');
    await press(page, 'Several');
    const lines = Array.from({ length: 250 }, (_, at) => JSON.stringify({ at, text: 'é' }));
    lines[120] = '{"at": 120,, "text": 1}';
    lines[200] = '{"_id": 1, "$wrong": 1}';
    const text = lines.join('\n');
    await dialog.getByLabel('JSON of the documents').fill(text);
    await press(page, 'Insert');
    await dialog.getByText('Inserted 248 documents. Refused 2.').waitFor();
    await dialog.getByRole('cell', { name: '121', exact: true }).waitFor();
    await dialog.getByText(/^column \d+: /).waitFor();
    await dialog.getByRole('cell', { name: '201', exact: true }).waitFor();
    await expectAccessible(page);
    assert.match(await saved(page, 'Save what was refused'), /"\$wrong": 1\}\n$/);
    assert.match(await saved(page, 'Save the reasons'), /^line 121: column \d+: /);
    assert.equal(await countIn('pasted'), '{"status":{"count":248}}');
    assert.equal(await dialog.getByRole('button', { name: 'Insert', exact: true }).isDisabled(), true);
    await dialog.getByLabel('JSON of the documents').fill(text.replace('120,,', '120,'));
    await press(page, 'Insert');
    await dialog.getByText(/^Inserted 1 document. 248 with the same content were there already/).waitFor();
    assert.equal(await countIn('pasted'), '{"status":{"count":249}}');
    await dialog.getByLabel('JSON of the documents').fill('[{"a": 1},\n {"a": }]');
    await press(page, 'Insert');
    await dialog
      .getByRole('alert')
      .getByText(/line 2, column 8: /)
      .waitFor();
    assert.equal(await countIn('pasted'), '{"status":{"count":249}}');
    assert.deepEqual(open.foreignRequests, []);
  });

  it('are inserted from a CSV file, with a preview, its dialect and a file of what was refused', async () => {
    const definition = { columns: { id: 'int', name: 'text', price: 'double' }, primaryKey: 'id' };
    await console.command(space, { createTable: { name: 'filed', definition } });
    const open = await console.open({ path: `/#/data${space}/filed?open=insert&as=file` });
    const { page } = open;
    const dialog = page.getByRole('dialog');
    const rows = Array.from({ length: 230 }, (_, id) => `${id};näme ${id};${id},5`);
    rows[150] = '150;wrong;none';
    const buffer = Buffer.from(`id;name;price\r\n${rows.join('\r\n')}\r\n`, 'latin1');
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer });
    await dialog
      .getByRole('alert')
      .getByText(/--encoding latin1/)
      .waitFor();
    await dialog.getByText('How the file is written').click();
    await dialog.getByLabel('Encoding').fill('latin1');
    await dialog.getByLabel('Decimal').selectOption('comma');
    await dialog.getByRole('cell', { name: 'näme 2', exact: true }).waitFor();
    await dialog.getByRole('cell', { name: '2.5', exact: true }).waitFor();
    await dialog.getByText(/230 rows, delimiter ;/).waitFor();
    await expectAccessible(page);
    await press(page, 'Insert 230 rows');
    await dialog.getByText('Inserted 229 rows. Refused 1.').waitFor();
    await dialog.getByText(/the column price is double, which .*none.* is not/).waitFor();
    assert.equal(await saved(page, 'Save what was refused'), 'id;name;price\n150;wrong;none\n');
    const found = await console.command(`${space}/filed`, { findOne: { filter: { id: 229 } } });
    assert.match(JSON.stringify(found), /"name":"näme 229","price":229.5/);
    await page.setViewportSize(phone);
    await expectNoOverflow(page);
    await dialog.locator('footer').getByRole('button', { name: 'Close' }).click();
    await page.getByText('50 rows so far').waitFor();
    expectQuiet(open);
  });

  it('are inserted from a compressed array of JSON, and from CSV with types that are chosen', async () => {
    await console.command(space, { createCollection: { name: 'array' } });
    const open = await console.open({ path: `/#/data${space}/array?open=insert&as=file` });
    const { page } = open;
    const dialog = page.getByRole('dialog');
    const choose = async (name: string, buffer: Buffer) => {
      const mimeType = 'application/octet-stream';
      await dialog.locator('input[type=file]').setInputFiles({ name, mimeType, buffer });
    };
    await choose('t.parquet', Buffer.from('PAR1, and more'));
    await dialog
      .getByRole('alert')
      .getByText(/is a Parquet file/)
      .waitFor();
    const documents = Array.from({ length: 120 }, (_, at) => ({
      at,
      when: { $date: '2024-05-06T00:00:00Z' },
    }));
    await choose('t.json.gz', gzipSync(JSON.stringify(documents, null, 1)));
    await press(page, 'Insert 120 documents');
    await dialog.getByText('Inserted 120 documents.').waitFor();
    // A frame of zstd with one block of bytes as they are.
    const zstd = Buffer.concat([Buffer.from('28b52ffd2009490000', 'hex'), Buffer.from('a,b\n1,xy\n')]);
    await choose('t.csv.zst', zstd);
    await dialog.getByRole('cell', { name: 'xy', exact: true }).waitFor();
    await dialog.getByText(/t\.csv\.zst: 1 rows/).waitFor();
    await choose('t.csv', Buffer.from('code,n\n1,2\n2,3\n'));
    await dialog.getByLabel('Type of code').selectOption('text');
    await dialog.getByRole('cell', { name: '1', exact: true }).waitFor();
    await press(page, 'Insert 2 documents');
    await dialog.getByText('Inserted 2 documents.').waitFor();
    const found = await console.command(`${space}/array`, { findOne: { filter: { code: '2' } } });
    assert.match(JSON.stringify(found), /"code":"2","n":3/);
    assert.equal(await countIn('array'), '{"status":{"count":122}}');
    assert.deepEqual(open.foreignRequests, []);
  });

  it('have the ids of a column of CSV or of a member of JSON in a collection that exists', async () => {
    await console.command(space, { createCollection: { name: 'named' } });
    const open = await console.open({ path: `/#/data${space}/named?open=insert&as=file` });
    const { page } = open;
    const dialog = page.getByRole('dialog');
    const choose = (name: string, text: string) =>
      dialog
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
    await choose('a.csv', 'code,n\nx,1\ny,2\n');
    await dialog.getByLabel('Ids of the documents from').selectOption('code');
    await dialog.getByText('ids: the values of code; a document whose id exists is refused').waitFor();
    await press(page, 'Insert 2 documents');
    await dialog.getByText('Inserted 2 documents.').waitFor();
    await page.evaluate(`(() => {
      const { arrayBuffer } = Blob.prototype;
      const mayRead = new Promise((resolve) => { globalThis.readFiles = resolve; });
      Blob.prototype.arrayBuffer = function () { return mayRead.then(() => arrayBuffer.call(this)); };
    })()`);
    await choose('b.json', '[{"sku": "z", "n": 3}, {"sku": "x", "n": 9}, {"n": 4}]');
    // What is known of the file before is not shown for this one.
    await dialog.getByLabel('Ids of the documents from').waitFor({ state: 'detached' });
    await dialog.getByRole('table').waitFor({ state: 'detached' });
    await page.evaluate('readFiles()');
    await dialog.getByLabel('Ids of the documents from').fill('sku');
    await dialog.getByText('ids: the values of sku; a document whose id exists is refused').waitFor();
    await expectAccessible(page);
    await press(page, 'Insert 3 documents');
    await dialog.getByText('Inserted 1 document. Refused 2.').waitFor();
    await dialog
      .getByRole('region', { name: 'Refused rows' })
      .getByText(/the member sku has no value/)
      .waitFor();
    const found = JSON.stringify(await console.command(`${space}/named`, { find: { filter: {} } }));
    for (const document of ['{"_id":"x","code":"x","n":1}', '{"_id":"z","sku":"z","n":3}'])
      assert.ok(found.includes(document), found);
    assert.equal(await countIn('named'), '{"status":{"count":3}}');
    assert.deepEqual(open.foreignRequests, []);
  });

  it('keep vectors folded in the editor, and name the line and column of a mistake', async () => {
    await console.command(space, {
      createCollection: { name: 'folded', options: { vector: { dimension: 9 } } },
    });
    const $vector = Array.from({ length: 9 }, (_, at) => at + 0.5);
    await console.command(`${space}/folded`, { insertOne: { document: { _id: 1, name: 'long', $vector } } });
    const open = await console.open({
      path: `/#/data${space}/folded?open=${encodeURIComponent('row:{"_id":1}')}`,
    });
    const { page } = open;
    const fold = page.getByRole('button', { name: '9 numbers' });
    await fold.waitFor();
    assert.equal(await page.locator('.cm-content').getByText('8.5').count(), 0);
    await expectAccessible(page);
    await fold.click();
    await page.locator('.cm-content').getByText('8.5').waitFor();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('{\n  "_id": 1,\n  "name": wrong\n}');
    await page.getByText(/^Line 3, column 11: /).waitFor();
    assert.deepEqual(open.errors, []);
  });
});
