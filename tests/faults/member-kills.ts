// Rounds of: change sets and static values while an index on members is made and dropped, kill -9, compare.
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
import { type DataClient, withDataClient } from './data-client.js';
import { FirstEvent } from './first-event.js';

const path = '/default_keyspace/tagged';
const args = ['--dialect', 'extended'];
const writerCount = 4;
const idCount = 40;
const tagCount = 10;
/** So many rows of another partition make building the index take a while. */
const otherRows = 4_000;
const otherPart = 100;

/** The rows of a partition, by id, and its static value. */
interface Partition {
  readonly latest: number;
  readonly rows: ReadonlyMap<number, ReadonlySet<number>>;
}

/** What is known of a partition: the state acknowledged last, and the one that was on its way. */
interface Known {
  acknowledged: Partition;
  underWay?: Partition;
}

/** Fails when an acknowledged change is lost, is there in part, or is not in the index. Gives their number. */
export async function runMemberKills(rounds: number, seed: number): Promise<number> {
  const random = seededRandom(seed);
  const dataDir = makeTemporaryDirectory();
  const known = Array.from({ length: writerCount }, (): Known => {
    return { acknowledged: { latest: 0, rows: new Map() } };
  });
  let acknowledged = 0;
  for (let round = 0; round < rounds; round += 1) {
    const server = await startServer({ dataDir, args });
    try {
      if (round === 0) await createTable(server);
      acknowledged += await changeUntilKilled(server, known, random);
    } finally {
      server.signal('SIGKILL'); // a failed check must not leave it behind
    }
    await checkStored(dataDir, known, `seed ${seed}, round ${round}`);
  }
  checkDataFile(dataDir);
  return acknowledged;
}

async function createTable(server: RunningServer): Promise<void> {
  const query =
    'CREATE TABLE default_keyspace.tagged (part int, id int, latest int STATIC, tags set<int>, PRIMARY KEY (part, id))';
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ query });
  const { status } = await fetch(`${server.opsUrl}/local/cql`, { method: 'POST', headers, body });
  assert.equal(status, 200);
  await withDataClient(server, async (client) => {
    for (let first = 0; first < otherRows; first += 100) {
      const documents = Array.from({ length: 100 }, (_, at) => {
        return { part: otherPart, id: first + at, tags: [at % tagCount, (at * 7) % tagCount] };
      });
      await client.mustSend(path, { insertMany: { documents } });
    }
  });
}

/** Gives the number of acknowledged changes. */
function changeUntilKilled(
  server: RunningServer,
  known: readonly Known[],
  random: SeededRandom,
): Promise<number> {
  return withDataClient(server, async (client) => {
    let acknowledged = 0;
    const first = new FirstEvent();
    const send = async (command: unknown): Promise<boolean> => {
      const reply = await client.send(path, command).catch(() => undefined);
      if (reply === undefined) return false;
      assert.equal(reply.body.errors, undefined, reply.text);
      acknowledged += 1;
      first.note();
      return true;
    };
    const running = known.map((each, part) => changeRows(part, each, send, random));
    // On a busy machine the first change may take longer than the time until the kill.
    const killed = Promise.race([first.happened, Promise.all(running)])
      .then(() => sleep(random.below(400)))
      .then(() => server.signal('SIGKILL'));
    await Promise.all([...running, changeIndex(client), killed, server.ended]);
    return acknowledged;
  });
}

/** Makes the index and drops it until the connection is lost. */
async function changeIndex(client: DataClient): Promise<void> {
  for (;;) {
    const options = { ifNotExists: true };
    const create = { name: 'by_tag', definition: { column: 'tags' }, options };
    const made = await client.send(path, { createIndex: create }).catch(() => undefined);
    if (made === undefined) return;
    assert.equal(made.body.errors, undefined, made.text);
    await sleep(30);
    const dropped = await client
      .send('/default_keyspace', { dropIndex: { name: 'by_tag' } })
      .catch(() => undefined);
    if (dropped === undefined) return;
    assert.equal(dropped.body.errors, undefined, dropped.text);
  }
}

async function changeRows(
  part: number,
  known: Known,
  send: (command: unknown) => Promise<boolean>,
  random: SeededRandom,
): Promise<void> {
  for (;;) {
    const [command, after] = randomChange(part, known.acknowledged, random);
    known.underWay = after;
    if (!(await send(command))) return;
    known.acknowledged = after;
    delete known.underWay;
  }
}

/** A command, and the partition behind it. Every change but a delete counts the static value up. */
function randomChange(part: number, before: Partition, random: SeededRandom): readonly [unknown, Partition] {
  const id = random.below(idCount);
  const filter = { part, id };
  const own = before.rows.get(id);
  const tags = new Set(Array.from({ length: 1 + random.below(3) }, () => random.below(tagCount)));
  const latest = before.latest + 1;
  const withRow = (row: ReadonlySet<number>): Partition => {
    return { latest, rows: new Map([...before.rows, [id, row]]) };
  };
  if (own !== undefined && random.oneIn(5)) {
    const rows = new Map([...before.rows].filter(([each]) => each !== id));
    return [{ deleteOne: { filter } }, { ...before, rows }];
  }
  if (own === undefined || random.oneIn(3))
    return [{ insertOne: { document: { ...filter, latest, tags: [...tags] } } }, withRow(tags)];
  const update = (clause: unknown) => ({ updateOne: { filter, update: clause } });
  if (random.oneIn(2)) {
    const clause = { $set: { latest }, $push: { tags: { $each: [...tags] } } };
    return [update(clause), withRow(new Set([...own, ...tags]))];
  }
  const clause = { $set: { latest }, $pullAll: { tags: [...tags] } };
  return [update(clause), withRow(new Set([...own].filter((tag) => !tags.has(tag))))];
}

/** Opens the data file as the next start does, and takes what it has as acknowledged. */
async function checkStored(dataDir: string, known: readonly Known[], at: string): Promise<void> {
  const engine = await openEmbedded(dataDir, { dialect: 'extended' });
  try {
    const table = await builtTable(engine);
    const all = new Map<string, ReadonlySet<number>>();
    for (const part of [...known.keys(), otherPart]) {
      const found = await partitionOf(engine, table, part);
      for (const [id, tags] of found.rows) all.set(`${part} ${id}`, tags);
      const own = known[part];
      if (own === undefined) assert.equal(found.rows.size, otherRows, at);
      else own.acknowledged = expectPossible(own, found, `${at}, partition ${part}`);
    }
    for (let tag = 0; tag < tagCount; tag += 1) {
      const rows = await rowsOf(engine, table, `{"tags":{"$in":[${tag}]}}`);
      const expected = [...all].filter(([, tags]) => tags.has(tag)).map(([name]) => name);
      assert.deepEqual(
        rows.map(({ part, id }) => `${part} ${id}`).sort(),
        expected.sort(),
        `${at}, tag ${tag}`,
      );
    }
    const request = { action: 'repair', keyspace: table.keyspace, tables: [table.name] } as const;
    const report = await engine.maintain?.(request, new AbortController().signal);
    assert.equal(report?.detail, `1 tables with ${all.size} rows checked`, at);
  } finally {
    await engine.close();
  }
}

/** The table when an index that was being built has all rows. */
async function builtTable(engine: Engine): Promise<Table> {
  for (;;) {
    const table = (await engine.readSchema()).keyspaces.get('default_keyspace')?.tables.get('tagged');
    assert.ok(table);
    if (table.indexes.every(({ isBuilding }) => isBuilding !== true)) return table;
    await sleep(5);
  }
}

interface StoredRow {
  readonly part: number;
  readonly id: number;
  readonly latest?: number;
  readonly tags?: readonly number[];
}

async function rowsOf(engine: Engine, table: Table, filter: string): Promise<readonly StoredRow[]> {
  const plan = readPlan(table, filter);
  const { rows } = await finishRead(plan, await engine.readRows(plan));
  return rows.map((row) => JSON.parse(rowText(plan, row)));
}

async function partitionOf(engine: Engine, table: Table, part: number): Promise<Partition> {
  const rows = await rowsOf(engine, table, `{"part":${part}}`);
  const values = new Set(rows.map(({ latest = 0 }) => latest));
  assert.ok(values.size <= 1, 'all rows of a partition show the same static value');
  const [latest = 0] = values;
  return { latest, rows: new Map(rows.map(({ id, tags = [] }) => [id, new Set(tags)])) };
}

/** The state that was found, which must be the one acknowledged last or the one under way. */
function expectPossible({ acknowledged, underWay }: Known, found: Partition, at: string): Partition {
  const text = ({ latest, rows }: Partition) => {
    const sorted = [...rows].map(([id, tags]) => `${id}:${[...tags].sort().join()}`).sort();
    return `${rows.size === 0 ? 'any' : latest} ${sorted.join(' ')}`;
  };
  const possible = [acknowledged, ...(underWay === undefined ? [] : [underWay])];
  const same = possible.find((state) => text(state) === text(found));
  assert.ok(same, `${at}: ${text(found)}\nis not one of\n${possible.map(text).join('\n')}`);
  return same;
}
