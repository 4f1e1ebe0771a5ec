// Attacks by what is sent: large bodies, bodies that do not end, and writes in great number.
import type { Attack, AttackPlace } from './overload-attack.js';
import { type Outcome, type RequestTarget, requestHead } from './overload-client.js';
import { bodyBytes, commandBytes, findTwelve } from './overload-reads.js';
import { keyspace, type OverloadSizes, type OverloadTable } from './overload-tables.js';

const tooLong = 20_000_000;
const itemsPerPush = 100;
const dripEveryMs = 250;
/** One in so many connections reads, as 64 beside 256. */
const oneReaderIn = 5;

/** The attacks by sending. */
export const sendAttacks: readonly Attack[] = [
  {
    name: 'empty-objects',
    help: 'bodies of 6.6 million {} to unknown and known tables, to wrong paths',
    connections: 8,
    tables: ['small'],
    statuses: [404],
    begin: (place) => {
      let turn = place.connection;
      return async () => {
        turn += 1;
        const path = emptyObjectPaths[turn % emptyObjectPaths.length] ?? '/';
        return [await place.exchange(...bodyBytes({ path }, emptyObjects()))];
      };
    },
  },
  {
    name: 'large-bodies',
    help: 'bodies of 19 MB, half of them rows that are stored',
    connections: 64,
    tables: ['bodies'],
    begin: (place) => {
      const table = place.connection % 2 === 0 ? 'bodies' : 'unknown';
      const parts = largeRow(place.sizes, `${place.connection}`);
      return async () => [await sendParts(place, { path: `/v1${keyspace}/${table}` }, parts)];
    },
  },
  {
    name: 'stalled-senders',
    help: 'bodies of 19 MB that stop one byte before their end',
    connections: 150,
    tables: ['bodies'],
    mayBeCut: true,
    begin: (place) => async () => {
      const client = await place.connect();
      const [start, content, end] = largeRow(place.sizes, 'stalled');
      client.write(requestHead({ path: pathOf('bodies') }, start.length + content.length + end.length));
      for (const part of [start, content, end.subarray(0, end.length - 1)]) client.write(part);
      await place.wait(place.stallMs);
      if (place.isOver()) return []; // left behind as it is
      const outcome = await client.read(place.patienceMs);
      client.destroy();
      return [outcome];
    },
  },
  {
    name: 'slow-senders',
    help: 'heads and bodies that come byte by byte',
    connections: 40,
    tables: ['bodies'],
    mayBeCut: true,
    begin: (place) => async () => {
      const client = await place.connect();
      const head = requestHead({ path: pathOf('bodies') }, 1000);
      client.write(place.connection % 2 === 0 ? head : head.subarray(0, 20));
      client.startReading();
      const endMs = performance.now() + place.stallMs;
      while (!place.isOver() && !client.isOver && performance.now() < endMs) {
        client.write(Buffer.from('a'));
        await place.wait(dripEveryMs);
      }
      if (place.isOver()) return [];
      const outcome = await client.read(place.patienceMs);
      client.destroy();
      return [outcome];
    },
  },
  {
    name: 'half-open',
    help: 'connections that send nothing, half a head, or end their side before the reply',
    connections: 40,
    tables: ['largest'],
    begin: (place) => async () => {
      const client = await place.connect();
      const kind = place.connection % 3;
      if (kind === 1) client.write(Buffer.from('POST /v1 HTTP/1.1\r\nHost: '));
      if (kind === 2) {
        for (const part of commandBytes('largest', { findOne: {} })) client.write(part);
        client.endSending();
      }
      await place.wait(place.stallMs);
      if (!place.isOver()) client.destroy();
      return [];
    },
  },
  {
    name: 'number-lists',
    help: 'rows with a list<int> of millions',
    connections: 8,
    tables: ['lists'],
    begin: (place) => {
      const start = Buffer.from(`{"insertOne":{"document":{"id":"${place.connection}","numbers":`);
      const parts = [start, numberList(place.sizes), Buffer.from('}}}')];
      return async () => [await sendParts(place, { path: pathOf('lists') }, parts)];
    },
  },
  {
    name: 'pushes',
    help: '$push of 19 MB to lists, until they are full',
    connections: 3,
    tables: ['pushed'],
    begin: beginPushes,
  },
  {
    name: 'writers-beside-readers',
    help: '256 connections with small insertOne beside 64 with findOne of 12 kB',
    connections: 320,
    tables: ['notes', 'twelve'],
    begin: (place) => (place.connection % oneReaderIn === 0 ? beginReads(place) : beginWrites(place)),
  },
];

const emptyObjectPaths = [
  '/v1/unknown/rows',
  '/v1/unknown',
  `/v1${keyspace}/small`,
  '/v1/a/b/c',
  '/elsewhere',
];
let emptyObjectsMade: Buffer | undefined;
let numberListMade: Buffer | undefined;
let contentMade: Buffer | undefined;

/** Made once for a process and sent by all of its connections, as what follows is. */
function emptyObjects(): Buffer {
  const start = '{"insertMany":{"documents":[{}';
  const count = Math.floor((tooLong - start.length) / 3);
  emptyObjectsMade ??= Buffer.from(`${start}${',{}'.repeat(count)}]}}`);
  return emptyObjectsMade;
}

function numberList({ largestBytes }: OverloadSizes): Buffer {
  numberListMade ??= Buffer.from(`[1${',7'.repeat(largestBytes / 2)}]`);
  return numberListMade;
}

type Parts = readonly [start: Uint8Array, content: Uint8Array, end: Uint8Array];

function largeRow({ largestBytes }: OverloadSizes, id: string): Parts {
  contentMade ??= Buffer.alloc(largestBytes, 'y');
  return [
    Buffer.from(`{"insertOne":{"document":{"id":"${id}","content":"`),
    contentMade,
    Buffer.from('"}}}'),
  ];
}

function sendParts(
  place: AttackPlace,
  target: RequestTarget,
  parts: readonly Uint8Array[],
): Promise<Outcome> {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  return place.exchange(requestHead(target, bytes), ...parts);
}

/** Pushes to a row until it is refused, then to the next row. */
function beginPushes(place: AttackPlace): () => Promise<readonly Outcome[]> {
  let rowNumber = 0;
  let pushes = 0;
  const item = 'z'.repeat(Math.floor(place.sizes.largestBytes / itemsPerPush) - 10);
  const items = Buffer.from(JSON.stringify(Array.from({ length: itemsPerPush }, () => item)));
  return async () => {
    const row = `${place.connection}-${rowNumber}`;
    const start = Buffer.from(`{"updateOne":{"filter":{"id":"${row}"},"update":{"$push":{"items":{"$each":`);
    const outcome = await sendParts(place, { path: pathOf('pushed') }, [start, items, Buffer.from('}}}}}')]);
    const isDone = isSuccess(outcome);
    place.notePushed(row, itemsPerPush, isDone);
    pushes += isDone ? 1 : 0;
    if (!isDone && pushes > 0) {
      rowNumber += 1;
      pushes = 0;
    }
    return [outcome];
  };
}

function beginReads(place: AttackPlace): () => Promise<readonly Outcome[]> {
  let count = place.connection;
  return async () => {
    count += 1;
    return [await place.exchange(Buffer.concat(commandBytes('twelve', findTwelve(count))))];
  };
}

/** Sends a number until it is acknowledged, so that every number below the last one must be there. */
function beginWrites(place: AttackPlace): () => Promise<readonly Outcome[]> {
  const writer = `${place.connection}`;
  let number = 0;
  return async () => {
    const document = { writer, number, content: `note ${number} of ${writer}` };
    const command = { insertOne: { document } };
    const outcome = await place.exchange(Buffer.concat(commandBytes('notes', command)));
    if (isSuccess(outcome)) {
      place.noteWritten(writer, number);
      number += 1;
    }
    return [outcome];
  };
}

function pathOf(table: OverloadTable): string {
  return `/v1${keyspace}/${table}`;
}

function isSuccess(outcome: Outcome): boolean {
  return outcome.kind === 'reply' && outcome.status === 200 && outcome.errorCodes.length === 0;
}
