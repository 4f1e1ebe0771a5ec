// Rounds of: change texts that a text index has while it is made and dropped, kill -9, compare with the rows.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { finishRead } from '../../src/data-service/query/read.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { makeTemporaryDirectory, type RunningServer, startServer } from '../acceptance/start-server.js';
import { readPlan, rowText } from '../conformance/engine-steps.js';
import { openEmbedded } from '../conformance/open-embedded.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { checkDataFile } from './check-data-file.js';
import { withDataClient } from './data-client.js';
import { FirstEvent } from './first-event.js';

const path = '/default_keyspace/pages';
const args = ['--dialect', 'extended'];
const writerCount = 4;
const rowsOfWriter = 400;
const rowsOfInsert = 50;
const wordCount = 40;
const wordsOfText = 60;

/** The texts that a row may have, by its id; undefined: the row may be missing. One, unless a change was on its way. */
type Known = Map<number, readonly (string | undefined)[]>;

/** Fails when an acknowledged change is lost, or when the index differs from the rows. Gives their number. */
export async function runTextKills(rounds: number, seed: number): Promise<number> {
  const random = seededRandom(seed);
  const dataDir = makeTemporaryDirectory();
  const known: Known = new Map();
  let acknowledged = 0;
  for (let round = 0; round < rounds; round += 1) {
    const server = await startServer({ dataDir, args });
    try {
      if (round === 0) await createTable(server);
      acknowledged += await changeUntilKilled(server, known, random, round);
    } finally {
      server.signal('SIGKILL'); // a failed check must not leave it behind
    }
    await checkStored(dataDir, known, `seed ${seed}, round ${round}`);
  }
  checkDataFile(dataDir);
  return acknowledged;
}

function createTable(server: RunningServer): Promise<void> {
  return withDataClient(server, async (client) => {
    const definition = { columns: { id: 'int', body: 'text' }, primaryKey: 'id' };
    await client.mustSend('/default_keyspace', { createTable: { name: 'pages', definition } });
  });
}

/** Gives the number of acknowledged changes. */
function changeUntilKilled(
  server: RunningServer,
  known: Known,
  random: SeededRandom,
  round: number,
): Promise<number> {
  return withDataClient(server, async (client) => {
    let acknowledged = 0;
    const first = new FirstEvent();
    const send = async (place: string, command: unknown): Promise<boolean> => {
      const reply = await client.send(place, command).catch(() => undefined);
      if (reply === undefined) return false;
      assert.equal(reply.body.errors, undefined, reply.text);
      return true;
    };
    const change = async (writer: number) => {
      for (;;) {
        const [command, after] = randomChange(writer, known, random);
        for (const [id, text] of after) known.set(id, [...(known.get(id) ?? [undefined]), text]);
        if (!(await send(path, command))) return;
        for (const [id, text] of after) known.set(id, [text]);
        acknowledged += 1;
        first.note();
      }
    };
    const changeIndex = async () => {
      const create = { name: 'by_words', definition: { column: 'body' }, options: { ifNotExists: true } };
      if (!(await send(path, { createTextIndex: create })) || round % 3 !== 2) return;
      await sleep(random.below(200));
      await send('/default_keyspace', { dropIndex: { name: 'by_words' } });
      await send(path, { createTextIndex: create });
    };
    const running = Array.from({ length: writerCount }, (_, writer) => change(writer));
    // On a busy machine the first change may take longer than the time until the kill.
    const killed = Promise.race([first.happened, Promise.all(running)])
      .then(() => sleep(random.below(1_500)))
      .then(() => server.signal('SIGKILL'));
    await Promise.all([...running, changeIndex(), killed, server.ended]);
    return acknowledged;
  });
}

/** A command on rows of one writer, and the texts behind it. */
function randomChange(
  writer: number,
  known: Known,
  random: SeededRandom,
): readonly [unknown, ReadonlyMap<number, string | undefined>] {
  const newId = () => writer * rowsOfWriter + random.below(rowsOfWriter);
  const id = newId();
  const filter = { id };
  const isThere = known.get(id)?.[0] !== undefined;
  if (isThere && random.oneIn(4)) return [{ deleteOne: { filter } }, new Map([[id, undefined]])];
  if (isThere && random.oneIn(2)) {
    const body = randomText(random);
    return [{ updateOne: { filter, update: { $set: { body } } } }, new Map([[id, body]])];
  }
  const texts = new Map(Array.from({ length: rowsOfInsert }, () => [newId(), randomText(random)] as const));
  const documents = [...texts].map(([each, body]) => ({ id: each, body }));
  return [{ insertMany: { documents } }, texts];
}

/** Some words are in most texts, others in few. */
function randomText(random: SeededRandom): string {
  const word = () => `w${random.below(1 + random.below(wordCount))}`;
  return Array.from({ length: 1 + random.below(wordsOfText) }, word).join(' ');
}

/** Opens the data file as the next start does, and takes what it has as acknowledged. */
async function checkStored(dataDir: string, known: Known, at: string): Promise<void> {
  const engine = await openEmbedded(dataDir, { dialect: 'extended' });
  try {
    const table = await builtTable(engine);
    const stored = new Map((await rowsOf(engine, table, '{}')).map(({ id, body }) => [id, body]));
    for (const [id, possible] of known) {
      assert.ok(possible.includes(stored.get(id)), `${at}, row ${id}: ${stored.get(id)} of ${possible}`);
      known.set(id, [stored.get(id)]);
    }
    for (let word = 0; word < wordCount && table.indexes.length > 0; word += 1) {
      const found = await rowsOf(engine, table, `{"body":{"$match":"w${word}"}}`);
      const expected = [...stored].filter(([, body]) => body.split(' ').includes(`w${word}`));
      const ids = (rows: readonly number[]) => [...rows].sort((left, right) => left - right);
      assert.deepEqual(
        ids(found.map(({ id }) => id)),
        ids(expected.map(([id]) => id)),
        `${at}, word ${word}`,
      );
    }
    const request = { action: 'repair', keyspace: table.keyspace, tables: [table.name] } as const;
    const report = await engine.maintain?.(request, new AbortController().signal);
    assert.equal(report?.detail, `1 tables with ${stored.size} rows checked`, at);
  } finally {
    await engine.close();
  }
}

/** The table when an index that was being built has all rows. */
async function builtTable(engine: Engine): Promise<Table> {
  for (;;) {
    const table = (await engine.readSchema()).keyspaces.get('default_keyspace')?.tables.get('pages');
    assert.ok(table);
    if (table.indexes.every(({ isBuilding }) => isBuilding !== true)) return table;
    await sleep(5);
  }
}

async function rowsOf(
  engine: Engine,
  table: Table,
  filter: string,
): Promise<readonly { readonly id: number; readonly body: string }[]> {
  const plan = readPlan(table, filter);
  const { rows } = await finishRead(plan, await engine.readRows(plan));
  return rows.map((row) => JSON.parse(rowText(plan, row)));
}
