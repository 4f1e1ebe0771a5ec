// A socket with the part of CQL's native protocol that monitoring a Cassandra node, and keeping rows in it, needs.
import { createHash } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import {
  errorBody,
  frame,
  isSpoken,
  opcodes,
  preparedBody,
  queryOf,
  type RequestFrame,
  rowsBody,
  type SimulatedTable,
  statementIdOf,
  supportedBody,
  takeFrames,
  unpreparedBody,
  type Variables,
  voidBody,
} from './cql-frames.js';

/** A node that listens. */
export interface SimulatedNode {
  readonly port: number;
  /** How many queries it has answered. */
  readonly queryCount: number;
  readonly connectionCount: number;
  close(): Promise<void>;
}

const [protocolError, invalid] = [0x0a, 0x2200];

type Tables = (name: string) => SimulatedTable | undefined;

/**
 * May keep a query waiting for its answer; where it resolves with a Buffer, that is the body of an error. What is only
 * to be prepared has `PREPARE ` before its text.
 */
export type Hold = (query: string) => Promise<unknown> | undefined;

/** Listens on an address and port, 0 for any; `tables` gives the table of a name, or undefined where there is none. */
export async function startSimulatedNode(
  place: { readonly address: string; readonly port: number },
  tables: Tables,
  hold: Hold = () => undefined,
): Promise<SimulatedNode> {
  const sockets = new Set<Socket>();
  const answerer = new Answerer(tables);
  const server = createServer((socket) => {
    sockets.add(socket);
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      rest = takeFrames(rest.length === 0 ? bytes : Buffer.concat([rest, bytes]), (request) => {
        const answer = (outcome?: unknown) => {
          const error = Buffer.isBuffer(outcome) ? outcome : undefined;
          socket.write(answerer.answer(request, error));
        };
        const query =
          request.opcode === opcodes.prepare ? `PREPARE ${queryOf(request)}` : answerer.queryToRun(request);
        const held = query === undefined ? undefined : hold(query);
        if (held === undefined) answer();
        else void held.then(answer);
      });
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await listening(server, place);
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    get queryCount() {
      return answerer.queryCount;
    },
    get connectionCount() {
      return sockets.size;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Answers requests; the statements that were prepared live as long as it does. */
class Answerer {
  readonly #tables: Tables;
  readonly #prepared = new Map<string, string>();
  /** Bodies of tables that stay the same. */
  readonly #made = new Map<string, { readonly table: SimulatedTable; readonly body: Buffer }>();
  queryCount = 0;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** The query that a request runs, if it runs one that is known. */
  queryToRun(request: RequestFrame): string | undefined {
    if (request.opcode === opcodes.query) return queryOf(request);
    return request.opcode === opcodes.execute ? this.#prepared.get(statementIdOf(request)) : undefined;
  }

  answer(request: RequestFrame, error: Buffer | undefined): Buffer {
    const { stream, opcode } = request;
    if (error !== undefined) return frame(stream, opcodes.error, error);
    if (!isSpoken(request)) {
      return frame(
        stream,
        opcodes.error,
        errorBody(protocolError, 'Invalid or unsupported protocol version'),
      );
    }
    switch (opcode) {
      case opcodes.options:
        return frame(stream, opcodes.supported, supportedBody);
      case opcodes.prepare: {
        const query = queryOf(request);
        const id = createHash('md5').update(query).digest('hex');
        this.#prepared.set(id, query);
        return frame(stream, opcodes.result, preparedBody(id, variablesOf(query)));
      }
      case opcodes.query:
      case opcodes.execute: {
        const query = this.queryToRun(request);
        if (query === undefined) return frame(stream, opcodes.error, unpreparedBody(statementIdOf(request)));
        return this.#rows(stream, query);
      }
      default:
        return frame(stream, opcodes.ready, Buffer.alloc(0));
    }
  }

  #rows(stream: number, query: string): Buffer {
    this.queryCount += 1;
    const [, columns = '', quotedName = ''] = /^SELECT (.*?) FROM ([\w."]+)/i.exec(query) ?? [];
    if (quotedName === '') return frame(stream, opcodes.result, voidBody);
    const name = quotedName.replaceAll('"', '');
    const table = this.#tables(name);
    if (table === undefined)
      return frame(stream, opcodes.error, errorBody(invalid, `there is no table ${name}`));
    const made = this.#made.get(query);
    if (made?.table === table) return frame(stream, opcodes.result, made.body);
    const meant = ofKeyspaces(table, /WHERE keyspace_name IN \((.*?)\)/.exec(query)?.[1]);
    const body = rowsBody(columns === '*' ? meant : projected(meant, columns));
    if (this.#made.size < mostMade) this.#made.set(query, { table, body });
    return frame(stream, opcodes.result, body);
  }
}

/** Texts of queries; monitoring has some twenty, commands on rows a few for each table. */
const mostMade = 100;

/** The variables in the text of a statement; the partition key is the column `id`. */
function variablesOf(query: string): Variables {
  const count = query.split('?').length - 1;
  if (count === 0) return { count, keyAt: undefined };
  const written = /^INSERT INTO \S+ \((.*?)\)/i.exec(query)?.[1]?.split(', ').indexOf('"id"');
  return { count, keyAt: written === -1 ? undefined : (written ?? 0) };
}

function listening(server: Server, { address, port }: { readonly address: string; readonly port: number }) {
  return new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
}

function projected({ columns, rows }: SimulatedTable, list: string): SimulatedTable {
  const places = list.split(', ').map((name) => columns.findIndex(([column]) => column === name));
  const kept = places.flatMap((at) => columns.slice(at, at + 1));
  return { columns: kept, rows: rows.map((row) => places.map((at) => row[at])) };
}

/** The rows of the keyspaces in a list such as `'a', 'b'`; their names are the first column. */
function ofKeyspaces({ columns, rows }: SimulatedTable, list: string | undefined): SimulatedTable {
  const names = list?.split(', ').map((name) => name.slice(1, -1));
  return {
    columns,
    rows: names === undefined ? rows : rows.filter(([name]) => names.includes(String(name))),
  };
}
