// The engine for another thread of the process: it reads the file itself, and passes writes and searches of vector
// indexes to its host, the engine of the main thread.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CallsUnderWay } from '../../../foundation/calls-under-way.js';
import type { Database } from '../../../foundation/sqlite/open-database.js';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import type { Dialect } from '../../column-types/dialect.js';
import type { ReadOutcome, ReadPlan } from '../../query/read.js';
import type { ChangePlan, DeletePlan, InsertPlan } from '../../query/write.js';
import type { Schema } from '../../schema/keyspace.js';
import type { Table } from '../../schema/table.js';
import type { DocumentWrites, Engine, InsertOutcome } from '../engine.js';
import { engineClosed } from '../engine-error.js';
import { countRows } from './documents/count-documents.js';
import { dataFile, inSnapshot, openForReading } from './file/open-for-reading.js';
import { loadSchema } from './file/schema-store.js';
import { toReadError } from './file/storage-failure.js';
import type { TakenRows } from './file/take-rows.js';
import type { Reader } from './reads/reader.js';
import { readPage } from './reads/written-page.js';
import { RowReads } from './row-reads.js';
import { runSlice } from './scans/run-slice.js';
import { type SliceRunner, scanRequest } from './scans/scanner.js';
import { filterCondition } from './statements/filter-condition.js';
import { bestRows } from './vectors/best-rows.js';
import { type NearestWanted, type PackedHits, unpackHits } from './vectors/vector-messages.js';
import type { IndexedSearch } from './vectors/vector-search.js';
import { DocumentChanges } from './writes/document-changes.js';
import type { DocumentResult, DocumentWork } from './writes/document-work.js';
import { rowChanges, type WriteRows } from './writes/row-changes.js';
import { RowDeletes } from './writes/row-deletes.js';
import { type PackedStatements, packStatements } from './writes/write-batch.js';

/** The options for opening a guest. */
export interface GuestOptions {
  readonly dataDirectory: string;
  /** Default: strict. */
  readonly dialect?: Dialect;
  readonly clock: Clock;
  readonly readTimeoutMs: number;
}

/** Statements for a table, and the version of the table for which they were planned. */
export interface GuestWrite {
  readonly tableId: number;
  readonly version: number;
  readonly packed: PackedStatements;
}

/** Work on documents, and the collection for which it was planned. */
export interface GuestDocumentWrite {
  readonly tableId: Pick<Table, 'id' | 'version'>;
  readonly work: DocumentWork;
}

/**
 * The calls from a guest to the engine of the main thread. Arguments and results are plain data; all reject with an
 * EngineError.
 */
export interface EngineHost {
  /** Another number for each state of the schema; `afterChanges`: waits for changes under way and includes them. */
  schemaGeneration(wanted: { readonly afterChanges: boolean }): Promise<number>;
  write(write: GuestWrite): Promise<void>;
  writeDocuments(write: GuestDocumentWrite): Promise<DocumentResult>;
  /** Deletes all rows of this version of a table. */
  deleteAll(table: Pick<Table, 'id' | 'version'>): Promise<void>;
  /** The nearest rows by an index; null if it is not ready. `isAgain`: see `VectorIndexes.findNearest`. */
  findNearest(search: {
    readonly nearest: NearestWanted;
    readonly isAgain: boolean;
  }): Promise<PackedHits | null>;
}

/** A guest sometimes reads whole tables, for which a larger cache has no effect. */
const cacheSizeBytes = 4 * 1024 * 1024;
/** If rows change during a search, it is repeated; this is the maximum number of searches. */
const mostSearches = 3;

/** Opens the file, which the host has already opened. @throws DatabaseFailure */
export function openGuestEngine(options: GuestOptions, host: EngineHost): Engine {
  return new GuestEngine(openForReading(dataFile(options.dataDirectory), cacheSizeBytes), options, host);
}

class GuestEngine implements Engine {
  readonly name = 'embedded';
  readonly #database: Database;
  readonly #host: EngineHost;
  readonly #scanner: SliceRunner;
  readonly #reads: RowReads;
  readonly #changes: ReturnType<typeof rowChanges>;
  readonly #deletes: RowDeletes;
  readonly documents: DocumentWrites;
  readonly #running = new CallsUnderWay();
  readonly #dialect: Dialect;
  #isClosing = false;
  #known: { readonly generation: number; readonly schema: Schema } | undefined;

  constructor(database: Database, options: GuestOptions, host: EngineHost) {
    this.#database = database;
    this.#host = host;
    const { clock, readTimeoutMs: timeoutMs, dialect = 'strict' } = options;
    this.#dialect = dialect;
    this.#scanner = scannerOn(database, clock);
    const reader = readerOn(database);
    this.#reads = new RowReads({
      schema: () => this.readSchema(),
      reader,
      scanner: this.#scanner,
      vectors: { nearestRows: (search) => this.#nearestRows(search) },
      clock,
      timeoutMs,
      mostBytes: Number.POSITIVE_INFINITY,
    });
    const write: WriteRows = ({ id, version, indexes }, statements) =>
      host.write({ tableId: id, version, packed: packStatements(statements, indexes) });
    this.#changes = rowChanges(write, true);
    this.#deletes = new RowDeletes({
      write,
      read: (run) => reader.read(run),
      clock,
      isClosing: () => this.#isClosing,
    });
    this.documents = new DocumentChanges({
      writeDocuments: ({ id, version }, work) =>
        this.#accept(() => host.writeDocuments({ tableId: { id, version }, work })),
      deleteAll: ({ id, version }) => this.#accept(() => host.deleteAll({ id, version })),
    });
  }

  async readSchema(afterChanges = false): Promise<Schema> {
    const generation = await this.#host.schemaGeneration({ afterChanges });
    if (this.#known?.generation !== generation) {
      this.#known = {
        generation,
        schema: readInSnapshot(this.#database, (database) => loadSchema(database, this.#dialect)),
      };
    }
    return this.#known.schema;
  }

  changeSchema(): Promise<void> {
    throw new TypeError('a guest does not change the schema');
  }

  insertRows(plan: InsertPlan): Promise<InsertOutcome> {
    return this.#accept(() => this.#changes.insertRows(plan));
  }

  changeRow(plan: ChangePlan): Promise<void> {
    return this.#accept(() => this.#changes.changeRow(plan));
  }

  deleteRows(plan: DeletePlan): Promise<void> {
    const { id, version } = plan.table;
    return this.#accept(() =>
      filterCondition(plan.filter) === undefined
        ? this.#host.deleteAll({ id, version })
        : this.#deletes.delete(plan),
    );
  }

  readRows(plan: ReadPlan): Promise<ReadOutcome> {
    return this.#accept(() => this.#reads.read(plan));
  }

  estimateCount(table: Table): Promise<number> {
    return this.#accept(() => countRows(table, this.#scanner));
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await this.#running.ended();
    this.#database.close();
  }

  async #accept<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isClosing) throw engineClosed();
    return this.#running.run(work);
  }

  async #nearestRows({ nearest, rows, deadline }: IndexedSearch): Promise<TakenRows | null> {
    for (let attempt = 1; ; attempt += 1) {
      const time = deadline.left();
      const found = await this.#host.findNearest({ nearest: { ...nearest, time }, isAgain: attempt > 1 });
      if (found === null) return null;
      const hits = unpackHits(found);
      const read = (database: Database) => bestRows(database, nearest.query, rows, hits);
      const { best, isSure } = readInSnapshot(this.#database, read);
      if (isSure || attempt === mostSearches) return best;
    }
  }
}

function readerOn(database: Database): Pick<Reader, 'read' | 'readPage'> {
  return {
    read: async (run) => readInSnapshot(database, run),
    readPage: async (page, toResult, otherwise) =>
      readInSnapshot(database, () => {
        const found = readPage(database, page);
        return found === undefined ? otherwise(database) : toResult(found);
      }),
  };
}

/** Between two slices, other work of the thread runs. */
function scannerOn(database: Database, clock: Clock): SliceRunner {
  return {
    width: 1,
    runSlice: async (slice, maxBytes) => {
      await nextTurn();
      try {
        return runSlice(database, scanRequest(slice, maxBytes, false), clock);
      } catch (error) {
        throw toReadError(error);
      }
    },
  };
}

/** @throws EngineError */
function readInSnapshot<Result>(database: Database, run: (database: Database) => Result): Result {
  try {
    return inSnapshot(database, run);
  } catch (error) {
    throw toReadError(error);
  }
}
