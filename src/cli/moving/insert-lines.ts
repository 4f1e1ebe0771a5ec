// Inserts lines of an export, and finds the rows that the server refuses.
import {
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonText,
  stringifyJson,
} from '../../foundation/json/json-value.js';
import { type DataError, type DataPort, errorText } from '../data-port.js';
import { elementsOf, readReply } from '../operations-port.js';
import { DataPortProblem } from '../port-problems.js';
import type { Line } from './row-file.js';

/** A table to insert into. */
export interface InsertTarget {
  readonly port: DataPort;
  readonly kind: 'table' | 'collection';
  /** Such as `/shop/orders`. */
  readonly path: string;
  readonly keyColumns: readonly string[];
}

/** A row that the server does not accept. */
export interface Refusal {
  readonly line: Line;
  /** The error of the server, in one line. */
  readonly reason: string;
}

/** Rows of a request. */
export const mostRows = 100;
/** The body of a request has at most 20 MiB; the rest is for the command itself. */
const mostRowBytes = 20 * 1024 * 1024 - 1024;
/** Errors about the whole body that one of its rows can cause. */
const ofOneRow: ReadonlySet<string> = new Set([
  'HTTP_413',
  'REQUEST_NOT_JSON',
  'REQUEST_STRUCTURE_MISMATCH',
  'SHRED_DOC_LIMIT_VIOLATION',
]);

/**
 * Inserts 1 to `mostRows` lines, each the text of a row, and returns those that are refused. To insert a row again
 * changes nothing. A row that is larger than a request is inserted in several parts, each with some of its columns.
 * @throws DataPortProblem if the table, the server or the connection is the reason; Interrupted
 */
export async function insertLines(target: InsertTarget, lines: readonly Line[]): Promise<readonly Refusal[]> {
  const [only] = lines;
  if (target.kind === 'table' && lines.length === 1 && only !== undefined && isTooLarge(only))
    return insertInParts(target, only);
  const rows = lines.map(({ text }) => text).join(',');
  const reply = await target.port.ask(
    target.path,
    `{"insertMany":{"documents":[${rows}],"options":{"returnDocumentResponses":true}}}`,
  );
  const responses = elementsOf(reply.status.get('documentResponses')).filter(isJsonObject);
  if (responses.length === lines.length) {
    const refusals = refusalsIn(target, lines, responses, reply.errors);
    return target.kind === 'table' ? refusals : replaceExisting(target, refusals);
  }
  const [error] = reply.errors;
  if (error === undefined || !ofOneRow.has(error.code)) throw problemOf(target, error);
  if (only !== undefined && lines.length === 1) return [{ line: only, reason: errorText(error) }];
  const middle = Math.ceil(lines.length / 2);
  const first = await insertLines(target, lines.slice(0, middle));
  return [...first, ...(await insertLines(target, lines.slice(middle)))];
}

function isTooLarge({ text }: Line): boolean {
  return Buffer.byteLength(text) > mostRowBytes;
}

function refusalsIn(
  target: InsertTarget,
  lines: readonly Line[],
  responses: readonly JsonObject[],
  errors: readonly DataError[],
): readonly Refusal[] {
  return lines.flatMap((line, at) => {
    const response = responses[at];
    if (response?.get('status') === 'OK') return [];
    const place = response?.get('errorsIdx');
    const error = errors[place instanceof JsonNumber ? Number(place.text) : 0];
    if (error === undefined || error.isOfServer) throw problemOf(target, error);
    return [{ line, reason: errorText(error) }];
  });
}

/** Documents that exist are replaced: an import that continues inserts some again. */
async function replaceExisting(
  { port, path }: InsertTarget,
  refusals: readonly Refusal[],
): Promise<readonly Refusal[]> {
  const left: Refusal[] = [];
  for (const refusal of refusals) {
    const document = refusal.reason.startsWith('DOCUMENT_ALREADY_EXISTS:')
      ? readReply(refusal.line.text)
      : null;
    if (!isJsonObject(document)) {
      left.push(refusal);
      continue;
    }
    const id = stringifyJson(document.get('_id') ?? null);
    const { errors } = await port.ask(
      path,
      `{"findOneAndReplace":{"filter":{"_id":${id}},"replacement":${refusal.line.text},` +
        '"projection":{"*":false},"options":{"upsert":true}}}',
    );
    const [error] = errors;
    if (error?.isOfServer === true) throw problemOf({ path }, error);
    if (error !== undefined) left.push({ line: refusal.line, reason: errorText(error) });
  }
  return left;
}

async function insertInParts(target: InsertTarget, line: Line): Promise<readonly Refusal[]> {
  const row = readReply(line.text);
  if (!isJsonObject(row)) return [{ line, reason: 'the line is not a row' }];
  for (const part of partsOf(row, target.keyColumns)) {
    if (Buffer.byteLength(part) > mostRowBytes)
      return [{ line, reason: `a value is larger than a request: ${mostRowBytes} bytes as JSON` }];
    const { errors } = await target.port.ask(target.path, `{"insertOne":{"document":${part}}}`);
    const [error] = errors;
    if (error === undefined) continue;
    if (error.isOfServer) throw problemOf(target, error);
    return [{ line, reason: errorText(error) }];
  }
  return [];
}

/** Rows with the key and some of the other columns, each as large as a request allows. */
function partsOf(row: JsonObject, keys: readonly string[]): readonly JsonText[] {
  const members = [...row].map(([name, value]) => ({
    isKey: keys.includes(name),
    text: `${JSON.stringify(name)}:${stringifyJson(value)}`,
  }));
  const key = members.filter(({ isKey }) => isKey).map(({ text }) => text);
  const parts: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const { text, isKey } of members) {
    if (isKey) continue;
    const size = Buffer.byteLength(text) + 1;
    if (bytes + size > mostRowBytes) {
      parts.push([...key]);
      bytes = Buffer.byteLength(key.join(',')) + 2;
    }
    parts.at(-1)?.push(text);
    bytes += size;
  }
  return parts.map((part) => `{${part.join(',')}}`);
}

function problemOf({ path }: Pick<InsertTarget, 'path'>, error: DataError | undefined): DataPortProblem {
  const reason = error === undefined ? 'the reply does not say which rows are stored' : errorText(error);
  return new DataPortProblem(`rows cannot be inserted into ${path.slice(1).replace('/', '.')}: ${reason}`);
}
