// The pages of a read: the rows of its sources in their order, with some of the next sources read ahead.
import type { CqlPage, CqlSession, CqlStatement } from '../../../foundation/cassandra/cql-session.js';
import type { Lease, MemoryShare } from '../../../foundation/limits/memory-share.js';
import { isReadable } from '../../column-types/column-type.js';
import { UnknownField } from '../../column-types/user-types.js';
import { matchesMembers } from '../../query/filter.js';
import { bytesOf, finishLimits, tooLargeToFind } from '../../query/finish-limits.js';
import type { RowValues } from '../../query/read.js';
import type { Column } from '../../schema/table.js';
import { EngineError } from '../engine-error.js';
import type { ReadTimeLimit } from '../read-time-limit.js';
import { readFailure } from './engine-failure.js';
import type { KnownRows, PageLimits } from './known-rows.js';
import { hasFilter, type RowSource } from './statements/row-source.js';

/** Bytes and rows of a page. */
const pageLimits: PageLimits = { bytes: 4 * 1024 * 1024, rows: 1_000, growth: 2 };
/** The limits of a page of documents that an index finds: a node reads each of them with all of its terms. */
const lookupLimits: PageLimits = { bytes: 4 * 1024 * 1024, rows: 250, growth: 2 };
/** How many times as many rows the next page of a source has, where it is not known how many rows it takes. */
const paceGrowth = 4;
/** A search has one page: it is repeated for more rows until it has all that are wanted. */
const searchLimits: PageLimits = { bytes: finishLimits.bytes, rows: 1_000, growth: 8 };
/** A table with no more rows is read where a search by its index may lack some: as many as a search can give. */
const smallTableRows = 1_000;
/** The share of the time that is left for such a read: if nodes do not answer it, the rest is for the search's rows. */
const readShare = 0.5;
/** Sources that are read at the same time, once it is known that one does not have all rows. */
const mostAhead = 8;
/** The largest row of a smaller page is not looked for. */
const smallPageBytes = 64 * 1024;

/** Which rows a read takes. */
export interface WantedRows {
  readonly sources: readonly RowSource[];
  readonly columns: readonly Column[];
  /** The statement that reads a source. */
  readonly statementOf: (source: RowSource) => CqlStatement;
  /** How each source is searched; undefined where the sources are read. */
  readonly search: SourceSearch | undefined;
  /** How many at most, of all sources. */
  readonly wanted: number;
  /** How many the first page may have, where that is probably enough. Absent: any number. */
  readonly firstRows?: number | undefined;
  /** The bytes of a page at most, as far as they are known before. Absent: as many as usual. */
  readonly pageBytes?: number | undefined;
  /** The bytes of all pages of a read that has others beside these. Absent: it has none. */
  readonly taken?: TakenBytes | undefined;
  /** A column that every row has a value of, where a partition without rows comes as a row. */
  readonly present: Column | undefined;
}

/** The bytes of the pages that came for one read. */
export interface TakenBytes {
  bytes: number;
}

export interface SourceSearch {
  /** How many rows each shall find. */
  readonly rows: number;
  /** The statement that finds so many rows of a source. */
  readonly statementOf: (source: RowSource, rows: number) => CqlStatement;
}

/** What pages are read with. */
export interface PageTools {
  readonly session: Pick<CqlSession, 'run'>;
  /** For the rows that are on their way, of all reads. */
  readonly memory: MemoryShare;
  /** The bytes that one read may take on this thread: `large` beyond that. */
  readonly mostBytes: number;
}

interface Page {
  readonly rows: readonly RowValues[];
  readonly next: string | null;
}

interface AskedPage extends Page {
  /** How many rows the cluster was asked for. */
  readonly asked: number;
}

interface AskOptions {
  /** Default: what reads the source. */
  readonly statementOf?: SourceSearch['statementOf'];
  /** The share of the time that is left; default: 1. */
  readonly timeShare?: number;
}

/** The pages of one read. */
export class RowPages {
  readonly #rows: WantedRows;
  readonly #known: KnownRows;
  readonly #deadline: ReadTimeLimit;
  readonly #tools: PageTools;
  /** The source whose rows come next, and its next page. */
  #at = 0;
  #next: string | null = null;
  /** First pages of this source and the next ones, by the places of their sources. */
  readonly #ahead = new Map<number, Promise<Page>>();
  #width = 1;
  #given = 0;
  readonly #taken: TakenBytes;
  #pace: number;

  constructor(rows: WantedRows, known: KnownRows, deadline: ReadTimeLimit, tools: PageTools) {
    this.#rows = rows;
    this.#taken = rows.taken ?? { bytes: 0 };
    this.#pace = rows.firstRows ?? Number.POSITIVE_INFINITY;
    this.#known = known;
    this.#deadline = deadline;
    this.#tools = tools;
  }

  /** Whether there are no more pages, or no more rows are wanted. */
  get isAtEnd(): boolean {
    return this.#at >= this.#rows.sources.length || this.#given >= this.#rows.wanted;
  }

  /** The next page, which may have no rows. @throws EngineError, ApiError OVERLOADED_SORT_ROW_LIMIT for a search */
  async next(): Promise<readonly RowValues[]> {
    const source = this.#rows.sources[this.#at];
    if (source === undefined) return [];
    const page = await (this.#next === null ? this.#firstPage() : this.#read(source, this.#next));
    this.#next = page.next;
    if (page.next === null) {
      this.#at += 1;
      this.#width = Math.min(mostAhead, 2 * this.#width);
    }
    this.#given += page.rows.length;
    return page.rows;
  }

  #firstPage(): Promise<Page> {
    const end = Math.min(this.#at + this.#width, this.#rows.sources.length);
    for (let place = this.#at; place < end; place += 1) {
      const source = this.#rows.sources[place];
      if (source === undefined || this.#ahead.has(place)) continue;
      const { search } = this.#rows;
      const page = search === undefined ? this.#read(source, null) : this.#search(source, search);
      page.catch(() => undefined); // of a page that is not wanted any more; otherwise its reader gets the failure
      this.#ahead.set(place, page);
    }
    const first = this.#ahead.get(this.#at) ?? Promise.resolve({ rows: [], next: null });
    this.#ahead.delete(this.#at);
    return first;
  }

  #read(source: RowSource, after: string | null): Promise<Page> {
    const { wanted, pageBytes = Number.POSITIVE_INFINITY } = this.#rows;
    const { mostBytes } = this.#tools;
    const { bytes, rows, growth } = source.lookup === undefined ? pageLimits : lookupLimits;
    const limits = { bytes: Math.min(bytes, pageBytes, mostBytes), rows, growth };
    const pace = this.#pace;
    this.#pace *= paceGrowth;
    const rowsToAsk = () => this.#known.rowsToAsk(Math.min(wanted - this.#given, pace), limits);
    return this.#ask(source, rowsToAsk, after);
  }

  async #search(source: RowSource, { rows: wanted, statementOf }: SourceSearch): Promise<Page> {
    for (let before = 0; ; ) {
      const rowsToAsk = () => {
        const rows = this.#known.rowsToAsk(wanted, searchLimits);
        if (rows <= before) throw tooLargeToFind(finishLimits);
        return rows;
      };
      const { rows, asked } = await this.#ask(source, rowsToAsk, null, { statementOf });
      if (rows.length < asked) return { rows: (await this.#allIfFew(source)) ?? rows, next: null };
      if (asked === wanted) return { rows, next: null };
      before = asked;
    }
  }

  /**
   * All rows of a source in which a search found fewer than it was asked for, also those without a vector: its graph
   * may have rows that no search reaches (docs/decisions/0157). undefined where the source has more than a small table,
   * where the cluster cannot read it now, and behind a filter, where nodes compare all vectors of so few rows.
   */
  async #allIfFew(source: RowSource): Promise<readonly RowValues[] | undefined> {
    if (hasFilter(source)) return undefined;
    const most = this.#taken.bytes + searchLimits.bytes;
    const all: RowValues[] = [];
    let next: string | null = null;
    // Behind a page with as many rows as it may have, Cassandra names a next one, which may be empty.
    for (let asked = 0; asked <= smallTableRows && this.#taken.bytes <= most; ) {
      const left = smallTableRows + 1 - asked;
      const rowsToAsk = () => this.#known.rowsToAsk(left, searchLimits);
      const reading: Promise<AskedPage> = this.#ask(source, rowsToAsk, next, { timeShare: readShare });
      const page: AskedPage | undefined = await reading.catch(undefinedIfUnreadable);
      if (page === undefined) return undefined;
      all.push(...page.rows);
      if (page.next === null) return all;
      next = page.next;
      asked += page.asked;
    }
    return undefined;
  }

  /** Runs a statement of a source for as many rows as there is memory for. */
  async #ask(
    source: RowSource,
    rowsToAsk: () => number,
    after: string | null,
    { statementOf = this.#rows.statementOf, timeShare = 1 }: AskOptions = {},
  ): Promise<AskedPage> {
    const { asked, lease } = await this.#takeMemory(rowsToAsk);
    try {
      // Literals: copying the members of another object takes longer, for each page.
      const { cql, values, isIdempotent, consistency } = statementOf(source, asked);
      const timeoutMs = Math.ceil(leftMs(this.#deadline) * timeShare);
      const statement = { cql, values, isIdempotent, consistency, pageRows: asked, timeoutMs };
      const { rows, next } = this.#valuesOf(await this.#tools.session.run(statement, after), source);
      return { rows, next, asked };
    } catch (error) {
      throw readFailure(error);
    } finally {
      lease.release();
    }
  }

  /** While a read waits, others may see larger rows: then it asks for fewer. */
  async #takeMemory(rowsToAsk: () => number): Promise<{ readonly asked: number; readonly lease: Lease }> {
    for (;;) {
      const asked = rowsToAsk();
      const bytes = this.#known.expectedBytes(asked);
      const lease = await takeMemory(this.#tools.memory, bytes, this.#deadline);
      if (this.#known.expectedBytes(asked) <= bytes) return { asked, lease };
      lease.release();
    }
  }

  #valuesOf(page: CqlPage, { without }: RowSource): Page {
    const { columns, present } = this.#rows;
    this.#taken.bytes += page.bytes;
    if (this.#taken.bytes > this.#tools.mostBytes)
      throw new EngineError('large', 'the rows are too large to be read here');
    const rows = page.rows.map((row) => presentValues(row, columns));
    this.#known.note(rows.length, largestOf(page.bytes, rows, columns));
    if (present === undefined && without === undefined) return { rows, next: page.next };
    const valueIn = (row: RowValues, column: Column) => row[columns.indexOf(column)] ?? null;
    const isOwn = (row: RowValues) =>
      (present === undefined || valueIn(row, present) !== null) &&
      (without === undefined || !matchesMembers(without, valueIn(row, without.column)));
    return { rows: rows.filter(isOwn), next: page.next };
  }
}

/** The memory for a page, which other reads may hold. @throws EngineError `overloaded` */
async function takeMemory(memory: MemoryShare, bytes: number, deadline: ReadTimeLimit): Promise<Lease> {
  const taken = memory.tryTake(bytes);
  if (taken !== undefined) return taken;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      leave();
      reject(new EngineError('overloaded', 'other reads hold the memory for rows'));
    }, leftMs(deadline));
    const leave = memory.takeWhenFree(bytes, (lease) => {
      clearTimeout(timer);
      resolve(lease);
    });
  });
}

/**
 * A search needs one node, the read of a table more: where they do not answer, what the search found is the answer.
 * @throws other errors again
 */
function undefinedIfUnreadable(error: unknown): undefined {
  const kinds: readonly string[] = ['unavailable', 'readFailed', 'timeout'];
  if (!(error instanceof EngineError) || !kinds.includes(error.kind)) throw error;
}

function leftMs(deadline: ReadTimeLimit): number {
  return Math.floor(deadline.left().leftMs) + 1; // 0 would mean none
}

/** @throws EngineError `schemaChanged` for values of a user-defined type that has other fields now */
function presentValues(row: readonly unknown[], columns: readonly Column[]): RowValues {
  try {
    return valuesOf(row, columns);
  } catch (error) {
    if (!(error instanceof UnknownField)) throw error;
    throw new EngineError('schemaChanged', error.message, error);
  }
}

function valuesOf(row: readonly unknown[], columns: readonly Column[]): RowValues {
  return columns.map(({ type }, at) => {
    const value = row[at];
    if (value === null || value === undefined) return null;
    // Positions need the bytes of a column that cannot be read here; a filter asks only whether a row has a value.
    return isReadable(type) || type.cql.selectedAs !== undefined ? type.cql.fromDriver(value) : true;
  });
}

/** About the bytes of the largest row of a page, whose rows have `bytes` together. */
function largestOf(bytes: number, rows: readonly RowValues[], columns: readonly Column[]): number {
  if (bytes <= smallPageBytes) return Math.min(bytes, (2 * bytes) / Math.max(1, rows.length));
  return rows.reduce((largest, row) => Math.max(largest, bytesOf(row, columns)), 0);
}
