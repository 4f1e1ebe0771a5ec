// The documents of a collection that the public Data API server keeps in a cluster, read in pages by native queries.
import { isJsonArray, isJsonObject, JsonNumber, type JsonValue } from '../foundation/json/json-value.js';
import { shortened } from '../foundation/text/shorten-text.js';
import { readReply } from './operations-port.js';

/** The documents of a page at most. A page has one document where more are refused: replies have at most 16 MiB. */
const pageDocuments = 100;

/** What the documents are read and written with. */
export interface DocumentSurroundings {
  /** Runs a statement: the text of its reply, or a message about the problem. */
  readonly query: (statement: string) => Promise<{ readonly text: string } | { readonly problem: string }>;
  /** Resolves when the text may be followed by more. */
  readonly write: (text: string) => Promise<void>;
}

/** A document, and the token of its key as text. */
type PlacedDocument = readonly [document: string, token: string];

/**
 * Writes each document of `KEYSPACE.COLLECTION` as JSON with a line break behind it, in the order of the tokens of
 * their keys. Resolves to a message about the problem; undefined if there was none.
 */
export async function writePublicDocuments(
  collection: string,
  { query, write }: DocumentSurroundings,
): Promise<string | undefined> {
  const at = collection.indexOf('.');
  if (at < 1 || at === collection.length - 1) return `"${collection}" must be KEYSPACE.COLLECTION`;
  const table = [collection.slice(0, at), collection.slice(at + 1)].map(quoted).join('.');
  const select = `SELECT doc_json, token(key) AS place FROM ${table}`;
  const read = async (where: string, limit: number) =>
    documentsIn(await query(`${select}${where} LIMIT ${limit}`));
  for (let where = ''; ; ) {
    let size = pageDocuments;
    let page = await read(where, size);
    if (typeof page === 'string') {
      size = 1;
      page = await read(where, size);
    }
    if (typeof page === 'string') return page;
    const last = page.at(-1)?.[1];
    const isWhole = page.length < size || last === undefined;
    // Keys may have the same token: those of the last one are read together.
    for (const [document, token] of page) if (isWhole || token !== last) await write(`${document}\n`);
    if (isWhole) return undefined;
    const same = await read(` WHERE token(key) = ${last}`, pageDocuments);
    if (typeof same === 'string') return same;
    for (const [document] of same) await write(`${document}\n`);
    where = ` WHERE token(key) > ${last}`;
  }
}

/** The documents of a reply, or a message about the problem. */
function documentsIn(
  reply: { readonly text: string } | { readonly problem: string },
): readonly PlacedDocument[] | string {
  if ('problem' in reply) return reply.problem;
  const body = readReply(reply.text);
  const rows = isJsonObject(body) ? (body.get('rows') ?? null) : null;
  if (!isJsonArray(rows))
    return `the server answered with something else than rows: ${shortened(reply.text, 200)}`;
  const documents: PlacedDocument[] = [];
  for (const row of rows) {
    const document = documentIn(row);
    if (document === undefined)
      return 'a row of the table has no document: it is not one of the public server';
    documents.push(document);
  }
  return documents;
}

function documentIn(row: JsonValue): PlacedDocument | undefined {
  const [document, token] = isJsonArray(row) ? row : [];
  return typeof document === 'string' && token instanceof JsonNumber ? [document, token.text] : undefined;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
