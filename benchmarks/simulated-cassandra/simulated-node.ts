// A socket that speaks as much of CQL's native protocol as a watcher of a Cassandra node wants to hear.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import {
  errorBody,
  frame,
  isSpoken,
  opcodes,
  queryOf,
  type RequestFrame,
  rowsBody,
  type SimulatedTable,
  supportedBody,
  takeFrames,
} from './cql-frames.js';

/** A node that listens. */
export interface SimulatedNode {
  readonly port: number;
  /** How many queries it has answered. */
  readonly queryCount: number;
  close(): Promise<void>;
}

const [protocolError, invalid] = [0x0a, 0x2200];

/** Listens on an address and port, 0 for any; `tables` gives the table of a name, or undefined where there is none. */
export async function startSimulatedNode(
  place: { readonly address: string; readonly port: number },
  tables: (name: string) => SimulatedTable | undefined,
): Promise<SimulatedNode> {
  const sockets = new Set<Socket>();
  let queryCount = 0;
  const answer = (request: RequestFrame): Buffer => {
    const { stream, opcode } = request;
    if (!isSpoken(request)) {
      return frame(
        stream,
        opcodes.error,
        errorBody(protocolError, 'Invalid or unsupported protocol version'),
      );
    }
    if (opcode === opcodes.options) return frame(stream, opcodes.supported, supportedBody);
    if (opcode !== opcodes.query) return frame(stream, opcodes.ready, Buffer.alloc(0));
    queryCount += 1;
    const [, columns = '', name = ''] = /^SELECT (.*?) FROM ([\w.]+)/i.exec(queryOf(request)) ?? [];
    const table = tables(name);
    if (table === undefined)
      return frame(stream, opcodes.error, errorBody(invalid, `there is no table ${name}`));
    return frame(stream, opcodes.result, rowsBody(columns === '*' ? table : projected(table, columns)));
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      rest = takeFrames(rest.length === 0 ? bytes : Buffer.concat([rest, bytes]), (request) => {
        socket.write(answer(request));
      });
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await listening(server, place);
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    get queryCount() {
      return queryCount;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
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
