// The kinds of failures of a database file, and the translation of the driver's errors.
import type { ErrorForm } from '../threads/crossing-error.js';

/**
 * `full`: no room for another page (disk, quota or page limit). `io`: the operating system refused to read, write or
 * open.
 * `busy`: another connection holds the lock. `corrupt`: the file is damaged or not a database. `readOnly`: the file was
 * opened or mounted read-only. `schema`: no such table or column, or one that exists already. `constraint`: a UNIQUE,
 * NOT NULL, CHECK or foreign key constraint was violated. `tooBig`: a value or statement exceeds SQLite's limits.
 * `other`: everything else, for instance a syntax error.
 */
export type DatabaseFailureKind =
  | 'full'
  | 'io'
  | 'busy'
  | 'corrupt'
  | 'readOnly'
  | 'schema'
  | 'constraint'
  | 'tooBig'
  | 'other';

/**
 * A statement, or the opening of a file, failed. `cause` is the driver's error; the message may name internal tables.
 */
export class DatabaseFailure extends Error {
  readonly kind: DatabaseFailureKind;

  constructor(kind: DatabaseFailureKind, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'DatabaseFailure';
    this.kind = kind;
  }
}

/** The form in which the failure is sent between threads, without its cause. */
export const databaseFailureForm: ErrorForm = {
  kind: 'database-failure',
  pack: (error) => {
    if (!(error instanceof DatabaseFailure)) return undefined;
    return { kind: error.kind, message: error.message } satisfies PackedFailure;
  },
  unpack: (packed) => {
    const { kind, message } = packed as PackedFailure; // it was packed above
    return new DatabaseFailure(kind, message);
  },
};

interface PackedFailure {
  readonly kind: DatabaseFailureKind;
  readonly message: string;
}

/**
 * The DatabaseFailure for an error of the driver. Errors that do not come from SQLite (a closed handle, a value that
 * cannot be bound) are bugs of the caller and are returned unchanged.
 */
export function toDatabaseFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !isSqliteError(error)) return error;
  const kind = kindOf(error);
  return new DatabaseFailure(kind, kind === 'full' ? fullMessage : error.message, { cause: error });
}

interface SqliteError extends Error {
  /**
   * SQLite's extended result code. Missing if a prepared statement fails while it runs, or if the schema has changed.
   */
  readonly errcode?: number;
}

function isSqliteError(error: Error): error is SqliteError {
  return 'code' in error && error.code === 'ERR_SQLITE_ERROR';
}

function kindOf({ errcode, message }: SqliteError): DatabaseFailureKind {
  if (errcode === noRoomForIndex) return 'full';
  const primaryCode = errcode === undefined ? genericError : errcode & 0xff;
  const kind = errcode === undefined ? kindOfMessage.get(message) : kindOfCode.get(primaryCode);
  if (kind !== undefined) return kind;
  return primaryCode === genericError && schemaMessages.some((pattern) => pattern.test(message))
    ? 'schema'
    : 'other';
}

// https://www.sqlite.org/rescode.html
const genericError = 1;
/** IOERR_SHMSIZE: the index of the write-ahead log could not grow. Its size is all that SQLite asks for. */
const noRoomForIndex = 4874;
/** SQLite's own text for a full disk. */
const fullMessage = 'database or disk is full';
const kindOfCode: ReadonlyMap<number, DatabaseFailureKind> = new Map([
  [3, 'io'], // PERM
  [5, 'busy'], // BUSY
  [6, 'busy'], // LOCKED
  [8, 'readOnly'], // READONLY
  [10, 'io'], // IOERR
  [11, 'corrupt'], // CORRUPT
  [13, 'full'], // FULL
  [14, 'io'], // CANTOPEN
  [15, 'busy'], // PROTOCOL: the locking protocol of the WAL gave up
  [17, 'schema'], // SCHEMA
  [18, 'tooBig'], // TOOBIG
  [19, 'constraint'], // CONSTRAINT
  [26, 'corrupt'], // NOTADB
]);

const schemaMessages = [
  /^no such (table|column|index)/,
  /^(table|index) .* already exists/,
  /^table .* has no column/,
  /^duplicate column name/,
];

// SQLite's own texts (sqlite3_errstr), constant across versions.
const kindOfMessage: ReadonlyMap<string, DatabaseFailureKind> = new Map([
  ['database disk image is malformed', 'corrupt'],
  ['file is not a database', 'corrupt'],
  ['disk I/O error', 'io'],
  ['unable to open database file', 'io'],
  ['database is locked', 'busy'],
  ['database table is locked', 'busy'],
  [fullMessage, 'full'],
  ['attempt to write a readonly database', 'readOnly'],
  ['string or blob too big', 'tooBig'],
  ['database schema has changed', 'schema'],
]);
