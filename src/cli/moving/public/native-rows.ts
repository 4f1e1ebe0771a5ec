// Reads rows of a cluster by native queries, through the operations port of a server of it.
import { isJsonArray, isJsonObject, type JsonArray } from '../../../foundation/json/json-value.js';
import { shortened } from '../../../foundation/text/shorten-text.js';
import { type ClientSurroundings, DataPortProblem, Interrupted, ServerUnusable } from '../../data-port.js';
import { askPort, type OperationsPort, readReply } from '../../operations-port.js';

/** Reads the rows of a SELECT, each as the values of its columns. @throws DataPortProblem, Interrupted */
export type ReadNativeRows = (statement: string) => Promise<readonly JsonArray[]>;

/** The server answers after 50 s at the latest. */
const timeoutMs = 60_000;
/** A reply has at most 16 MiB of values, which are larger as JSON. */
const maxBodyBytes = 512 * 1024 * 1024;

/** Reads through this port. A server that does not answer is a ServerUnusable: the next table would fail, too. */
export function nativeReader(
  port: OperationsPort,
  { sendRequest }: Pick<ClientSurroundings, 'sendRequest'>,
  interrupted: AbortSignal,
): ReadNativeRows {
  return async (query) => {
    const asked = { method: 'POST', path: '/local/cql', body: { query }, option: '--from-public' } as const;
    const limits = { timeoutMs, maxBodyBytes, signal: interrupted };
    const reply = await askPort({ ...asked, ...limits }, port, sendRequest);
    if (interrupted.aborted) throw new Interrupted('interrupted');
    if ('problem' in reply)
      throw reply.isAnswered ? new DataPortProblem(reply.problem) : new ServerUnusable(reply.problem);
    const body = readReply(reply.text);
    const rows = isJsonObject(body) ? (body.get('rows') ?? null) : null;
    if (!isJsonArray(rows) || !rows.every((row) => isJsonArray(row)))
      throw new DataPortProblem(
        `the server answered with something else than rows: ${shortened(reply.text, 200)}`,
      );
    return rows;
  };
}

/** A name as statements write it, whatever its characters. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as statements write it. */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
