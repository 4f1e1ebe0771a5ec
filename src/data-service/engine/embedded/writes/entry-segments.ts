// Which segment has the index entries of a document. New documents fill a small segment at the end, whose pages are
// changed together; `segment-merges.ts` makes large segments of small ones.

import { getOrMake } from '../../../../foundation/get-or-make.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { EntriesOwner } from '../file/sql-names.js';
import {
  countSegmentText,
  nextSegmentText,
  putSegmentText,
  segmentsText,
} from '../statements/entry-statements.js';

/** Entries of documents with numbers from `first` to the next segment. */
export interface Segment {
  readonly first: number;
  readonly id: number;
  /** About how many entries it has; 0 while documents are added to it. */
  readonly entries: number;
}

/** Numbers of entries. */
export interface SegmentSizes {
  /** A new segment begins after so many: with more, a commit of some documents would change more pages. */
  readonly filled: number;
  /** The entries of one step of a merge, which takes some milliseconds. */
  readonly copied: number;
  readonly deleted: number;
  /** Segments with more are merged only while documents are inserted: to copy all entries again gains little. */
  readonly largestAtRest: number;
  /** With more segments merges are behind the inserts: a condition looks into each, 1 to 2 µs. */
  readonly most: number;
}

/** Sizes that suit commits of some documents, and some milliseconds of work. */
export const segmentSizes: SegmentSizes = {
  filled: 24_000,
  copied: 2_000,
  deleted: 6_000,
  largestAtRest: 1_000_000,
  most: 200,
};

/** Ids of merged segments begin here, so that they are written at the end of the table. */
const firstMergedId = 2 ** 40;

/** The segments of one collection, as the writer thread knows them. */
export class EntrySegments {
  readonly #database: Database;
  readonly #table: EntriesOwner;
  #segments: Segment[];
  /** Ids of entries that belong to no segment: what a merge has left. */
  readonly leftovers: number[];
  readonly #filled: number;
  /** The numbers of entries of segments to which documents are added. */
  readonly #counts = new Map<number, number>();
  #nextId: number;
  #nextMergedId: number;

  constructor(table: EntriesOwner, database: Database, { filled }: SegmentSizes = segmentSizes) {
    this.#database = database;
    this.#filled = filled;
    this.#table = table;
    const rows = database.statement(segmentsText(table), { returnArrays: true }).all();
    this.#segments = rows.map(([first, id, entries]) => ({
      first: Number(first),
      id: Number(id),
      entries: Number(entries),
    }));
    const known = new Set(this.#segments.map(({ id }) => id));
    const stored = storedIds(table, database);
    this.leftovers = stored.filter((id) => !known.has(id));
    const ids = [...known, ...stored];
    this.#nextId = 1 + Math.max(0, ...ids.filter((id) => id < firstMergedId));
    this.#nextMergedId = 1 + Math.max(firstMergedId, ...ids);
  }

  /** Ascending by the numbers of documents. New documents belong to the last one. */
  get list(): readonly Segment[] {
    return this.#segments;
  }

  /**
   * The id of the segment for the entries of a document that has none yet: a new one, after all others, or the next one
   * of a build. A new segment begins with it if the present one is full.
   */
  idForNew(document: number, entries: number): number {
    const at = this.#indexOf(document);
    const present = this.#segments[at];
    const before = present === undefined ? 0 : this.#countOf(present);
    if (present !== undefined && (before === 0 || before + entries <= this.#filled)) {
      this.#counts.set(present.id, before + entries);
      return present.id;
    }
    if (present !== undefined) this.close(document - 1);
    const next = { first: present === undefined ? 0 : document, id: this.#nextId, entries: 0 };
    this.#nextId += 1;
    this.#put(at + 1, 0, next);
    this.#counts.set(next.id, entries);
    return next.id;
  }

  /** Notes that no document is added to a segment any more, that of a document. */
  close(document: number): void {
    const at = this.#indexOf(document);
    const segment = this.#segments[at];
    if (segment === undefined) return;
    this.#put(at, 1, { ...segment, entries: this.#countOf(segment) });
    this.#counts.delete(segment.id);
  }

  /** The id of the segment of a document that is stored. */
  idOf(document: number): number {
    return this.#segments[this.#indexOf(document)]?.id ?? this.idForNew(document, 0);
  }

  /** The place of the segment of a document; -1 if there is none. */
  #indexOf(document: number): number {
    let [low, high] = [0, this.#segments.length - 1];
    if ((this.#segments[high]?.first ?? 0) <= document) return high;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#segments[middle]?.first ?? 0) <= document) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The entries of a segment to which documents are added; the stored ones, if another process began it. */
  #countOf({ id }: Segment): number {
    return getOrMake(this.#counts, id, () => {
      const count = this.#database.statement(countSegmentText(this.#table), { returnArrays: true });
      return Number(count.get([id, this.#filled + 1])?.[0]);
    });
  }

  /** An id for entries of several segments. */
  nextMergedId(): number {
    this.#nextMergedId += 1;
    return this.#nextMergedId - 1;
  }

  /** Notes that one segment is instead of some others, which are adjacent. */
  replace(merged: readonly Segment[], by: Segment): void {
    const removed = new Set(merged);
    this.#segments = [...this.#segments.filter((each) => !removed.has(each)), by].sort(
      (one, other) => one.first - other.first,
    );
    this.leftovers.push(...merged.map(({ id }) => id));
  }

  /** Puts a segment at a place in the list, instead of so many others. */
  #put(at: number, instead: number, segment: Segment): void {
    const { first, id, entries } = segment;
    this.#database.statement(putSegmentText(this.#table)).run([first, id, entries]);
    this.#segments.splice(at, instead, segment);
  }
}

function storedIds(table: EntriesOwner, database: Database): readonly number[] {
  const statement = database.statement(nextSegmentText(table), { returnArrays: true });
  const ids: number[] = [];
  for (let id = Number.NEGATIVE_INFINITY; ; ) {
    const [next] = statement.get([id]) ?? [];
    if (next === null || next === undefined) return ids;
    id = Number(next);
    ids.push(id);
  }
}
