// Attacks by many small requests: sent ahead, sent at the same moment, or with large replies that are not read.
import type { Attack } from './overload-attack.js';
import { bodyBytes, commandBytes, readLate } from './overload-reads.js';
import { keyspace } from './overload-tables.js';

const sentAhead = 4000;
/** The largest body that no limit on memory counts. */
const bodyLength = 16 * 1024;
/** All connections send at the multiples of this time. */
const momentMs = 500;
const rowsOfInsert = 100;
/** More would have the connection closed at once. */
const insertsAhead = 30;

/** The attacks by many small requests. */
export const floodAttacks: readonly Attack[] = [
  {
    name: 'sent-ahead',
    help: 'connections that send 4,000 requests behind a page of 22 MB',
    connections: 40,
    tables: ['pages', 'small'],
    mayBeCut: true,
    begin: (place) => async () => {
      const client = await place.connect();
      for (const part of commandBytes('pages', { find: {} })) client.write(part);
      client.write(place.connection % 2 === 0 ? commandsAhead : headsAhead);
      const outcome = await client.read(place.patienceMs);
      client.destroy();
      return [outcome];
    },
  },
  {
    name: 'small-bodies',
    help: 'bodies of 16 KiB of {} or of decimals, from all connections at the same moments',
    connections: 100,
    tables: ['small'],
    begin: (place) => {
      const body = place.connection % 2 === 0 ? emptyObjects : decimals;
      const request = Buffer.concat(bodyBytes({ path: `/v1${keyspace}/small` }, body));
      return async () => {
        await place.wait(momentMs - (Date.now() % momentMs));
        return [await place.exchange(request)];
      };
    },
  },
  {
    name: 'unread-errors',
    help: 'connections that insert 100 rows with an unknown column into a table of 1,500, 30 times, and read nothing',
    connections: 60,
    tables: ['wide'],
    mayBeCut: true,
    begin: (place) => () => readLate(place, place.port, () => [unknownColumns]),
  },
];

/** So often that it has the length of a body, with the rest around it. */
function filled(start: string, value: string, end: string): Buffer {
  const count = Math.floor((bodyLength - start.length - end.length) / (value.length + 1));
  return Buffer.from(`${start}${Array.from({ length: count }, () => value).join(',')}${end}`);
}

const emptyObjects = filled('{"insertMany":{"documents":[', '{}', ']}}');
const decimals = filled('{"insertOne":{"document":{"id":1,"content":[', '0.1234567', ']}}}');
const commandsAhead = repeated(commandBytes('small', { findOne: { filter: { id: 0 } } }), sentAhead);
/** The most of them that can come at once. */
const headsAhead = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(sentAhead));
const unknownColumns = repeated(
  commandBytes('wide', {
    insertMany: {
      documents: Array.from({ length: rowsOfInsert }, () => ({ u: 1 })),
      options: { ordered: false },
    },
  }),
  insertsAhead,
);

function repeated(request: readonly Uint8Array[], count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => request).flat());
}
