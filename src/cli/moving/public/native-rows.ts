// Reads rows of a cluster by native queries, through the operations port of a server of it.
import type { OutgoingReply } from '../../../foundation/http/send-request.js';
import { isJsonArray, isJsonObject, type JsonArray } from '../../../foundation/json/json-value.js';
import { shortened } from '../../../foundation/text/shorten-text.js';
import { type OperationsPort, readPortReply, readReply, requestTo } from '../../operations-port.js';
import { type Busy, isBusyStatus, openPatientSender, type SenderSurroundings } from '../../patient-sender.js';
import { DataPortProblem } from '../../port-problems.js';

/**
 * Reads the rows of a SELECT, each as the values of its columns. `mostRetries`: a statement that fails is sent
 * again at most so many times, if that is less than for others; a lost connection does not count.
 * @throws QueryRefused; after the last attempt QueryFailed, or ServerUnusable if there was no reply; DataPortProblem,
 * Interrupted
 */
export type ReadNativeRows = (statement: string, mostRetries?: number) => Promise<readonly JsonArray[]>;

/** The server refuses the statement, as for a reply that would be too large. The message is for the user. */
export class QueryRefused extends DataPortProblem {}

/**
 * The server answers that the statement failed (503): its nodes do not answer, or the rows take more than their time.
 * Other statements may succeed. The message is for the user.
 */
export class QueryFailed extends DataPortProblem {}

/** The server answers after 50 s at the latest. */
const timeoutMs = 60_000;
/** A reply has at most 16 MiB of values, which are larger as JSON. */
const maxBodyBytes = 512 * 1024 * 1024;

/** Reads through this port, again while the server is busy or the connection is lost: at most `retries` times. */
export function nativeReader(
  port: OperationsPort,
  retries: number,
  surroundings: SenderSurroundings,
): ReadNativeRows {
  const { url } = port;
  const send = openPatientSender({ url, retries, option: '--from-public' }, surroundings);
  return (query, mostRetries) => {
    const asked = { method: 'POST', path: '/local/cql', body: { query }, timeoutMs, maxBodyBytes } as const;
    const read = (answered: OutgoingReply): readonly JsonArray[] | Busy => {
      const reply = readPortReply(answered, port);
      if ('text' in reply) return rowsIn(reply.text);
      const { problem } = reply;
      const { status } = answered;
      const busy = `the HTTP status ${status}, ${problem}`;
      if (status === 503) return { busy, failure: new QueryFailed(`${url} answers a read with ${busy}`) };
      if (isBusyStatus(status)) return { busy };
      throw status === 400 ? new QueryRefused(problem) : new DataPortProblem(problem);
    };
    return send(requestTo(port, asked), read, { mostRetries });
  };
}

function rowsIn(text: string): readonly JsonArray[] {
  const body = readReply(text);
  const rows = isJsonObject(body) ? (body.get('rows') ?? null) : null;
  if (isJsonArray(rows) && rows.every((row) => isJsonArray(row))) return rows;
  throw new DataPortProblem(`the server answered with something else than rows: ${shortened(text, 200)}`);
}

/** A name as statements write it, whatever its characters. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as statements write it. */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
