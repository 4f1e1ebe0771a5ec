// Reads documents that match a filter: by the entries of the condition that has the fewest, in slices on scan threads.
// Documents are in the order of their numbers; only where a range has many entries, they are in its order.
import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { EntrySeek } from '../../../documents/filter-entries.js';
import { type ReadOutcome, type RowValues, rowsToRead } from '../../../query/read.js';
import { OutdatedPosition } from '../../../query/row-order.js';
import { withComparedLimit } from '../file/document-functions.js';
import { entriesId } from '../file/sql-names.js';
import { decodeRows, preparedFor } from '../file/stored-rows.js';
import { rowsOf, sizeOfRows, takeRows } from '../file/take-rows.js';
import type { Reader } from '../reads/reader.js';
import type { ScanSlices } from '../scans/scan.js';
import { ScanBudget } from '../scans/scan-budget.js';
import type { Slice, SliceRunner } from '../scans/scanner.js';
import type { DocumentSearch } from '../statements/document-search.js';
import type { RunningRead } from '../statements/ordered-plan.js';
import { rowNumberColumn } from '../statements/text-search-statements.js';
import { mostWritten } from './entry-lists.js';
import { entryPart, hasNoRange, mostRangesOfFew, rangesOf } from './entry-part.js';
import {
  byEntryStatement,
  byNumberStatement,
  type EntryPart,
  type EntryPlace,
  entryKeyColumn,
  isOfPoints,
  lastEntryStatement,
  lastNumberStatement,
  type NumberSpan,
  segmentsStatement,
} from './entry-reads.js';
import {
  type EntrySurvey,
  fewEnough,
  fewestEntries,
  seeksOnKnownPaths,
  surveyInSlices,
  surveyNow,
} from './entry-survey.js';
import { type PagePlace, packPlace, unpackPlace } from './page-place.js';

/** A read of documents under way. */
export interface RunningDocumentSearch extends RunningRead {
  readonly search: DocumentSearch;
}

/** The number of characters of documents that a short read compares: some milliseconds. More go in slices. */
const mostCompared = 1_000_000;
/** The candidates of the first slice, and the bounds of the others. */
const candidateBounds = { first: 200, least: 50, most: 100_000 } as const;
/** The bounds for candidates that are only looked up in entries, which takes a microsecond. */
const probedBounds = { ...candidateBounds, first: 3_000 } as const;
const spanBounds = { first: 2_000, least: 500, most: 1_000_000 } as const;

/**
 * The outcome; many documents are read when they are needed.
 * @throws OutdatedPosition for a position that no read of documents returned, or that other segments do not have
 */
export async function readDocuments(
  read: RunningDocumentSearch,
  tools: DocumentReadTools,
): Promise<ReadOutcome> {
  const { plan, deadline } = read;
  const position = plan.page.after;
  const after = position === null ? null : unpackPlace(position, entriesId(plan.table));
  const reader = new DocumentReader(read, after, tools);
  const few = await reader.readFew();
  return {
    columns: [...plan.columns, rowNumberColumn, entryKeyColumn],
    order: null,
    applied: { filter: true, order: true },
    chunks: few === undefined ? reader.chunks() : [few],
    positionOf: (row) => packPlace(reader.placeOf(row)),
    endedForSize: () => reader.isCut,
    deadline,
  };
}

/** What reads of documents use. */
export interface DocumentReadTools {
  readonly reader: Pick<Reader, 'read'>;
  readonly scanner: SliceRunner;
  readonly slices?: ScanSlices | undefined;
}

/** How a read finds its documents. */
interface Way {
  readonly part: EntryPart;
  readonly isByEntry: boolean;
  /** The largest number of a document. */
  readonly last: number;
}

/** What a read has returned. */
interface Taken {
  rows: number;
  bytes: number;
}

class DocumentReader {
  readonly #read: RunningDocumentSearch;
  /** Where the page before ended; null for the first page. */
  readonly #after: PagePlace | null;
  readonly #reader: DocumentReadTools['reader'];
  readonly #scanner: SliceRunner;
  readonly #slices: ScanSlices | undefined;
  #seeks: readonly EntrySeek[];
  #survey: EntrySurvey | undefined;
  #seek = -1;
  /** The spans of numbers that were read along entries. */
  readonly #spans: NumberSpan[] = [];
  isCut = false;

  constructor(
    read: RunningDocumentSearch,
    after: PagePlace | null,
    { reader, scanner, slices }: DocumentReadTools,
  ) {
    this.#read = read;
    this.#after = after;
    this.#seeks = read.search.seeks;
    this.#reader = reader;
    this.#scanner = scanner;
    this.#slices = slices;
  }

  /**
   * All documents of the read, as a short read, if one condition has few entries; undefined if it must be read in
   * slices.
   */
  async readFew(): Promise<readonly RowValues[] | undefined> {
    // A condition such as `$in: []` has no range.
    if (this.#seeks.some(hasNoRange)) return [];
    const ranges = rangesOf(this.#seeks);
    const isAlongEntries = this.#after !== null && this.#after.seek >= 0;
    if (ranges === 0 || ranges > mostRangesOfFew || isAlongEntries) return undefined;
    return this.#reader.read(withComparedLimit(mostCompared, this.#readIfFew), true);
  }

  readonly #readIfFew = (database: Database): readonly RowValues[] | undefined => {
    const { plan } = this.#read;
    const [only] = this.#seeks;
    const isOne = this.#seeks.length === 1 && only !== undefined && isOfPoints(only);
    if (isOne && only.ranges.length <= mostWritten && rowsToRead(plan) <= fewEnough) {
      // Entries are not counted yet: the first candidates are enough for most reads that select single keys.
      const part = this.#part(0);
      const rows = this.#readCandidates(database, part);
      // If every candidate matches, fewer rows than wanted are all.
      if (part.isExact || rows.length === rowsToRead(plan) || this.isCut) return rows;
    }
    this.#seeks = seeksOnKnownPaths(database, plan.table, this.#seeks);
    if (this.#seeks.some(hasNoRange)) return [];
    const survey = surveyNow(database, plan, this.#seeks);
    const best = fewestEntries(survey);
    if ((survey.counts[best]?.entries ?? fewEnough) < fewEnough)
      return this.#readCandidates(database, this.#part(best));
    this.#survey = survey;
    return undefined;
  };

  #readCandidates(database: Database, part: EntryPart): readonly RowValues[] {
    const { plan } = this.#read;
    const statement = byNumberStatement(part, this.#after?.number ?? 0, fewEnough, rowsToRead(plan));
    const rows = rowsOf(preparedFor(database, statement), statement.values, rowsToRead(plan));
    const taken = takeRows(rows, plan.page.maxBytes);
    this.isCut = taken.isCut;
    return this.#rowsOf(taken.rows, statement.columns.length);
  }

  async *chunks(): AsyncIterable<readonly RowValues[]> {
    const way = await this.#chooseWay();
    if (way === undefined) return;
    if (way.isByEntry) yield* this.#alongEntries(way);
    else yield* this.#byNumbers(way);
  }

  /** The place of a row of the chunks. */
  placeOf(row: RowValues): PagePlace {
    const { columns, table } = this.#read.plan;
    const number = Number(row[columns.length]);
    if (this.#seek < 0) return { seek: -1, number };
    const key = row[columns.length + 1] as EntryPlace['key']; // see `#rowsOf`
    return {
      seek: this.#seek,
      number,
      entry: { key, span: this.#spanOf(number), entriesId: entriesId(table) },
    };
  }

  /** Undefined if no document matches. A page continues in the order in which the page before ended. */
  async #chooseWay(): Promise<Way | undefined> {
    const { plan } = this.#read;
    const after = this.#after;
    const survey = this.#survey ?? (await surveyInSlices(this.#read, this.#seeks, this.#scanner));
    const { seeks, counts, last } = survey;
    if (counts.some(({ entries }) => entries === 0)) return undefined;
    if (after !== null && after.seek >= 0) {
      if (seeks[after.seek]?.ranges.length !== 1) throw new OutdatedPosition();
      return this.#along(after.seek, last);
    }
    const best = fewestEntries(survey);
    const seek = seeks[best];
    if (seek === undefined) return { part: this.#part(undefined), isByEntry: false, last };
    const isFew = counts[best]?.isWhole === true;
    if (isFew || (isOfPoints(seek) && seek.ranges.length <= mostWritten))
      return { part: this.#part(best, survey), isByEntry: false, last };
    const isRestartable = after === null && plan.page.kind !== 'changing' && seek.ranges.length === 1;
    return isRestartable ? this.#along(best, last) : { part: this.#part(undefined), isByEntry: false, last };
  }

  #along(seek: number, last: number): Way {
    this.#seek = seek;
    return { part: this.#part(seek), isByEntry: true, last };
  }

  #part(chosen: number | undefined, survey?: EntrySurvey): EntryPart {
    const { plan, search } = this.#read;
    return entryPart(plan, search, { seeks: this.#seeks, chosen, survey });
  }

  async *#byNumbers({ part, last }: Way): AsyncIterable<readonly RowValues[]> {
    const { plan, deadline } = this.#read;
    const isProbed =
      part.probes.length + part.merged.length > 0 && part.isCovered && part.checks.length === 0;
    const bounds = part.seek === undefined ? spanBounds : isProbed ? probedBounds : candidateBounds;
    const budget = new ScanBudget(deadline, this.#slices?.walk ?? bounds);
    let [above, found, bytes] = [this.#after?.number ?? 0, 0, 0];
    while (above < last && found < rowsToRead(plan)) {
      const candidates = budget.rows;
      const unlessRows = rowsToRead(plan) - found;
      const statement = byNumberStatement(part, above, candidates, unlessRows);
      const end =
        part.seek === undefined ? [] : [{ ...lastNumberStatement(part, above, candidates), unlessRows }];
      const slice = await this.#slice(budget, [statement, ...end], bytes);
      const [stored = [], [ended] = []] = slice;
      yield this.#rowsOf(stored, statement.columns.length);
      found += stored.length;
      bytes += sizeOfRows(stored);
      if (this.isCut) return;
      if (part.seek === undefined) above += candidates;
      else if (Number(ended?.[1] ?? 0) < candidates) return;
      else above = Number(ended?.[0]);
    }
  }

  /** One span of numbers after another, each in the order of its entries. */
  async *#alongEntries(way: Way): AsyncIterable<readonly RowValues[]> {
    const { plan, deadline } = this.#read;
    const after = this.#after;
    const budget = new ScanBudget(deadline, this.#slices?.walk ?? candidateBounds);
    const taken: Taken = { rows: 0, bytes: 0 };
    if (after?.entry !== undefined) {
      const { key, span } = after.entry;
      yield* this.#alongSpan(way, span, { key, number: after.number }, { budget, taken });
    }
    const above = after?.entry?.span.last ?? 0;
    const statement = segmentsStatement(plan, above);
    const { rows } = await this.#scanner.runSlice([statement], Number.POSITIVE_INFINITY);
    const firsts = (rows[0] ?? []).map(([first]) => Math.max(Number(first), above + 1));
    for (const [at, first] of firsts.entries()) {
      if (taken.rows >= rowsToRead(plan) || this.isCut) return;
      const span = { first, last: (firsts[at + 1] ?? way.last + 1) - 1 };
      yield* this.#alongSpan(way, span, undefined, { budget, taken });
    }
  }

  async *#alongSpan(
    { part }: Way,
    span: NumberSpan,
    after: EntryPlace | undefined,
    { budget, taken }: { readonly budget: ScanBudget; readonly taken: Taken },
  ): AsyncIterable<readonly RowValues[]> {
    const { plan } = this.#read;
    this.#spans.push(span);
    let place = after;
    while (taken.rows < rowsToRead(plan)) {
      const unlessRows = rowsToRead(plan) - taken.rows;
      const statement = byEntryStatement(part, span, place, budget.rows, unlessRows);
      const end = { ...lastEntryStatement(part, span, place, budget.rows), unlessRows };
      const [stored = [], [ended] = []] = await this.#slice(budget, [statement, end], taken.bytes);
      yield this.#rowsOf(stored, statement.columns.length);
      taken.rows += stored.length;
      taken.bytes += sizeOfRows(stored);
      if (ended === undefined || this.isCut) return;
      place = { key: ended[0] as EntryPlace['key'], number: Number(ended[1]) }; // keys are never null
    }
  }

  #spanOf(number: number): NumberSpan {
    const span = this.#spans.find(({ first, last }) => first <= number && number <= last);
    if (span === undefined) throw new TypeError('a row is of a span that was read');
    return span;
  }

  async #slice(
    budget: ScanBudget,
    statements: Slice,
    bytes: number,
  ): Promise<readonly (readonly SqlRowArray[])[]> {
    const { maxBytes } = this.#read.plan.page;
    const { rows, isCut } = await budget.run(() => this.#scanner.runSlice(statements, maxBytes - bytes));
    this.isCut ||= isCut || bytes + sizeOfRows(rows[0] ?? []) > maxBytes;
    return rows;
  }

  /** The values of the plan's columns, the number and the key, which is not decoded. */
  #rowsOf(stored: readonly SqlRowArray[], width: number): readonly RowValues[] {
    const { plan } = this.#read;
    const decoded = decodeRows(stored, plan.columns, this.#read);
    return decoded.map((values, at) => [
      ...values,
      stored[at]?.[plan.columns.length],
      stored[at]?.[width - 1],
    ]);
  }
}
