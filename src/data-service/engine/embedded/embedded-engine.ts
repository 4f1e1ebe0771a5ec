// The embedded engine: tables as SQLite tables in one file, one writer thread, reads in several threads.
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CallsUnderWay } from '../../../foundation/calls-under-way.js';
import type { VectorQuantization } from '../../../foundation/config/engines/embedded.js';
import { SharedTurns } from '../../../foundation/shared-turns.js';
import type { ShippedLogSettings } from '../../../foundation/sqlite/shipped-log.js';
import { unusableFile } from '../../../foundation/sqlite/unusable-file.js';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import type { Dialect } from '../../column-types/dialect.js';
import { matchAll } from '../../query/filter.js';
import type { ReadOutcome, ReadPlan } from '../../query/read.js';
import type { DeletePlan } from '../../query/write.js';
import { isCollection } from '../../schema/collection.js';
import type { Schema } from '../../schema/keyspace.js';
import type { SchemaChange } from '../../schema/schema-change.js';
import type { Table } from '../../schema/table.js';
import type { Engine } from '../engine.js';
import { EngineError, engineClosed } from '../engine-error.js';
import type { MaintenanceReport, MaintenanceTask } from '../maintenance.js';
import { countRows } from './documents/count-documents.js';
import { hasRoomFor } from './file/column-slots.js';
import { dataFile, openForReading } from './file/open-for-reading.js';
import { loadNextTableId, loadSchema } from './file/schema-store.js';
import type { EngineHost } from './guest-engine.js';
import { maintain } from './maintenance/maintenance.js';
import { type SegmentSizes, usualSegmentSizes } from './postings/keep-segments.js';
import { isBestInPlace } from './reads/best-in-place.js';
import { Reader } from './reads/reader.js';
import { RowReads } from './row-reads.js';
import type { ScanSlices } from './scans/scan.js';
import { Scanner } from './scans/scanner.js';
import { DroppedValues } from './schema/dropped-values.js';
import { IndexBuilds } from './schema/index-builds.js';
import { Leftovers } from './schema/leftovers.js';
import { SchemaHolder } from './schema/schema-holder.js';
import { presentVersionOf } from './schema/table-versions.js';
import { TextUpkeep } from './schema/text-upkeep.js';
import { isBuiltInSteps } from './statements/build-steps.js';
import { deleteStatements } from './statements/delete-statements.js';
import { filterCondition } from './statements/filter-condition.js';
import { trimVectorLogStatement } from './statements/vector-statements.js';
import type { WriteStatement } from './statements/write-statements.js';
import { VectorIndexes } from './vectors/vector-indexes.js';
import { DocumentChanges, deleteAllStatements } from './writes/document-changes.js';
import type { DocumentResult, DocumentWork } from './writes/document-work.js';
import type { SegmentSizes as EntrySegmentSizes } from './writes/entry-segments.js';
import { rowChanges, type WriteRows } from './writes/row-changes.js';
import { isOneRow, RowDeletes } from './writes/row-deletes.js';
import type { PackedStatements } from './writes/write-batch.js';
import { RowsTooLarge } from './writes/write-errors.js';
import { startWriter, type Writer, type WriterListener } from './writes/writer.js';

/** An engine that also works for guests: engines in other threads of the process. */
export interface HostingEngine extends Engine {
  readonly host: EngineHost;
}

/** The options for opening the engine. */
export interface EmbeddedEngineOptions extends WriterListener {
  /** It must exist, and no other process may use it. */
  readonly dataDirectory: string;
  readonly clock: Clock;
  /** Default: strict. */
  readonly dialect?: Dialect;
  /** Default: int8. */
  readonly vectorQuantization?: VectorQuantization;
  /** Shared with other work of this thread. Default: turns of its own. */
  readonly turns?: SharedTurns;
  /** A read that takes longer fails. */
  readonly readTimeoutMs: number;
  /** The maximum size of the rows of one read on this thread, in bytes (`ReadTools.mostBytes`). Default: none. */
  readonly mostBytesOfRead?: number;
  /** Lets checkpoints wait until the log is shipped to an archive. */
  readonly shippedLog?: ShippedLogSettings | undefined;
  /** Called with the way in which each vector search was answered: by an index, or by a comparison of all rows. */
  readonly onVectorSearch?: (by: 'index' | 'rows') => void;
  /** Resolves after some time. Default: with the timers of Node. */
  readonly pause?: (ms: number) => Promise<void>;
  /** Benchmarks only: imitates a disk whose flush takes this much longer. */
  readonly commitDelayMs?: number;
  /** Tests only: slices so small that a small table has several of them. */
  readonly slices?: ScanSlices;
  /** Tests only: segments of text indexes, and of entries of documents, so small that few rows have several of them. */
  readonly textSizes?: SegmentSizes;
  readonly entrySizes?: EntrySegmentSizes;
  /** Tests only: steps so small that removing a small table, or building entries, has many of them. */
  readonly mostRowsOfStep?: number;
  /** Tests only: how many waiting pages are shared with the page thread. */
  readonly fewestWaiting?: number;
}

/** A cache of 64 MiB served pages of a large table only 4 % faster. */
const readerCacheBytes = 28 * 1024 * 1024;

/**
 * Opens the data file; first creates or migrates it if needed.
 * @throws Error that names the file, if a later release wrote it or it cannot be opened
 */
export async function openEmbeddedEngine(options: EmbeddedEngineOptions): Promise<HostingEngine> {
  const path = dataFile(options.dataDirectory);
  try {
    return await openDataFile(path, options);
  } catch (error) {
    throw unusableFile(path, error);
  }
}

async function openDataFile(path: string, options: EmbeddedEngineOptions): Promise<HostingEngine> {
  const { commitDelayMs = 0, dialect = 'strict', turns = new SharedTurns(options.clock) } = options;
  const { entrySizes, shippedLog, fewestWaiting, onWarning } = options;
  const writer = await startWriter({ path, commitDelayMs, entrySizes, shippedLog }, turns, options);
  try {
    const database = openForReading(path, readerCacheBytes);
    const present = loadSchema(database, dialect);
    const schema = new SchemaHolder(present, loadNextTableId(database), writer, dialect);
    const clientOptions = { path, ...(fewestWaiting !== undefined && { fewestWaiting }) };
    const reader = new Reader(database, turns, clientOptions, (error) => onWarning?.(error));
    return new EmbeddedEngine(options, writer, reader, new Scanner({ path }, mostBytesOf(options)), schema);
  } catch (error) {
    await writer.close(); // otherwise its thread would not end
    throw error;
  }
}

function mostBytesOf({ mostBytesOfRead = Number.POSITIVE_INFINITY }: EmbeddedEngineOptions): number {
  return mostBytesOfRead;
}

class EmbeddedEngine implements HostingEngine {
  readonly name = 'embedded';
  readonly #options: EmbeddedEngineOptions;
  readonly #writer: Writer;
  readonly #reader: Reader;
  readonly #scanner: Scanner;
  readonly #schema: SchemaHolder;
  readonly #ending = new AbortController();
  readonly #maintaining = new Set<Promise<unknown>>();
  readonly #deleting = new CallsUnderWay();
  readonly #vectors: VectorIndexes;
  readonly #reads: RowReads;
  /** Writes rows with only one promise, because every write of rows uses this function. */
  readonly #writeRows = (
    table: Table,
    statements: readonly WriteStatement[] | PackedStatements,
    isAccepted = false,
  ): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!isAccepted) this.#refuseWhenClosing();
      const known = { id: table.id, version: table.version };
      const request =
        statements instanceof Uint8Array
          ? { packed: statements, table: known }
          : { statements, table: known };
      this.#writer.writeThen(request, (error) => {
        // If some rows are too large, the others are stored.
        if (error === null || error instanceof RowsTooLarge) {
          this.#vectors.changed(table);
          this.#textUpkeep.noteWrites(table, request);
        }
        if (error === null) resolve();
        else reject(error);
      });
    });
  /** Writes as a part of an accepted call, also while the engine closes. */
  readonly #writeAccepted: WriteRows = (table, statements) => this.#writeRows(table, statements, true);
  readonly #changes = rowChanges(this.#writeRows);
  readonly insertRows = this.#changes.insertRows;
  readonly changeRow = this.#changes.changeRow;
  readonly #deletes: RowDeletes;
  readonly #writeDocuments = async (table: Table, work: DocumentWork): Promise<DocumentResult> => {
    this.#refuseWhenClosing();
    const result = await this.#writer.writeDocuments({ id: table.id, version: table.version }, work);
    this.#vectors.changed(table);
    this.#textUpkeep.noteWrites(table, work);
    return result;
  };
  readonly documents = new DocumentChanges({
    writeDocuments: this.#writeDocuments,
    deleteAll: (collection) =>
      this.#deleteAll(collection, () => this.#writeAccepted(collection, deleteAllStatements(collection))),
  });
  readonly #droppedValues: DroppedValues;
  readonly #indexBuilds: IndexBuilds;
  readonly #textUpkeep: TextUpkeep;
  readonly #leftovers: Leftovers;
  #closing: Promise<void> | undefined;

  constructor(
    options: EmbeddedEngineOptions,
    writer: Writer,
    reader: Reader,
    scanner: Scanner,
    schema: SchemaHolder,
  ) {
    this.#options = options;
    this.#writer = writer;
    this.#reader = reader;
    this.#scanner = scanner;
    this.#schema = schema;
    const { dataDirectory, vectorQuantization: quantization = 'int8', onWarning } = options;
    const [path, directory] = [dataFile(dataDirectory), join(dataDirectory, 'vectors')];
    this.#vectors = new VectorIndexes(
      { path, directory, quantization },
      {
        onSaved: (log, sequence) => this.#trimVectorLog(log, sequence),
        onWarning: (error) => onWarning?.(error),
        onFailure: (error) => onWarning?.(error),
      },
    );
    this.#vectors.follow(schema.current, true);
    const { clock, readTimeoutMs: timeoutMs, slices, onVectorSearch } = options;
    this.#reads = new RowReads({
      schema: () => schema.current,
      reader,
      scanner,
      vectors: this.#vectors,
      onVectorSearch,
      clock,
      timeoutMs,
      slices,
      mostBytes: mostBytesOf(options),
    });
    const warning = (problem: string) => (cause: unknown) => onWarning?.(new Error(problem, { cause }));
    const onKept = warning('values of dropped columns could not be removed');
    this.#deletes = new RowDeletes({
      write: this.#writeAccepted,
      read: (run) => reader.read(run),
      clock,
      isClosing: () => this.#closing !== undefined,
    });
    this.#droppedValues = new DroppedValues({ writer, clock, schema }, onKept);
    const { textSizes: sizes = usualSegmentSizes, mostRowsOfStep: mostRows } = options;
    const onSlow = warning('a text index could not be kept fast');
    this.#textUpkeep = new TextUpkeep({ writer, schema, sizes }, onSlow);
    const onBuilt = (tableId: number) => this.#textUpkeep.start(tableId);
    const builds = { writer, clock, schema, sizes, onBuilt, mostRows };
    this.#indexBuilds = new IndexBuilds(builds, warning('an index could not be built'));
    this.#indexBuilds.finishOthers(schema.current);
    this.#textUpkeep.startAll(schema.current);
    this.#leftovers = new Leftovers({ writer, mostRows }, warning('dropped or emptied tables remain'));
    this.#leftovers.start();
    // By whatever change, and whether or not the archive answered in time: its caller may have an error.
    schema.onChanged(() => {
      this.#vectors.follow(schema.current);
      this.#leftovers.start();
    });
  }

  /** The host of guests, see `openGuestEngine`. */
  get host(): EngineHost {
    return {
      // The writer thread checks the version.
      write: async ({ tableId, version, packed }) => {
        const table = this.#schema.tableWithId(tableId);
        if (table === undefined) throw new EngineError('schemaChanged', 'the table is gone');
        return this.#writeRows({ ...table, version }, packed);
      },
      writeDocuments: async ({ tableId, work }) => {
        const table = this.#schema.tableWithId(tableId.id);
        if (table === undefined) throw new EngineError('schemaChanged', 'the collection is gone');
        return this.#writeDocuments({ ...table, version: tableId.version }, work);
      },
      deleteAll: async ({ id, version }) => {
        const table = this.#schema.tableWithId(id);
        if (table?.version !== version) throw new EngineError('schemaChanged', 'the table changed');
        if (isCollection(table)) return this.documents.deleteAll(table);
        return this.deleteRows({ table, filter: matchAll });
      },
      findNearest: ({ nearest, isAgain }) => this.#vectors.findNearest(nearest, isAgain),
      schemaGeneration: async ({ afterChanges }) => {
        this.#refuseWhenClosing();
        if (afterChanges) await this.#schema.settled();
        return this.#schema.generation;
      },
    };
  }

  async estimateCount(table: Table): Promise<number> {
    this.#refuseWhenClosing();
    return countRows(table, this.#scanner);
  }

  readSchema(afterChanges = false): Promise<Schema> | Schema {
    if (this.#closing !== undefined) return Promise.reject(engineClosed());
    return afterChanges ? this.#schema.settled().then(() => this.#schema.current) : this.#schema.current;
  }

  async changeSchema(change: SchemaChange): Promise<void> {
    this.#refuseWhenClosing();
    // Emptying columns changes the table, so this change is planned again. If there is still no room, it is refused.
    if (change.kind === 'addColumns' && !hasRoomFor(change.table, change.columns))
      await this.#droppedValues.remove(change.table);
    if (change.kind === 'createIndex' && isBuiltInSteps(change.index))
      return this.#indexBuilds.create(change, change.index);
    try {
      await this.#schema.change(change);
    } finally {
      // Also behind a change that is stored, but perhaps not in the archive.
      const present =
        change.kind === 'dropColumns' ? presentVersionOf(change.table, this.#schema.current) : undefined;
      if (present !== undefined) this.#droppedValues.removeMany(present);
    }
  }

  deleteRows(plan: DeletePlan): Promise<void> {
    if (isOneRow(plan)) return this.#writeRows(plan.table, deleteStatements(plan));
    const deleteRows = () => this.#deletes.delete(plan);
    if (filterCondition(plan.filter) === undefined) return this.#deleteAll(plan.table, deleteRows);
    return this.#closing === undefined ? this.#deleting.run(deleteRows) : Promise.reject(engineClosed());
  }

  /** An empty table replaces one of many rows, which are removed in steps: deleting them would delay other writes. */
  async #deleteAll(table: Table, deleteRows: () => Promise<void>): Promise<void> {
    this.#refuseWhenClosing();
    return this.#deleting.run(async () => {
      if (await this.#reader.read((database) => isBestInPlace(database, table))) return deleteRows();
      await this.#schema.replaceTable(table);
    });
  }

  readRows(plan: ReadPlan): Promise<ReadOutcome> {
    return this.#closing === undefined ? this.#reads.read(plan) : Promise.reject(engineClosed());
  }

  async maintain(task: MaintenanceTask, signal: AbortSignal): Promise<MaintenanceReport> {
    this.#refuseWhenClosing();
    const { dataDirectory, clock, pause = setTimeout } = this.#options;
    const running = maintain(
      task,
      {
        path: dataFile(dataDirectory),
        writer: this.#writer,
        vectors: this.#vectors,
        indexBuilds: this.#indexBuilds,
        clock,
        pause: async (ms) => void (await pause(ms)),
        schema: this.#schema,
      },
      AbortSignal.any([signal, this.#ending.signal]),
    );
    this.#maintaining.add(running);
    try {
      return await running;
    } finally {
      this.#maintaining.delete(running);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** After a failure the log is too long until the next attempt. */
  #trimVectorLog(log: string, sequence: number): void {
    this.#writer
      .write({ statements: [trimVectorLogStatement(log, sequence)], tableVersions: [] }) // independent of versions
      .catch((error) => this.#options.onWarning?.(error));
  }

  #refuseWhenClosing(): void {
    if (this.#closing !== undefined) throw engineClosed();
  }

  async #close(): Promise<void> {
    this.#ending.abort();
    await this.#leftovers.close();
    await this.#droppedValues.close();
    await this.#indexBuilds.close();
    await this.#textUpkeep.close();
    await Promise.allSettled(this.#maintaining);
    await this.#deleting.ended();
    await this.#vectors.close();
    await this.#scanner.close();
    // The reader is closed first: the last connection that closes moves the log into the file.
    await this.#reader.close();
    await this.#writer.close();
  }
}
