// Makes the fuzz tables on a server, and a table beside them whose rows nothing may change.
import assert from 'node:assert/strict';
import type { DataClient } from './data-client.js';
import { definitionText, type FuzzTable, fuzzTables, fuzzTypes, fuzzUserType } from './fuzz-tables.js';

/** Makes those tables that are not there. `keyspacePath` as in `/default_keyspace`. */
export async function createFuzzTables(
  client: DataClient,
  keyspacePath: string,
  tables: readonly FuzzTable[],
): Promise<void> {
  if (tables.some(({ isExtended }) => isExtended === true)) {
    const { name, fields } = fuzzUserType;
    const command = `{"name":"${name}","definition":{"fields":${fields}},"options":{"ifNotExists":true}}`;
    await client.mustSend(keyspacePath, `{"createType":${command}}`);
  }
  for (const table of tables) {
    const command = `{"name":"${table.name}","definition":${definitionText(table)},"options":{"ifNotExists":true}}`;
    await client.mustSend(keyspacePath, `{"createTable":${command}}`);
  }
}

/** Makes a table with rows that hold every example of every type; gives its path. */
export async function fillControl(client: DataClient, keyspacePath: string): Promise<string> {
  const [first] = fuzzTables;
  assert.ok(first);
  const control = { ...first, name: 'untouched' };
  await createFuzzTables(client, keyspacePath, [control]);
  const path = `${keyspacePath}/${control.name}`;
  const rowCount = Math.max(...fuzzTypes.map(({ examples }) => examples.accepts.length));
  for (let number = 0; number < rowCount; number += 1) {
    const values = fuzzTypes.map(
      ({ name, examples: { accepts } }) => `"${name}_value":${accepts[number % accepts.length]}`,
    );
    const row = `{"id":${number % 3},"part":"${number}",${values.join(',')}}`;
    await client.mustSend(path, `{"insertOne":{"document":${row}}}`);
  }
  return path;
}

/** The rows of a table as they are written, every digit of them. */
export async function readText(client: DataClient, path: string): Promise<string> {
  const pages: string[] = [];
  for (let pageState: string | null = null, isFirst = true; isFirst || pageState !== null; isFirst = false) {
    const { text, body } = await client.send(path, { find: { options: { pageState } } });
    const rows = /^\{"data":\{"documents":\[(.*)\],"nextPageState":/.exec(text)?.[1];
    assert.ok(rows !== undefined, text.slice(0, 500));
    pages.push(rows);
    pageState = body.data?.nextPageState ?? null;
  }
  return pages.join('\n');
}
