// The pragmas of a connection: its durability, its log and its memory.
import { DatabaseFailure } from './database-failure.js';
import type { SqlValue } from './sql-value.js';

/** What is used of the driver. */
interface PragmaConnection {
  exec(sql: string): void;
  prepare(sql: string, options: { readonly returnArrays: true }): { get(): readonly SqlValue[] | undefined };
}

/** The options of a database that pragmas are set by. */
interface PragmaOptions {
  readonly path: string;
  readonly readOnly?: boolean;
  readonly cacheSizeBytes?: number;
  readonly mmapSizeBytes?: number;
  readonly journalMode?: 'wal' | 'delete';
  readonly hasPageSums?: boolean;
  readonly walAutocheckpointPages?: number;
}

const pragma = { autoVacuumIncremental: 2, synchronousFull: 2 } as const;

/**
 * Sets the pragmas of a new connection, and checks them afterwards.
 * @throws DatabaseFailure if one cannot be set, errors of the driver
 */
export function applyPragmas(connection: PragmaConnection, options: PragmaOptions): void {
  if (options.cacheSizeBytes !== undefined) {
    connection.exec(`PRAGMA cache_size = -${Math.ceil(options.cacheSizeBytes / 1024)}`);
  }
  connection.exec(`PRAGMA temp_store = MEMORY; PRAGMA mmap_size = ${options.mmapSizeBytes ?? 0}`);
  if (options.readOnly === true) return;

  // Before the first table, and before the journal mode, which writes the first page. Setting a value that is already
  // set would write too: a file must open on a full disk, and a refused file must stay unchanged.
  if (readPragma(connection, 'auto_vacuum') !== pragma.autoVacuumIncremental)
    connection.exec('PRAGMA auto_vacuum = INCREMENTAL');
  const journalMode = options.path === ':memory:' ? 'memory' : (options.journalMode ?? 'wal');
  if (journalMode === 'wal') connection.exec('PRAGMA journal_mode = WAL');
  connection.exec('PRAGMA synchronous = FULL');
  const checkpointPages = options.hasPageSums === true ? 0 : options.walAutocheckpointPages;
  if (checkpointPages !== undefined) {
    connection.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
    expectPragma(connection, options.path, 'wal_autocheckpoint', checkpointPages);
  }
  expectPragma(connection, options.path, 'auto_vacuum', pragma.autoVacuumIncremental);
  expectPragma(connection, options.path, 'journal_mode', journalMode);
  expectPragma(connection, options.path, 'synchronous', pragma.synchronousFull);
}

function expectPragma(connection: PragmaConnection, path: string, name: string, wanted: SqlValue): void {
  const actual = readPragma(connection, name);
  if (actual === wanted) return;
  throw new DatabaseFailure('other', `${path}: ${name} is "${actual}" and could not be set to "${wanted}"`);
}

function readPragma(connection: PragmaConnection, name: string): SqlValue | undefined {
  return connection.prepare(`PRAGMA ${name}`, { returnArrays: true }).get()?.[0];
}
