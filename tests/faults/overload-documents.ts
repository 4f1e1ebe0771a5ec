// Attacks on collections: filters that no entry serves, sorts, changes of everything, and large documents.
import type { Attack, AttackPlace } from './overload-attack.js';
import type { Outcome } from './overload-client.js';
import { commandBytes } from './overload-reads.js';
import { documentCount, type OverloadTable } from './overload-tables.js';

export const documentAttacks: readonly Attack[] = [
  {
    name: 'compare-documents',
    help: 'filters that are compared with all documents, and counts of them',
    connections: 40,
    tables: ['documents'],
    begin: (place) => {
      const filter = { $and: [{ n: { $ne: -1 } }, { tags: { $nin: [0, 1, 2] } }], name: { $lt: 'a' } };
      return repeated(place, 'documents', [
        { find: { filter } },
        { countDocuments: { filter: { n: { $ne: -1 } } } },
      ]);
    },
  },
  {
    name: 'sort-documents',
    help: 'sorts of all documents in memory',
    connections: 30,
    tables: ['documents'],
    begin: (place) => repeated(place, 'documents', [{ find: { sort: { name: -1, 'place.at.0': 1 } } }]),
  },
  {
    name: 'change-documents',
    help: 'updates of fifty documents, twenty deleted and a hundred inserted, again and again',
    connections: 30,
    tables: ['documents'],
    begin: (place) => {
      const documents = Array.from({ length: 100 }, (_, at) => ({ n: at, writer: place.connection }));
      return repeated(place, 'documents', [
        {
          updateMany: { filter: { n: place.connection }, update: { $inc: { count: 1 }, $push: { log: 1 } } },
        },
        { insertMany: { documents } },
        { deleteMany: { filter: { writer: place.connection } } },
        { deleteMany: { filter: { writer: place.connection } } },
      ]);
    },
  },
  {
    name: 'increment-large-documents',
    help: '$inc in documents of 3.9 MB',
    connections: 30,
    tables: ['largeDocuments'],
    begin: (place) =>
      repeated(place, 'largeDocuments', [
        { updateOne: { filter: { _id: place.connection % 4 }, update: { $inc: { n: 1 } } } },
      ]),
  },
  {
    name: 'grow-documents',
    help: '$push of hundreds of elements until a document is full, and $set far behind the end of an array',
    connections: 20,
    tables: ['documents'],
    begin: (place) => {
      const filter = { _id: `grown ${place.connection}` };
      const options = { upsert: true };
      const $each = Array.from({ length: 300 }, (_, at) => `element ${at}`);
      return repeated(place, 'documents', [
        { updateOne: { filter, update: { $push: { grown: { $each } } }, options } },
        { updateOne: { filter, update: { $set: { 'grown.99999999': 1 } } } },
        { updateOne: { filter, update: { $unset: { grown: 1 } } } },
      ]);
    },
  },
  {
    name: 'read-documents',
    help: 'pages and single documents by values at any path',
    connections: 60,
    tables: ['documents'],
    begin: (place) => {
      const id = place.connection % documentCount;
      return repeated(place, 'documents', [
        { find: { filter: { 'place.city': `city ${id % 50}`, n: { $gte: 10 } } } },
        { findOne: { filter: { 'place.at': id } } },
        { find: { filter: { tags: { $size: 2 } }, options: { limit: 200 } } },
      ]);
    },
  },
];

/** Sends the commands in turn. */
function repeated(
  place: AttackPlace,
  table: OverloadTable,
  commands: readonly object[],
): () => Promise<readonly Outcome[]> {
  const requests = commands.map((command) => commandBytes(table, command));
  let turn = place.connection;
  return async () => {
    turn += 1;
    return [await place.exchange(...(requests[turn % requests.length] ?? []))];
  };
}
