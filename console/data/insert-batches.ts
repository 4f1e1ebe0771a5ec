// Inserts many rows or documents, in batches within the limits of the service, and collects what is refused.
import { KnownKeys } from '../../src/files/known-keys.js';
import type { FileRow } from '../../src/files/write-row.js';
import { isList, isObject, type Json, memberAt, plainText, toCount, writeJson } from '../json/exact-json.js';
import { RequestFailure, sendRequest } from '../net/send-request.js';
import { errorsIn, pathOf, type Target } from './command.js';

/** A row or document to insert. */
export interface NewRow extends FileRow {
  /** Whether the id was made of the content: one that exists is then this very document. */
  readonly hasMadeId: boolean;
  /** The text in the file, to be saved where it is refused; undefined for text that is not a row. */
  readonly original: () => string | undefined;
}

/** What was not inserted. */
export interface RefusedRow {
  /** The number of the line, which counts from 1. */
  readonly line: number;
  readonly reason: string;
  readonly original: string | undefined;
  /** Whether the reason is that a document with its id exists. */
  readonly exists: boolean;
}

/** The numbers of rows that were inserted, known or refused so far. */
export interface InsertCounts {
  /** Rows that are done, from the first one on: a run that continues begins behind them. */
  readonly done: number;
  readonly inserted: number;
  /** The inserted rows of a table that replaced other rows of the file with the same primary key. */
  readonly replaced: number;
  /** Documents that were there already, with the same content. */
  readonly known: number;
  readonly refused: number;
}

/** The counts before the first row is done. */
export const noneDone: InsertCounts = { done: 0, inserted: 0, replaced: 0, known: 0, refused: 0 };

/** The number of rows that the service accepts in one request. */
const mostRows = 100;
/** A request has at most 20 MiB, and a character at most 3 bytes. */
const mostCharacters = 4 * 1024 * 1024;

/** The rows that were sent, for a run that continues. */
export class SentRows {
  /** The primary keys of the rows of a table that are inserted, as the service writes them. */
  readonly keys = new KnownKeys();
  /** The number of rows that were sent, from the first one on: the last of them perhaps without a reply. */
  count = 0;
}

/** How to insert. */
export interface InsertRun {
  readonly target: Target;
  /** What is done already. */
  readonly begin: InsertCounts;
  /** What was sent already; the run adds to it. */
  readonly past: SentRows;
  readonly onRefused: (row: RefusedRow) => void;
  /** The run calls this function after each batch. */
  readonly onCounts: (counts: InsertCounts) => void;
  readonly signal: AbortSignal;
}

/**
 * Inserts the rows, without those that are done. @throws RequestFailure where the server or the connection is the
 * reason, or the reason of `signal`; a run with the last counts then continues. FileProblem of the rows.
 */
export async function insertRows(groups: AsyncIterable<readonly NewRow[]>, run: InsertRun): Promise<void> {
  let counts = run.begin;
  let toSkip = counts.done;
  let batch: NewRow[] = [];
  let characters = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    const isSentAgain = counts.done < run.past.count;
    run.past.count = counts.done + batch.length;
    const outcome = await insertBatch(run, batch, isSentAgain);
    for (const row of outcome.refused) run.onRefused(row);
    const { known } = outcome;
    // A batch that fails is sent again as a whole, so its keys count only when all of it is done.
    const replaced = outcome.keys.filter((key) => run.past.keys.add(key)).length;
    counts = {
      done: counts.done + batch.length,
      inserted: counts.inserted + batch.length - known - outcome.refused.length,
      replaced: counts.replaced + replaced,
      known: counts.known + known,
      refused: counts.refused + outcome.refused.length,
    };
    batch = [];
    characters = 0;
    run.onCounts(counts);
  };
  for await (const group of groups)
    for (const row of group) {
      if (toSkip > 0) {
        toSkip -= 1;
        continue;
      }
      if (batch.length === mostRows || characters + row.text.length > mostCharacters) await flush();
      batch.push(row);
      characters += row.text.length;
    }
  await flush();
}

interface BatchOutcome {
  /** The primary keys of the rows of a table that are inserted. */
  readonly keys: readonly string[];
  readonly known: number;
  readonly refused: readonly RefusedRow[];
}

const nothingSent: BatchOutcome = { keys: [], known: 0, refused: [] };

/** A batch that was sent before without a reply is perhaps stored already. */
async function insertBatch(
  run: InsertRun,
  batch: readonly NewRow[],
  isSentAgain: boolean,
): Promise<BatchOutcome> {
  run.signal.throwIfAborted();
  const wrong = batch.flatMap((row) => (row.problem === undefined ? [] : [refusedRow(row, row.problem)]));
  const good = batch.filter(({ problem }) => problem === undefined);
  const sent = good.length === 0 ? nothingSent : await send(run, good);
  const refused = isSentAgain ? sent.refused.map(perhapsStored) : sent.refused;
  return { ...sent, refused: [...wrong, ...refused].sort((left, right) => left.line - right.line) };
}

/** Errors about the whole body that one of its rows can cause. */
const ofOneRow: ReadonlySet<string> = new Set([
  'REQUEST_NOT_JSON',
  'REQUEST_STRUCTURE_MISMATCH',
  'SHRED_DOC_LIMIT_VIOLATION',
]);

async function send(run: InsertRun, rows: readonly NewRow[]): Promise<BatchOutcome> {
  const documents = rows.map(({ text }) => text).join(',');
  const bodyText = `{"insertMany":{"documents":[${documents}],"options":{"returnDocumentResponses":true}}}`;
  let reply: Json;
  try {
    reply = await sendRequest(`data/${pathOf(run.target)}`, { method: 'POST', bodyText, signal: run.signal });
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.status !== 413) throw error;
    return sendHalves(run, rows, error.message);
  }
  const responses = memberAt(reply, 'status', 'documentResponses');
  if (isList(responses) && responses.length === rows.length) return outcomeOf(reply, rows, responses);
  const [first] = errorsIn(reply);
  const message = first?.message ?? 'The reply does not say what was inserted.';
  if (first !== undefined && ofOneRow.has(first.code)) return sendHalves(run, rows, message);
  throw new RequestFailure(200, first?.code ?? 'Incomplete', message);
}

/** Sends the rows in halves, until the row that is the reason is found. */
async function sendHalves(run: InsertRun, rows: readonly NewRow[], reason: string): Promise<BatchOutcome> {
  const [only] = rows;
  if (only !== undefined && rows.length === 1) return { ...nothingSent, refused: [refusedRow(only, reason)] };
  const middle = Math.ceil(rows.length / 2);
  const first = await send(run, rows.slice(0, middle));
  const second = await send(run, rows.slice(middle));
  return {
    keys: [...first.keys, ...second.keys],
    known: first.known + second.known,
    refused: [...first.refused, ...second.refused],
  };
}

function outcomeOf(reply: Json, rows: readonly NewRow[], responses: readonly Json[]): BatchOutcome {
  const errors = memberAt(reply, 'errors');
  const list = isList(errors) ? errors : [];
  const refused: RefusedRow[] = [];
  const keys: string[] = [];
  let known = 0;
  for (const [at, row] of rows.entries()) {
    const response = responses[at];
    if (plainText(memberAt(response, 'status')) === 'OK') {
      // The keys of rows are lists. A document with the id of another one is refused.
      const key = memberAt(response, '_id');
      if (isList(key)) keys.push(writeJson(key));
      continue;
    }
    const error = list[toCount(memberAt(response, 'errorsIdx')) ?? 0];
    const code = plainText(memberAt(error, 'errorCode'));
    const message = isObject(error) ? plainText(error['message']) : 'The reply does not say why.';
    // The rest of the rows would fail for the same reason.
    if (plainText(memberAt(error, 'family')) === 'SERVER') throw new RequestFailure(200, code, message);
    if (code === 'DOCUMENT_ALREADY_EXISTS' && row.hasMadeId) known += 1;
    else refused.push(refusedRow(row, message.replace(/\s+/g, ' '), code === 'DOCUMENT_ALREADY_EXISTS'));
  }
  return { keys, known, refused };
}

function refusedRow(row: NewRow, reason: string, exists = false): RefusedRow {
  return { line: row.number, reason, original: row.original(), exists };
}

function perhapsStored(row: RefusedRow): RefusedRow {
  if (!row.exists) return row;
  const why = 'This document is perhaps that one: it was sent before, and the reply did not arrive.';
  return { ...row, reason: `${row.reason} ${why}` };
}
