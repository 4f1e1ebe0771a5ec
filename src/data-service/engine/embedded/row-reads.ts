// Reads of the engine and of its guests: runs each plan on its access path, with the present schema.
import type { Database } from '../../../foundation/sqlite/open-database.js';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import { matchAll, requiredDocumentsOf } from '../../query/filter.js';
import type { PrimaryKey } from '../../query/key-filter.js';
import { type ReadOutcome, type ReadPlan, wantsPosition } from '../../query/read.js';
import type { Schema } from '../../schema/keyspace.js';
import type { VectorIndex } from '../../schema/table.js';
import { EngineError } from '../engine-error.js';
import { ReadTimeLimit } from '../read-time-limit.js';
import { documentNumbers } from './documents/document-numbers.js';
import { readDocuments } from './documents/read-documents.js';
import { decodeRows } from './file/stored-rows.js';
import type { TakenRows } from './file/take-rows.js';
import type { Reader } from './reads/reader.js';
import { lookUpRow, type RowLookup, readRanges, type ShortRead, shownPage } from './reads/short-reads.js';
import { writtenPage } from './reads/written-page.js';
import { type ScanSlices, scanInSlices } from './scans/scan.js';
import type { SliceRunner } from './scans/scanner.js';
import { checkedChunks, refuseLostSlots, refuseOutdated } from './schema/table-versions.js';
import { accessPath } from './statements/access-path.js';
import { type FilterStatement, filterStatement } from './statements/filter-statement.js';
import type { Seeks } from './statements/index-ranges.js';
import {
  columnsToRead,
  type OrderedPlan,
  positionNamer,
  type RunningRead,
} from './statements/ordered-plan.js';
import type { IndexRange, SelectStatement } from './statements/select-text.js';
import { readMatchingRows } from './text/matching-rows.js';
import { findByWords } from './text/word-rows.js';
import { scanForNearest } from './vectors/vector-scan.js';
import {
  type IndexedSearch,
  indexedSearch,
  type RunningSearch,
  rankedOutcome,
} from './vectors/vector-search.js';

/** The parts that reads use. */
export interface ReadTools {
  /** The present schema. */
  readonly schema: () => Schema | Promise<Schema>;
  readonly reader: Pick<Reader, 'read' | 'readPage'>;
  readonly scanner: SliceRunner;
  readonly vectors: {
    /** The best rows by a vector index; null if it is not ready. Rejects with an EngineError. */
    nearestRows(search: IndexedSearch): Promise<TakenRows | null>;
  };
  /** Called with the way in which each vector search was answered: by an index, or by a comparison of all rows. */
  readonly onVectorSearch?: ((by: 'index' | 'rows') => void) | undefined;
  readonly clock: Clock;
  /** The time limit of a read. */
  readonly timeoutMs: number;
  /** For long reads. */
  readonly slices?: ScanSlices | undefined;
  /**
   * The maximum size of the rows of one read on this thread, in bytes; a read with larger rows is refused with `large`.
   */
  readonly mostBytes: number;
}

const everything = { filter: true, order: true } as const;

function outcomeOf({ plan, deadline }: RunningRead, read: ShortRead): ReadOutcome {
  const { order, page } = plan;
  const columns = columnsToRead(plan);
  const { chunks, written } = read;
  // A page that SQLite wrote as JSON has its position. A spread would take longer than all the rest.
  if (written !== undefined) return { columns, order, applied: everything, chunks, written, deadline };
  const outcome = { columns, order, applied: everything, deadline, ...read };
  if (!wantsPosition(page)) return outcome;
  return { ...outcome, positionOf: positionNamer(plan, columns) };
}

/** The outcome of at most one row. No row follows it, so its position is never requested. */
function outcomeOfLookup({ plan, deadline }: RowLookup, { chunks, written }: ShortRead): ReadOutcome {
  const { columns, table } = plan;
  const order = plan.order ?? table.keyOrder;
  // Most reads end here, and a spread would take longer than all the rest.
  return written === undefined
    ? { columns, order, applied: everything, chunks, deadline }
    : { columns, order, applied: everything, chunks, written, deadline };
}

/** Runs reads. */
export class RowReads {
  readonly #tools: ReadTools;

  constructor(tools: ReadTools) {
    this.#tools = tools;
  }

  /** Rejects with an EngineError: `schemaChanged` if the plan is for another version of its table. */
  async read(plan: ReadPlan): Promise<ReadOutcome> {
    const { table } = plan;
    const { schema } = this.#tools;
    const before = schema();
    refuseOutdated(table, before instanceof Promise ? await before : before);
    const reading = this.#readAlongPath(plan);
    const outcome = reading instanceof Promise ? await reading : reading;
    const after = schema();
    refuseLostSlots(table, after instanceof Promise ? await after : after);
    const { chunks } = outcome;
    // Later chunks are checked when they are read.
    return Array.isArray(chunks) ? outcome : { ...outcome, chunks: checkedChunks(chunks, table, schema) };
  }

  #readAlongPath(plan: ReadPlan): Promise<ReadOutcome> | ReadOutcome {
    const { clock, timeoutMs } = this.#tools;
    const deadline = new ReadTimeLimit(clock, timeoutMs);
    const path = accessPath(plan);
    switch (path.kind) {
      case 'nothing':
        return outcomeOfLookup({ plan, deadline }, { chunks: [] });
      case 'keyLookup':
        return this.#lookUp({ plan, deadline }, path.key);
      case 'indexRanges':
        return this.#readRanges({ plan: path.plan, deadline }, path.ranges);
      case 'merge':
        return this.#unlessLarge(plan, this.#merge(this.#limited(path.plan, deadline), path.statement));
      case 'scan':
        return this.#unlessLarge(plan, this.#scan(this.#limited(path.plan, deadline), path.seeks));
      case 'documents': {
        const read = this.#limited({ ...plan, order: plan.table.keyOrder }, deadline);
        return this.#unlessLarge(plan, readDocuments({ ...read, search: path.search }, this.#tools));
      }
      case 'words': {
        const read = { ...this.#limited(path.plan, deadline), match: path.match };
        return this.#unlessLarge(plan, readMatchingRows(read, this.#tools));
      }
      case 'wordSearch': {
        const read = { ...this.#limited(path.plan, deadline), search: path.search };
        return this.#unlessLarge(
          plan,
          findByWords(read, this.#tools, (of) => this.#filterOf(of)),
        );
      }
      case 'vectorIndex': {
        const read = { ...this.#limited(path.plan, deadline), search: path.search };
        return this.#unlessLarge(plan, this.#searchIndex(read, path.index));
      }
      case 'vectorScan': {
        const read = { ...this.#limited(path.plan, deadline), search: path.search };
        return this.#unlessLarge(plan, this.#searchRows(read));
      }
    }
  }

  #lookUp(read: RowLookup, key: PrimaryKey): Promise<ReadOutcome> {
    const { reader, mostBytes } = this.#tools;
    return reader.read((database) => outcomeOfLookup(read, lookUpRow(database, read, key, mostBytes)));
  }

  /** Reads rows as JSON written by SQLite if the plan allows it, otherwise as values. */
  #readRanges(read: RunningRead, ranges: readonly IndexRange[]): Promise<ReadOutcome> {
    const { reader, mostBytes } = this.#tools;
    const { plan } = read;
    const page = writtenPage(plan, ranges, mostBytes);
    const asValues = (database: Database) => outcomeOf(read, readRanges(database, read, ranges, mostBytes));
    if (page === undefined) return reader.read(asValues, ranges.length > 1);
    return reader.readPage(page, (found) => outcomeOf(read, shownPage(plan, found)), asValues);
  }

  /** On a scan thread, because many ranges take longer than a short read may. */
  async #merge(read: RunningRead, statement: SelectStatement): Promise<ReadOutcome> {
    const { rows, isCut } = await this.#tools.scanner.runSlice([statement], read.plan.page.maxBytes);
    const [found = []] = rows;
    const chunks = [decodeRows(found, statement.columns, read)];
    return outcomeOf(read, { chunks, endedForSize: () => isCut });
  }

  #scan(read: RunningRead, seeks: Seeks): ReadOutcome {
    const { scanner, slices } = this.#tools;
    let isCut = false;
    const cut = () => {
      isCut = true;
    };
    const chunks = scanInSlices(read, seeks, scanner, slices, cut);
    return outcomeOf(read, { chunks, endedForSize: () => isCut });
  }

  /** Compares all rows while the index is not ready. */
  async #searchIndex(wanted: RunningSearch, index: VectorIndex): Promise<ReadOutcome> {
    const { vectors, onVectorSearch } = this.#tools;
    const { filter } = wanted.plan;
    const numbers = filter === matchAll ? undefined : await this.#filterOf(wanted.plan);
    const rows = await vectors.nearestRows(indexedSearch(wanted, index, numbers));
    if (rows === null) return this.#searchRows(wanted);
    onVectorSearch?.('index');
    return rankedOutcome(wanted, rows);
  }

  /** How the rows that pass the filter of a search are found; undefined if all rows pass. */
  async #filterOf(plan: OrderedPlan): Promise<FilterStatement | undefined> {
    const found = filterStatement(plan);
    if (found?.kind !== 'slices' || requiredDocumentsOf(plan.filter).length === 0) return found;
    return (await this.#tools.reader.read((database) => documentNumbers(database, plan), true)) ?? found;
  }

  #searchRows(wanted: RunningSearch): Promise<ReadOutcome> {
    const { onVectorSearch, scanner, slices } = this.#tools;
    onVectorSearch?.('rows');
    return scanForNearest(wanted, scanner, slices);
  }

  /** The read of a plan, with the limit on its bytes for this thread. */
  #limited(plan: OrderedPlan, deadline: ReadTimeLimit): RunningRead {
    const { mostBytes } = this.#tools;
    const { page } = plan;
    if (mostBytes >= page.maxBytes) return { plan, deadline };
    return { plan: { ...plan, page: { ...page, maxBytes: mostBytes } }, deadline };
  }

  /** Refuses the read of a plan if its limit for this thread ends it. */
  async #unlessLarge({ page }: ReadPlan, reading: Promise<ReadOutcome> | ReadOutcome): Promise<ReadOutcome> {
    const outcome = await reading;
    if (this.#tools.mostBytes >= page.maxBytes) return outcome;
    const { endedForSize = () => false } = outcome;
    return {
      ...outcome,
      endedForSize: () => {
        if (endedForSize()) throw new EngineError('large', 'the rows are too large to be read here');
        return false;
      },
    };
  }
}
