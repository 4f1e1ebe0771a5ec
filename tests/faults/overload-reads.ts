// Attacks by what is asked for: searches, sorts and pages of much, and replies that are not read.
import type { Attack, AttackPlace } from './overload-attack.js';
import { type Outcome, type RequestTarget, requestHead } from './overload-client.js';
import { keyspace, type OverloadTable, twelveKilobyteRows } from './overload-tables.js';

const pipelined = 3;
const slowBytesPerSecond = 1024;

/** The attacks by reading. */
export const readAttacks: readonly Attack[] = [
  {
    name: 'search-long-rows',
    help: 'vector searches for all rows of 10 MB',
    connections: 4,
    tables: ['long'],
    begin: (place) => again(place, 'long', search(place.sizes.longRows)),
  },
  {
    name: 'search-medium-rows',
    help: 'vector searches for all rows of 1 MB, which are refused',
    connections: 60,
    tables: ['medium'],
    begin: (place) => again(place, 'medium', search(place.sizes.mediumRows)),
  },
  {
    name: 'sort-medium-rows',
    help: 'sorts in memory of rows of 1 MB',
    connections: 40,
    tables: ['medium'],
    begin: (place) => again(place, 'medium', { find: { sort: { number: 1 }, options: { limit: 1000 } } }),
  },
  {
    name: 'heavy-pages',
    help: 'pages of 22 MB',
    connections: 20,
    tables: ['pages'],
    begin: (place) => again(place, 'pages', { find: {} }),
  },
  {
    name: 'unread-replies',
    help: 'connections that ask for a row of 19 MB three times and read nothing',
    connections: 100,
    tables: ['largest'],
    mayBeCut: true,
    begin: (place) => () =>
      readLate(place, place.port, () =>
        Array.from({ length: pipelined }, () => commandBytes('largest', findLargest)).flat(),
      ),
  },
  {
    name: 'unread-metrics',
    help: 'connections to the operations port that ask for /metrics a thousand times and read nothing',
    connections: 20,
    tables: [],
    mayBeCut: true,
    begin: (place) => () =>
      readLate(place, place.opsPort, () => [
        Buffer.concat(
          Array.from({ length: 1000 }, () => requestHead({ method: 'GET', path: '/metrics' }, 0)),
        ),
      ]),
  },
  {
    name: 'slow-readers',
    help: 'connections that read a row of 19 MB at 1 kB a second',
    connections: 40,
    tables: ['largest'],
    mayBeCut: true,
    begin: (place) => async () => {
      const client = await place.connect();
      for (const part of commandBytes('largest', findLargest)) client.write(part);
      const outcome = await client.readSlowly(slowBytesPerSecond, place.stallMs);
      client.destroy();
      return [outcome];
    },
  },
  {
    name: 'vanishing-readers',
    help: 'connections that ask for a row of 19 MB and reset the connection',
    connections: 20,
    tables: ['largest'],
    begin: (place) => async () => {
      const client = await place.connect();
      for (const part of commandBytes('largest', findLargest)) client.write(part);
      await place.wait(10 * place.connection);
      client.reset();
      await place.wait(100);
      return [];
    },
  },
];

/** Which row of twelve kilobytes a reader asks for. */
export function findTwelve(number: number): object {
  return { findOne: { filter: { id: number % twelveKilobyteRows } } };
}

const findLargest = { findOne: { filter: { id: 0 } } };

function search(limit: number): object {
  return { find: { sort: { v: [1, 2, 3, 4] }, options: { limit } } };
}

/** The head and the body of a command. */
export function commandBytes(table: OverloadTable, command: object): readonly Uint8Array[] {
  return bodyBytes({ path: `/v1${keyspace}/${table}` }, Buffer.from(JSON.stringify(command)));
}

/** The head and the body of a request. */
export function bodyBytes(target: RequestTarget, body: Uint8Array): readonly Uint8Array[] {
  return [requestHead(target, body.length), body];
}

function again(place: AttackPlace, table: OverloadTable, command: object): () => Promise<readonly Outcome[]> {
  const request = commandBytes(table, command);
  return async () => [await place.exchange(...request)];
}

/** Sends at once, reads nothing for a while, and looks then whether it was cut off or gets its first reply. */
export async function readLate(
  place: AttackPlace,
  port: number,
  makeRequest: () => readonly Uint8Array[],
): Promise<readonly Outcome[]> {
  const client = await place.connect(port);
  for (const part of makeRequest()) client.write(part);
  await place.wait(place.stallMs);
  if (place.isOver()) return []; // it stays as it is: what it leaves behind must do no harm either
  const outcome = await client.read(place.patienceMs);
  client.destroy();
  return [outcome];
}
