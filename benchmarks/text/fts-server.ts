// The reference of `bench:text`: a bare HTTP server that answers the same searches from FTS5 in its process.
import { createServer } from 'node:http';
import { FtsIndex } from './fts-index.js';
import { searchLimit } from './text-requests.js';

/** Only the benchmark's own requests come here. */
interface Search {
  readonly find?: {
    readonly sort?: { readonly body: string };
    readonly options: { readonly limit: number };
  };
}

const index = new FtsIndex(process.argv[2] ?? '');
const projectionSchema = { id: { type: 'int' }, body: { type: 'text' } };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    const body = JSON.stringify(text === '' ? { status: 'ready' } : replyTo(JSON.parse(text) as Search));
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    response.writeHead(200, headers);
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`FTS5 on http://127.0.0.1:${address?.port}`);
});

function replyTo({ find }: Search): object {
  const documents = index.search(find?.sort?.body ?? '', find?.options.limit ?? searchLimit);
  return { data: { documents, nextPageState: null }, status: { projectionSchema } };
}
