// Collections of the public Data API server as the source of an import, read by native queries.
import { createHash } from 'node:crypto';
import {
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  stringifyJson,
} from '../../../foundation/json/json-value.js';
import { readReply } from '../../operations-port.js';
import { DataPortProblem } from '../../port-problems.js';
import type { InsertedRows } from '../import-progress.js';
import type { MoveReport } from '../move-report.js';
import type { MovedTable } from '../moved-table.js';
import type { Line } from '../row-file.js';
import type { RowSource } from '../row-source.js';
import { documentInOneForm } from './document-form.js';
import { QueryFailed, QueryRefused, quotedName, type ReadNativeRows } from './native-rows.js';
import { readPublicCollections } from './public-definitions.js';

/** Where the collections are. */
export interface PublicCollections {
  readonly read: ReadNativeRows;
  readonly keyspace: string;
  /** Undefined for all collections. */
  readonly names: readonly string[] | undefined;
}

/** The documents of a page at most. A reply has at most 16 MiB, so a page has fewer where documents are large. */
const pageDocuments = 100;
/** How often a page that could be smaller is asked for again where its read failed. */
const pageRetries = 2;

/**
 * The collections of a keyspace. Their documents are read in the order of the tokens of their keys, so that any server
 * of the cluster can continue behind one.
 * @throws DataPortProblem if one of the names is missing, Interrupted
 */
export async function publicSource(
  { read, keyspace, names }: PublicCollections,
  report: Pick<MoveReport, 'line'>,
): Promise<RowSource> {
  const tables = await readPublicCollections(read, keyspace, names);
  const idOf = (table: MovedTable) => tables.find(({ name }) => name === table.name)?.tableId ?? '';
  return {
    ...{ title: 'the source', keyspace, tables, isPaged: true },
    hash: createHash('sha256').update(`collections of the public server in ${keyspace}`).digest('hex'),
    writerOf: () => documentInOneForm,
    rowsOf: () => undefined,
    isContinuable: async (table, { place }) => {
      if (typeof place?.pageState !== 'string') return false;
      if (place.pageState.startsWith(`${idOf(table)} `)) return true;
      report.line(`${table.name}: the table was made again since the import began; it starts again`);
      return false;
    },
    check: async () => {},
    isDone: (_, { place }) => place?.isDone === true,
    lines: (table, done) => linesOf(read, keyspace, { name: table.name, tableId: idOf(table) }, done),
    placeOf: (table, { text }) => `${table.name}: the document ${idText(text)}`,
  };
}

/** The lines of a page each; the last one has the place behind it: the id of the table and the token of the key. */
async function* linesOf(
  read: ReadNativeRows,
  keyspace: string,
  { name, tableId }: { readonly name: string; readonly tableId: string },
  { lines, place }: InsertedRows,
): AsyncGenerator<readonly Line[]> {
  const table = `${quotedName(keyspace)}.${quotedName(name)}`;
  let number = lines;
  for await (const { documents, token } of pagesOf(read, table, place?.pageState?.split(' ')[1])) {
    const last = documents.length - 1;
    const behind = { pageState: `${tableId} ${token}`, isDone: false };
    const first = number + 1;
    yield documents.map((document, at) => {
      const line = { number: first + at, text: documentInOneForm(document) };
      return at === last ? { ...line, place: behind } : line;
    });
    number += documents.length;
  }
}

/** Documents, at least one, and the token of the key of the last one. */
interface Page {
  readonly documents: readonly JsonObject[];
  readonly token: string;
}

/**
 * The pages behind a token; undefined for all. Several keys can have the token of the last row of a page, so its rows
 * are left to the next page, which begins with them.
 */
async function* pagesOf(read: ReadNativeRows, table: string, from: string | undefined): AsyncGenerator<Page> {
  const select = async (where: string, limit: number, retries?: number) => {
    const statement = `SELECT doc_json, token(key) AS place FROM ${table}${where} LIMIT ${limit}`;
    return (await read(statement, retries)).map(placedDocument);
  };
  let [behind, size] = [from, pageDocuments];
  for (;;) {
    const where = behind === undefined ? '' : ` WHERE token(key) > ${behind}`;
    const rows = await select(where, size, size > 1 ? pageRetries : undefined).catch((error: unknown) => {
      // The reply may be too large, or the read may take too long.
      const isOfSize = error instanceof QueryRefused || error instanceof QueryFailed;
      if (!isOfSize || size === 1) throw error;
      return undefined;
    });
    if (rows === undefined) {
      size = Math.ceil(size / 10);
      continue;
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    if (rows.length < size) {
      yield pageOf(rows, last.token);
      return;
    }
    const earlier = rows.filter(({ token }) => token !== last.token);
    const whole = earlier.at(-1);
    behind = whole?.token ?? last.token;
    yield pageOf(whole === undefined ? await keysOf(last.token) : earlier, behind);
    // A few large documents need not make all later pages small.
    size = Math.min(pageDocuments, size + 1);
  }

  /** All rows of a token; a page has no other row. */
  async function keysOf(token: string): Promise<readonly PlacedDocument[]> {
    const same = await select(` WHERE token(key) = ${token}`, pageDocuments);
    if (same.length < pageDocuments) return same;
    throw new DataPortProblem(`${table} has too many keys with the token ${token}: ${pageDocuments} or more`);
  }
}

interface PlacedDocument {
  readonly document: JsonObject;
  readonly token: string;
}

function pageOf(rows: readonly PlacedDocument[], token: string): Page {
  return { documents: rows.map(({ document }) => document), token };
}

function placedDocument(row: readonly (JsonValue | undefined)[]): PlacedDocument {
  const [text, token] = row;
  const document = typeof text === 'string' ? readReply(text) : null;
  if (document === null || !isJsonObject(document) || !(token instanceof JsonNumber))
    throw new DataPortProblem('a row of the table has no document: it is not one of the public server');
  return { document, token: token.text };
}

function idText(document: string): string {
  const read = readReply(document);
  return isJsonObject(read) ? stringifyJson(read.get('_id') ?? null) : document;
}
