// The engine of a server that follows another one: it reads a data file that another thread changes page by page, and
// refuses every write.
import type { VectorQuantization } from '../../../foundation/config/engines/embedded.js';
import { SharedTurns } from '../../../foundation/shared-turns.js';
import { unusableFile } from '../../../foundation/sqlite/unusable-file.js';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import type { Dialect } from '../../column-types/dialect.js';
import type { ReadOutcome, ReadPlan } from '../../query/read.js';
import type { Schema } from '../../schema/keyspace.js';
import type { Table } from '../../schema/table.js';
import type { DocumentWrites } from '../engine.js';
import { EngineError, engineClosed } from '../engine-error.js';
import { countRows } from './documents/count-documents.js';
import type { HostingEngine } from './embedded-engine.js';
import { dataFile, openForReading } from './file/open-for-reading.js';
import type { EngineHost } from './guest-engine.js';
import { Reader } from './reads/reader.js';
import { RowReads } from './row-reads.js';
import { Scanner } from './scans/scanner.js';
import { FollowedSchema } from './schema/followed-schema.js';
import { VectorIndexes } from './vectors/vector-indexes.js';

/** The options for opening the engine. */
export interface FollowingEngineOptions {
  /** The file must exist, and only the thread that follows changes it. */
  readonly dataDirectory: string;
  readonly clock: Clock;
  /** Default: strict. */
  readonly dialect?: Dialect;
  readonly turns?: SharedTurns;
  /** A read that takes longer fails. */
  readonly readTimeoutMs: number;
  /** The maximum size of the rows of one read on this thread, in bytes: see `ReadTools.mostBytes`. */
  readonly mostBytesOfRead: number;
  /** Default: int8. */
  readonly vectorQuantization?: VectorQuantization;
  readonly onWarning?: (error: Error) => void;
  /** Called with the way in which each vector search was answered. */
  readonly onVectorSearch?: (by: 'index' | 'rows') => void;
  /** Why nothing is written here: a clause for clients. */
  readonly whyReadOnly: () => string;
}

const readerCacheBytes = 28 * 1024 * 1024;
const schemaCacheBytes = 1024 * 1024;
/** The time between two looks for changes of vectors. A search looks by itself, so this only shortens it. */
const lookMs = 500;

/** Opens the data file. @throws Error that names the file, if it cannot be opened or is of another release */
export async function openFollowingEngine(options: FollowingEngineOptions): Promise<HostingEngine> {
  const path = dataFile(options.dataDirectory);
  try {
    return new FollowingEngine(path, options);
  } catch (error) {
    throw unusableFile(path, error);
  }
}

class FollowingEngine implements HostingEngine {
  readonly name = 'embedded';
  readonly #options: FollowingEngineOptions;
  readonly #reader: Reader;
  readonly #scanner: Scanner;
  readonly #schema: FollowedSchema;
  readonly #closeSchema: () => void;
  readonly #reads: RowReads;
  /** In memory only: they are built from the rows at each start, and from then on follow the logs of the data file. */
  readonly #vectors: VectorIndexes;
  readonly #looking: NodeJS.Timeout;
  #closing: Promise<void> | undefined;
  readonly documents: DocumentWrites = {
    insert: () => this.#refuse(),
    change: () => this.#refuse(),
    deleteAll: () => this.#refuse(),
  };

  constructor(path: string, options: FollowingEngineOptions) {
    this.#options = options;
    const { clock, dialect = 'strict', turns = new SharedTurns(clock), mostBytesOfRead, onWarning } = options;
    const ofSchema = openForReading(path, schemaCacheBytes);
    this.#closeSchema = () => ofSchema.close();
    this.#schema = new FollowedSchema(ofSchema, dialect);
    try {
      void this.#schema.current;
      const database = openForReading(path, readerCacheBytes);
      this.#reader = new Reader(database, turns, { path }, (error) => onWarning?.(error));
    } catch (error) {
      ofSchema.close();
      throw error;
    }
    this.#scanner = new Scanner({ path }, mostBytesOfRead);
    const { vectorQuantization: quantization = 'int8' } = options;
    this.#vectors = new VectorIndexes(
      { path, directory: undefined, quantization },
      {
        onSaved: () => {}, // without a directory no snapshot is saved
        onWarning: (error) => onWarning?.(error),
        onFailure: (error) => onWarning?.(error),
      },
    );
    this.#looking = this.#followVectors();
    this.#reads = new RowReads({
      schema: () => this.#schema.current,
      reader: this.#reader,
      scanner: this.#scanner,
      vectors: this.#vectors,
      onVectorSearch: options.onVectorSearch,
      clock,
      timeoutMs: options.readTimeoutMs,
      mostBytes: mostBytesOfRead,
    });
  }

  /** The host of guests, see `openGuestEngine`. */
  get host(): EngineHost {
    return {
      write: () => this.#refuse(),
      writeDocuments: () => this.#refuse(),
      deleteAll: () => this.#refuse(),
      findNearest: ({ nearest, isAgain }) => this.#vectors.findNearest(nearest, isAgain),
      schemaGeneration: async () => {
        if (this.#closing !== undefined) throw engineClosed();
        return this.#schema.generation;
      },
    };
  }

  readSchema(): Promise<Schema> | Schema {
    if (this.#closing !== undefined) return Promise.reject(engineClosed());
    try {
      return this.#schema.current;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async readRows(plan: ReadPlan): Promise<ReadOutcome> {
    if (this.#closing !== undefined) throw engineClosed();
    return this.#reads.read(plan);
  }

  async estimateCount(table: Table): Promise<number> {
    if (this.#closing !== undefined) throw engineClosed();
    return countRows(table, this.#scanner);
  }

  changeSchema(): Promise<void> {
    return this.#refuse();
  }

  insertRows(): Promise<never> {
    return this.#refuse();
  }

  changeRow(): Promise<never> {
    return this.#refuse();
  }

  deleteRows(): Promise<never> {
    return this.#refuse();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #refuse(): Promise<never> {
    if (this.#closing !== undefined) throw engineClosed();
    throw new EngineError('readOnly', this.#options.whyReadOnly());
  }

  /** Uses the indexes of the schema, and of each later one. */
  #followVectors(): NodeJS.Timeout {
    let known = this.#schema.current;
    this.#vectors.follow(known);
    const look = () => {
      const schema = this.#schema.current;
      if (schema === known) this.#vectors.lookForChanges();
      else this.#vectors.follow(schema);
      known = schema;
    };
    return setInterval(() => {
      try {
        look();
      } catch (error) {
        if (!(error instanceof EngineError)) throw error; // reads report that the file cannot be read
      }
    }, lookMs).unref();
  }

  async #close(): Promise<void> {
    clearInterval(this.#looking);
    await this.#vectors.close();
    await this.#scanner.close();
    await this.#reader.close();
    this.#closeSchema();
  }
}
