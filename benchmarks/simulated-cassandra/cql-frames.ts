// Frames of CQL's native protocol v4 as a server writes them: enough for a driver that reads tables and writes rows.

/** Types of columns. */
export type CqlType =
  | 'text'
  | 'int'
  | 'bigint'
  | 'double'
  | 'boolean'
  | 'uuid'
  | 'inet'
  | 'timestamp'
  | 'set<text>'
  | 'map<text,text>';

/** A table with its rows; null stands for no value. */
export interface SimulatedTable {
  readonly columns: readonly (readonly [name: string, type: CqlType])[];
  readonly rows: readonly (readonly unknown[])[];
}

/** A request as it came. */
export interface RequestFrame {
  readonly version: number;
  readonly stream: number;
  readonly opcode: number;
  readonly body: Buffer;
}

/** The requests that a server distinguishes, and its replies. */
export const opcodes = {
  error: 0,
  startup: 1,
  ready: 2,
  options: 5,
  supported: 6,
  query: 7,
  result: 8,
  prepare: 9,
  execute: 10,
  register: 11,
} as const;

const protocolVersion = 4;
const headerBytes = 9;

/** Takes requests out of the bytes of a connection; gives the bytes that are left over. */
export function takeFrames(bytes: Buffer, onFrame: (frame: RequestFrame) => void): Buffer {
  let at = 0;
  while (bytes.length - at >= headerBytes) {
    const end = at + headerBytes + bytes.readInt32BE(at + 5);
    if (bytes.length < end) break;
    onFrame({
      version: bytes.readUInt8(at) & 0x7f,
      stream: bytes.readInt16BE(at + 2),
      opcode: bytes.readUInt8(at + 4),
      body: bytes.subarray(at + headerBytes, end),
    });
    at = end;
  }
  return bytes.subarray(at);
}

/** A reply to the request of a stream. */
export function frame(stream: number, opcode: number, body: Buffer): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(0x80 | protocolVersion, 0);
  header.writeInt16BE(stream, 2);
  header.writeUInt8(opcode, 4);
  header.writeInt32BE(body.length, 5);
  return Buffer.concat([header, body]);
}

export function errorBody(code: number, message: string): Buffer {
  return Buffer.concat([int(code), shortText(message)]);
}

/** The body of the error that too few replicas are up: one of two for LOCAL_QUORUM. */
export const unavailableBody = Buffer.concat([
  errorBody(0x1000, 'Cannot achieve consistency level LOCAL_QUORUM'),
  Buffer.from([0, 6]),
  int(2),
  int(1),
]);

/** The body of the error by which a node refuses every request while it stops. */
export const stoppingBody = errorBody(0x1001, 'Server is shutting down');

/** The body of SUPPORTED: no options. */
export const supportedBody = Buffer.from([0, 0]);

/** The text of a QUERY. */
export function queryOf({ body }: RequestFrame): string {
  return body.toString('utf8', 4, 4 + body.readInt32BE(0));
}

/** The id of the statement of an EXECUTE. */
export function statementIdOf({ body }: RequestFrame): string {
  return body.toString('hex', 2, 2 + body.readInt16BE(0));
}

/** The variables of a statement: how many, and which of them is the partition key. */
export interface Variables {
  readonly count: number;
  /** Undefined if none is. */
  readonly keyAt: number | undefined;
}

/** The body of a RESULT for PREPARE; variables are blobs, and what its rows look like comes with them. */
export function preparedBody(id: string, { count, keyAt }: Variables): Buffer {
  const keys = keyAt === undefined ? [int(0)] : [int(1), Buffer.from([keyAt >> 8, keyAt & 0xff])];
  const table = [shortText('ks'), shortText('t')];
  const columns = Array.from({ length: count }, (_, at) => [shortText(`v${at}`), blobCode]).flat();
  const unknownColumns = [int(4), int(0)];
  return Buffer.concat([
    ...[int(4), shortBytes(id)],
    ...[int(1), int(count), ...keys, ...table, ...columns],
    ...unknownColumns,
  ]);
}

/** The body of a RESULT without rows. */
export const voidBody: Buffer = Buffer.from([0, 0, 0, 1]);

/** The body of the error that a statement has to be prepared first. */
export function unpreparedBody(id: string): Buffer {
  return Buffer.concat([errorBody(0x2500, 'Prepared query not found'), shortBytes(id)]);
}

/** Whether a frame is of the version that is spoken here. */
export function isSpoken({ version }: RequestFrame): boolean {
  return version === protocolVersion;
}

/** The body of a RESULT with rows; all in one page. */
export function rowsBody({ columns, rows }: SimulatedTable): Buffer {
  const parts = [int(2), int(1), int(columns.length), shortText('system_views'), shortText('t')];
  for (const [name, type] of columns) parts.push(shortText(name), typeCodes[type]);
  parts.push(int(rows.length));
  for (const row of rows) {
    columns.forEach(([, type], at) => {
      const value = row[at];
      if (value === null || value === undefined) parts.push(int(-1));
      else {
        const bytes = encode(type, value);
        parts.push(int(bytes.length), bytes);
      }
    });
  }
  return Buffer.concat(parts);
}

const blobCode = Buffer.from([0, 0x03]);
const typeCodes: Readonly<Record<CqlType, Buffer>> = {
  text: Buffer.from([0, 0x0d]),
  int: Buffer.from([0, 0x09]),
  bigint: Buffer.from([0, 0x02]),
  double: Buffer.from([0, 0x07]),
  boolean: Buffer.from([0, 0x04]),
  uuid: Buffer.from([0, 0x0c]),
  inet: Buffer.from([0, 0x10]),
  timestamp: Buffer.from([0, 0x0b]),
  'set<text>': Buffer.from([0, 0x22, 0, 0x0d]),
  'map<text,text>': Buffer.from([0, 0x21, 0, 0x0d, 0, 0x0d]),
};

function encode(type: CqlType, value: unknown): Buffer {
  switch (type) {
    case 'text':
      return Buffer.from(String(value));
    case 'int':
      return int(Number(value));
    case 'bigint':
    case 'timestamp': {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64BE(BigInt(String(value)));
      return bytes;
    }
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleBE(Number(value));
      return bytes;
    }
    case 'boolean':
      return Buffer.from([value === true ? 1 : 0]);
    case 'uuid':
      return Buffer.from(String(value).replaceAll('-', ''), 'hex');
    case 'inet':
      return Buffer.from(String(value).split('.').map(Number));
    case 'set<text>': {
      const texts = value as readonly string[]; // the tables here hold such lists
      return Buffer.concat([int(texts.length), ...texts.flatMap(element)]);
    }
    case 'map<text,text>': {
      const entries = Object.entries(value as Readonly<Record<string, string>>); // and such objects
      return Buffer.concat([int(entries.length), ...entries.flat().flatMap(element)]);
    }
  }
}

function element(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text);
  return [int(bytes.length), bytes];
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function shortText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function shortBytes(hex: string): Buffer {
  const bytes = Buffer.from(hex, 'hex');
  const length = Buffer.alloc(2);
  length.writeInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
