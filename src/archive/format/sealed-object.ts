// Objects of an archive with a body: one line of JSON, which describes the body and has its checksum, then the body.
import { createHash } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { memoryOutside } from '../../foundation/memory-outside.js';
import { ArchiveDamaged } from './archive-damaged.js';
import { type ArchivedKind, archiveFormat, Members } from './members.js';

/** The longest line and the longest body before it is compressed, in bytes: more is damage. */
const mostLineBytes = 64 * 1024;
const mostRawBytes = 16 * 1024 * 1024;

/**
 * A page takes a fifth to a half of the time of Deflate at level 1, and becomes smaller (decision 0217). Pieces are
 * made beside the requests of a server, so they get the quality that takes less time, for a tenth more bytes. The
 * window of 256 KiB takes less memory and time than the usual one of 4 MiB, for a twentieth more bytes.
 */
const qualities: Partial<Record<ArchivedKind, number>> = { piece: 0 };
const usualQuality = 1;
const windowBits = 18;

/** The SHA-256 of bytes, in hexadecimal digits. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** An object that was made. */
export interface SealedObject {
  readonly bytes: Buffer;
  /** The SHA-256 of its line, which has that of its body. */
  readonly sha256: string;
}

/** Makes an object. `raw`: the body before it is compressed. */
export function sealObject(kind: ArchivedKind, description: object, raw: Uint8Array): SealedObject {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: qualities[kind] ?? usualQuality,
    [constants.BROTLI_PARAM_LGWIN]: windowBits,
  };
  // With room for everything at once, nothing is copied. What cannot be compressed becomes a little longer.
  const body = brotliCompressSync(raw, { params, chunkSize: raw.length + (raw.length >> 6) + 1_024 });
  const line = { format: archiveFormat, kind, ...description, rawBytes: raw.length, sha256: sha256Of(body) };
  const head = Buffer.from(`${JSON.stringify(line)}\n`);
  const bytes = Buffer.concat([head, body]);
  memoryOutside.release(body, body.length); // the system gives memory when it is written
  return { bytes, sha256: sha256Of(head) };
}

/** An object that was read and whose body has its checksum. */
export interface OpenedObject {
  readonly members: Members;
  /** The body, not compressed. */
  readonly raw: Buffer;
  /** The SHA-256 of its line, which has that of its body. */
  readonly sha256: string;
}

/** Reads an object. `name`: for messages. @throws ArchiveDamaged */
export function openObject(kind: ArchivedKind, name: string, bytes: Buffer): OpenedObject {
  const { members, sha256, bytes: lineBytes } = readLine(kind, name, bytes);
  const body = bytes.subarray(lineBytes);
  if (sha256Of(body) !== members.sha256('sha256'))
    throw new ArchiveDamaged(name, 'is damaged: its content does not have its checksum');
  const rawBytes = members.integer('rawBytes');
  if (rawBytes > mostRawBytes) throw new ArchiveDamaged(name, `is damaged: it has ${rawBytes} bytes`);
  return { members, raw: decompressed(name, body, rawBytes), sha256 };
}

/** The line of an object. */
export interface ReadLine {
  readonly members: Members;
  readonly sha256: string;
  /** Its length, with the end of the line. */
  readonly bytes: number;
}

/**
 * Reads the line of an object whatever its body is. Only another object that names its SHA-256 proves that it is not
 * damaged. @throws ArchiveDamaged
 */
export function readLine(kind: ArchivedKind, name: string, bytes: Buffer): ReadLine {
  const end = bytes.subarray(0, mostLineBytes).indexOf('\n');
  if (end < 0) throw new ArchiveDamaged(name, 'is damaged: it has no description');
  const members = new Members(name, parseLine(name, bytes.subarray(0, end).toString())).expectKind(kind);
  return { members, sha256: sha256Of(bytes.subarray(0, end + 1)), bytes: end + 1 };
}

/** Makes an object without a body, which is only described. */
export function describeObject(kind: ArchivedKind, description: object, format = archiveFormat): Buffer {
  return Buffer.from(`${JSON.stringify({ format, kind, ...description }, undefined, 2)}\n`);
}

/** Reads an object without a body. @throws ArchiveDamaged */
export function readDescription(kind: ArchivedKind, name: string, bytes: Buffer): Members {
  return new Members(name, parseLine(name, bytes.toString('utf8'))).expectKind(kind);
}

function parseLine(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ArchiveDamaged(name, 'is damaged: its description is not JSON', { cause: error });
  }
}

function decompressed(name: string, body: Buffer, rawBytes: number): Buffer {
  let raw: Buffer;
  try {
    // With room for everything at once, nothing is copied.
    raw = brotliDecompressSync(body, { chunkSize: rawBytes + 64, maxOutputLength: rawBytes + 1 });
  } catch (error) {
    throw new ArchiveDamaged(name, 'is damaged: its content cannot be decompressed', { cause: error });
  }
  if (raw.length !== rawBytes)
    throw new ArchiveDamaged(name, 'is damaged: its content does not have the bytes that it describes');
  return raw;
}
