// New ids for documents.
import type { JsonValue } from '../../foundation/json/json-value.js';

/** How ids are made: `undefined` makes UUIDs as plain strings. */
export type IdKind = 'undefined' | 'uuid' | 'uuidv6' | 'uuidv7' | 'objectId';

/** What new ids are made of. */
export interface IdSource {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** A random UUID. */
  readonly newUuid: () => string;
}

export function newDocumentId(kind: IdKind, source: IdSource): JsonValue {
  switch (kind) {
    case 'undefined':
      return source.newUuid();
    case 'uuid':
      return new Map([['$uuid', source.newUuid()]]);
    case 'uuidv6':
      return new Map([['$uuid', gregorianUuid(source)]]);
    case 'uuidv7': {
      const bytes = bytesOf(source.newUuid());
      bytes.writeUIntBE(source.nowMs(), 0, 6);
      return new Map([['$uuid', uuidText(bytes, 7)]]);
    }
    case 'objectId': {
      const seconds = Buffer.alloc(4);
      seconds.writeUInt32BE(Math.floor(source.nowMs() / 1000) % 2 ** 32);
      return new Map([['$objectId', seconds.toString('hex') + bytesOf(source.newUuid()).toString('hex', 8)]]);
    }
  }
}

/** The time of version 6 is counted in 100 ns since 1582. */
const gregorianOffset = 0x01b21dd213814000n;
const ticksPerMs = 10_000n;

/** The ticks within the millisecond are random. */
function gregorianUuid(source: IdSource): string {
  const bytes = bytesOf(source.newUuid());
  const within = BigInt(bytes.readUInt16BE(0)) % ticksPerMs;
  const time = BigInt(source.nowMs()) * ticksPerMs + within + gregorianOffset;
  bytes.writeUIntBE(Number(time >> 12n), 0, 6);
  bytes.writeUInt16BE(Number(time & 0xfffn), 6);
  return uuidText(bytes, 6);
}

function bytesOf(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** The variant is that of the random UUID. */
function uuidText(bytes: Buffer, version: number): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | (version << 4), 6);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
