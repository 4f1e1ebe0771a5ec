// A load of writes whose every acknowledgement is noted, so that what a killed server kept can be judged.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../seeded-random.js';
import type { DataClient, DataReply, RowBody } from './data-client.js';
import { FirstEvent } from './first-event.js';

const keyspace = '/default_keyspace';
const table = `${keyspace}/kept`;

/** Writers of one round; each has a partition of its own. */
const writers = ['single', 'single', 'single', 'batch', 'batch'] as const;
const rowsPerBatch = 20;

/** What is known of a row or table: the state acknowledged last, and the one that was on its way. */
interface Known<State> {
  acknowledged: State;
  underWay?: State;
}

/** The version of a row; 0 where there is none. */
type RowVersion = number;

/** What the writers of one round know. */
export interface RoundLoad {
  readonly round: number;
  readonly rows: readonly ReadonlyMap<number, Known<RowVersion>>[];
  /** By name; whether the table exists. */
  readonly tables: ReadonlyMap<string, Known<boolean>>;
  readonly acknowledgedCount: () => number;
  /** Resolves with the first acknowledgement, or when every connection is lost. */
  readonly first: Promise<unknown>;
  /** Resolves when every connection is lost; rejects when a reply has an error. */
  readonly ended: Promise<unknown>;
}

/** Makes the table of the load. */
export async function createLoadTable(client: DataClient): Promise<void> {
  await client.mustSend(keyspace, {
    createTable: {
      name: 'kept',
      definition: {
        columns: {
          round: 'int',
          writer: 'int',
          number: 'int',
          version: 'int',
          content: 'text',
          amount: 'bigint',
          checksum: 'text',
        },
        primaryKey: { partitionBy: ['round', 'writer'], partitionSort: { number: 1 } },
      },
    },
  });
}

/** Starts writing on several connections, until they are lost or, if `mayFail`, refused for want of storage. */
export function startLoad(
  client: DataClient,
  round: number,
  random: SeededRandom,
  mayFail = false,
): RoundLoad {
  const rows = writers.map(() => new Map<number, Known<RowVersion>>());
  const tables = new Map<string, Known<boolean>>();
  let acknowledgedCount = 0;
  const first = new FirstEvent();
  const send = async (path: string, command: unknown): Promise<boolean> => {
    let reply: DataReply;
    try {
      reply = await client.send(path, command);
    } catch {
      return false;
    }
    if (mayFail && reply.body.errors?.every(({ scope }) => scope === 'DATABASE')) return false;
    assert.equal(reply.body.errors, undefined, reply.text);
    acknowledgedCount += 1;
    first.note();
    return true;
  };
  const running = writers.map((kind, writer) => {
    const known = rows[writer] ?? new Map();
    return kind === 'single'
      ? writeSingles({ round, writer }, known, send, random)
      : writeBatches({ round, writer }, known, send, random);
  });
  running.push(changeTables(round, tables, send));
  const ended = Promise.all(running);
  return {
    round,
    rows,
    tables,
    acknowledgedCount: () => acknowledgedCount,
    first: Promise.race([first.happened, ended]),
    ended,
  };
}

/** Compares what the server has now with what it acknowledged in a round. */
export async function checkLoad(client: DataClient, load: RoundLoad): Promise<void> {
  for (const [writer, known] of load.rows.entries()) {
    const found = await client.readAll(table, { round: load.round, writer });
    checkRows(found, known, `round ${load.round}, writer ${writer}`);
    if (writers[writer] === 'batch') checkBatches(found, load.round);
  }
  const listed = (await client.mustSend(keyspace, { listTables: {} })).status?.['tables'];
  assert.ok(Array.isArray(listed));
  const names = new Set(listed.map(String));
  for (const [name, known] of load.tables) {
    const exists = names.has(name);
    assert.ok(isPossible(known, exists), `the table ${name} ${exists ? 'exists' : 'is missing'}`);
    if (exists) await client.mustSend(`${keyspace}/${name}`, { insertOne: { document: { id: 'after' } } });
  }
}

type Send = (path: string, command: unknown) => Promise<boolean>;

interface Partition {
  readonly round: number;
  readonly writer: number;
}

/** Inserts one row after the other and changes or deletes earlier ones in between. */
async function writeSingles(
  partition: Partition,
  known: Map<number, Known<RowVersion>>,
  send: Send,
  random: SeededRandom,
): Promise<void> {
  for (let number = 0; ; number += 1) {
    known.set(number, { acknowledged: 0, underWay: 1 });
    const row = makeRow(partition, number, 1, random);
    if (!(await send(table, { insertOne: { document: row } }))) return;
    known.set(number, { acknowledged: 1 });
    const earlier = random.below(number + 1);
    const version = known.get(earlier)?.acknowledged ?? 0;
    if (version === 0 || random.oneIn(2)) continue;
    const filter = { ...partition, number: earlier };
    const next = random.oneIn(4) ? 0 : version + 1;
    known.set(earlier, { acknowledged: version, underWay: next });
    const { content, amount, checksum } = makeRow(partition, earlier, next, random);
    const changed =
      next === 0
        ? await send(table, { deleteOne: { filter } })
        : await send(table, {
            updateOne: { filter, update: { $set: { version: next, content, amount, checksum } } },
          });
    if (!changed) return;
    known.set(earlier, { acknowledged: next });
  }
}

async function writeBatches(
  partition: Partition,
  known: Map<number, Known<RowVersion>>,
  send: Send,
  random: SeededRandom,
): Promise<void> {
  for (let first = 0; ; first += rowsPerBatch) {
    const numbers = Array.from({ length: rowsPerBatch }, (_, at) => first + at);
    for (const number of numbers) known.set(number, { acknowledged: 0, underWay: 1 });
    const documents = numbers.map((number) => makeRow(partition, number, 1, random));
    if (!(await send(table, { insertMany: { documents } }))) return;
    for (const number of numbers) known.set(number, { acknowledged: 1 });
  }
}

/** Creates tables, writes a row into each and drops every second. */
async function changeTables(round: number, known: Map<string, Known<boolean>>, send: Send): Promise<void> {
  const definition = { columns: { id: 'text', content: 'text' }, primaryKey: 'id' };
  for (let number = 0; ; number += 1) {
    const name = `made_${round}_${number}`;
    known.set(name, { acknowledged: false, underWay: true });
    if (!(await send(keyspace, { createTable: { name, definition } }))) return;
    known.set(name, { acknowledged: true });
    if (!(await send(`${keyspace}/${name}`, { insertOne: { document: { id: 'one' } } }))) return;
    // Every change of the schema is a commit of its own: without a rest few rows would be written beside them.
    await sleep(15);
    if (number % 2 === 0) continue;
    known.set(name, { acknowledged: true, underWay: false });
    if (!(await send(keyspace, { dropTable: { name } }))) return;
    known.set(name, { acknowledged: false });
  }
}

interface WrittenRow extends Partition {
  readonly number: number;
  readonly version: RowVersion;
  readonly content: string;
  readonly amount: number;
  readonly checksum: string;
}

function makeRow(
  partition: Partition,
  number: number,
  version: RowVersion,
  random: SeededRandom,
): WrittenRow {
  const content = 'é'.repeat(random.below(400)); // some rows are larger than a page's share
  const amount = random.below(2 ** 31);
  const unsigned = { ...partition, number, version, content, amount };
  return { ...unsigned, checksum: checksumOf(unsigned) };
}

function checksumOf(row: RowBody): string {
  const { round, writer, number, version, content, amount } = row;
  return createHash('sha1')
    .update(JSON.stringify([round, writer, number, version, content, amount]))
    .digest('hex');
}

function checkRows(
  found: readonly RowBody[],
  known: ReadonlyMap<number, Known<RowVersion>>,
  at: string,
): void {
  const versions = new Map<number, RowVersion>();
  for (const row of found) {
    assert.equal(row['checksum'], checksumOf(row), `${at}: half a row: ${JSON.stringify(row)}`);
    versions.set(Number(row['number']), Number(row['version']));
  }
  assert.equal(versions.size, found.length, `${at}: a row is there twice`);
  for (const [number, expected] of known) {
    const version = versions.get(number) ?? 0;
    const problem = `${at}: row ${number} has version ${version}, known is ${JSON.stringify(expected)}`;
    assert.ok(isPossible(expected, version), problem);
    versions.delete(number);
  }
  assert.equal(versions.size, 0, `${at}: rows that nobody wrote`);
}

/** The rows of one insertMany are one change. */
function checkBatches(found: readonly RowBody[], round: number): void {
  const counts = new Map<number, number>();
  for (const row of found) {
    const batch = Math.floor(Number(row['number']) / rowsPerBatch);
    counts.set(batch, (counts.get(batch) ?? 0) + 1);
  }
  for (const [batch, count] of counts)
    assert.equal(count, rowsPerBatch, `round ${round}: half of batch ${batch}`);
}

function isPossible<State>(known: Known<State>, state: State): boolean {
  return state === known.acknowledged || ('underWay' in known && state === known.underWay);
}
