// What Node can do at best: parses the same requests and answers with the same bytes, and stores nothing.
import { createServer } from 'node:http';
import { documentText } from './document-requests.js';
import { queryTable, randomQueryRow, rowsPerQuery } from './query-requests.js';
import { randomRow } from './requests.js';

const columns = ['id', 'name', 'age', 'score', 'active', 'created'] as const;
const types = {
  id: 'text',
  name: 'text',
  age: 'int',
  score: 'double',
  active: 'boolean',
  created: 'timestamp',
};
const primaryKeySchema = { id: { type: 'text' } };
const projectionSchema = Object.fromEntries(columns.map((name) => [name, { type: types[name] }]));
const row = randomRow('row-0');
const page = Array.from({ length: 50 }, (_, index) => randomRow(`row-${index}`));

const document: unknown = JSON.parse(documentText(1));
const places = Array.from({ length: rowsPerQuery }, (_, index) => randomQueryRow(`row-${index}`));
const placeSchema = Object.fromEntries(
  Object.entries(queryTable.definition.columns).map(([name, type]) => [name, { type }]),
);

/** The members of a command that a reply depends on. */
interface Command {
  readonly insertOne?: { readonly document: { readonly id: string; readonly _id?: string } };
  readonly insertMany?: { readonly documents: readonly { readonly id: string }[] };
  readonly findOne?: { readonly filter: { readonly id?: string } };
  readonly findOneAndUpdate?: object;
  readonly find?: { readonly options?: { readonly limit?: number } };
}

function replyTo(command: Command): unknown {
  const { insertOne, insertMany, findOne, findOneAndUpdate, find } = command;
  if (insertOne?.document._id !== undefined) return { status: { insertedIds: [insertOne.document._id] } };
  if (findOneAndUpdate !== undefined)
    return { data: { document }, status: { matchedCount: 1, modifiedCount: 1 } };
  if (findOne !== undefined && findOne.filter.id === undefined) return { data: { document } };
  if (insertOne !== undefined)
    return { status: { primaryKeySchema, insertedIds: [[insertOne.document.id]] } };
  if (insertMany !== undefined) {
    return { status: { primaryKeySchema, insertedIds: insertMany.documents.map(({ id }) => [id]) } };
  }
  if (findOne !== undefined) {
    return { data: { document: { ...row, id: findOne.filter.id } }, status: { projectionSchema } };
  }
  if (find?.options?.limit !== undefined)
    return { data: { documents: places, nextPageState: null }, status: { projectionSchema: placeSchema } };
  if (find !== undefined)
    return { data: { documents: page, nextPageState: 'AAAA' }, status: { projectionSchema } };
  return { status: { ok: 1 } };
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    // Only the benchmarks' own requests come here.
    const reply = text === '' ? { status: 'ready' } : replyTo(JSON.parse(text) as Command);
    const body = JSON.stringify(reply);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`reference on http://127.0.0.1:${address?.port}`);
});
