// Many rows and documents at once in a real browser: inserted by paste and from files, and deleted by a filter.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectAccessible, useConsole, withoutBrowser } from './open-console.js';

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
});
