// Requests on rows that have the members of the documents of `bench:documents` as columns.
import { randomUUID } from 'node:crypto';
import { documentText, randomNumber } from './document-requests.js';
import { fillSource, type RequestSettings } from './request-source.js';

/** The tables: one that is read and changed, one that is written. */
export const documentRowTables = { read: 'read_document_rows', write: 'written_document_rows' } as const;

/** Their definition. The address of a document is three columns, and a flag or a note is left out. */
export const documentRowDefinition = {
  columns: {
    ...{ id: 'text', name: 'text', email: 'text', age: 'int', score: 'double', active: 'boolean' },
    ...{ created: 'timestamp', tags: { type: 'list', valueType: 'text' }, street: 'text', city: 'text' },
    ...{ zip: 'text', status: 'text', price: 'double', quantity: 'int', sku: 'text', owner: 'text' },
    ...{ group: 'int', rank: 'int', language: 'text', visits: 'int', text: 'text' },
  },
  primaryKey: 'id',
} as const;

const pathOf = (table: string) => `/v1/default_keyspace/${table}`;

/** The kinds of requests by name. */
export const documentRowRequestKinds = {
  fillDocumentRows: () => fillSource(pathOf(documentRowTables.read), rowText),
  insertDocumentRow: () => ({
    path: pathOf(documentRowTables.write),
    next: () => `{"insertOne":{"document":${rowText(randomNumber(2 ** 31), randomUUID())}}}`,
  }),
  findDocumentRow: ({ rowCount }: RequestSettings) => ({
    path: pathOf(documentRowTables.read),
    next: () => `{"findOne":{"filter":{"id":"document-${randomNumber(rowCount)}"}}}`,
  }),
  changeDocumentRow: ({ rowCount }: RequestSettings) => ({
    path: pathOf(documentRowTables.read),
    next: () => {
      const update = `{"$set":{"visits":${randomNumber(100_000)}}}`;
      return `{"updateOne":{"filter":{"id":"document-${randomNumber(rowCount)}"},"update":${update}}}`;
    },
  }),
};

function rowText(number: number, id?: string): string {
  const { _id, address, created, flag, note, ...members } = JSON.parse(documentText(number, id));
  const row = { id: _id, ...members, ...address, created: new Date(created.$date).toISOString() };
  return JSON.stringify(row);
}
