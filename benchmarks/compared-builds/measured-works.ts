// What `bench:ab` compares: requests to tables, documents, vectors and texts, and what they need first.
import { sendCommand } from '../bench-servers.js';
import { documentCollections } from '../document-requests.js';
import { queryTable } from '../query-requests.js';
import type { RequestKind } from '../request-kinds.js';
import { rowsPerInsertMany } from '../request-source.js';
import { benchmarkTable } from '../requests.js';
import { wordCollection } from '../text/word-requests.js';

/** One line of the comparison: a load of one kind of requests. */
export interface MeasuredWork {
  readonly name: string;
  readonly request: RequestKind;
  readonly connections: number;
  /** Rows or documents in a request; 1 if absent. */
  readonly rows?: number;
}

/** Works on the same data. */
export interface WorkArea {
  readonly name: string;
  /** Creates what is filled; an older build that refuses it has none of these works. */
  readonly create: (port: number) => Promise<void>;
  /** Kinds of requests that fill it with the number of rows that a run has. */
  readonly fills: readonly RequestKind[];
  readonly works: readonly MeasuredWork[];
}

const keyspace = '/v1/default_keyspace';

/** All but vectors, whose load is measured itself. */
export const workAreas: readonly WorkArea[] = [
  {
    name: 'rows',
    create: createTables,
    fills: ['fill', 'fillPlaces'],
    works: [
      { name: 'insertOne, 64 connections', request: 'insertOne', connections: 64 },
      { name: 'insertOne, one connection', request: 'insertOne', connections: 1 },
      { name: 'findOne by key, 64 connections', request: 'findOne', connections: 64 },
      { name: 'findOne by key, one connection', request: 'findOne', connections: 1 },
      { name: 'page of 20 by an index, 64 connections', request: 'equality', connections: 64 },
      {
        name: 'insertMany of 100, 16 connections',
        request: 'insertMany',
        connections: 16,
        rows: rowsPerInsertMany,
      },
    ],
  },
  {
    name: 'documents',
    create: createCollections,
    fills: ['fillDocuments'],
    works: [
      { name: 'insertOne of a document, 64 connections', request: 'insertDocument', connections: 64 },
      { name: 'document by _id, 64 connections', request: 'findDocumentById', connections: 64 },
      { name: 'document by a path, 64 connections', request: 'findDocumentByPath', connections: 64 },
      { name: '$inc of a document, 64 connections', request: 'incrementDocument', connections: 64 },
    ],
  },
  {
    name: 'words',
    create: (port) => sendCommand(port, keyspace, { createCollection: wordCollection }),
    fills: ['fillWords'],
    works: [
      { name: 'ten best of two frequent words, 16 connections', request: 'searchWords', connections: 16 },
      { name: 'ten best of a rare word, 16 connections', request: 'searchRareWord', connections: 16 },
    ],
  },
];

/** Searches of the vectors that the bulk load stored. */
export const vectorSearches: readonly MeasuredWork[] = [
  { name: 'vector search, one connection', request: 'searchVectors', connections: 1 },
  { name: 'vector search, 16 connections', request: 'searchVectors', connections: 16 },
];

async function createTables(port: number): Promise<void> {
  const { readTable, writeTable, definition } = benchmarkTable;
  for (const name of [readTable, writeTable])
    await sendCommand(port, keyspace, { createTable: { name, definition } });
  const { readTable: places, definition: columns, indexedColumns } = queryTable;
  await sendCommand(port, keyspace, { createTable: { name: places, definition: columns } });
  for (const column of indexedColumns) {
    const createIndex = { name: `${places}_${column}`, definition: { column } };
    await sendCommand(port, `${keyspace}/${places}`, { createIndex });
  }
}

async function createCollections(port: number): Promise<void> {
  for (const name of Object.values(documentCollections)) {
    const options = { lexical: { enabled: false } };
    await sendCommand(port, keyspace, { createCollection: { name, options } });
  }
}
