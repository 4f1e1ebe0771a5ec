// Which segment has the index entries of a document. New documents fill a small segment at the end, whose pages are
// changed together; `segment-merges.ts` makes large segments of small ones.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { Table } from '../../../schema/table.js';
import { nextSegmentText, putSegmentText, segmentsText } from '../statements/entry-statements.js';

/** Entries of documents with numbers from `first` to the next segment. */
export interface Segment {
  readonly first: number;
  readonly id: number;
  /** About how many entries it has; of the last segment 0. */
  readonly entries: number;
}

/** Numbers of entries. */
export interface SegmentSizes {
  /** A new segment begins after so many: with more, a commit of some documents would change more pages. */
  readonly filled: number;
  /** Of one step of a merge, which takes some milliseconds. */
  readonly copied: number;
  readonly deleted: number;
}

/** As small as commits of some documents, or some milliseconds of work, need them. */
export const segmentSizes: SegmentSizes = { filled: 24_000, copied: 2_000, deleted: 6_000 };

/** Ids of merged segments begin here, so that they are written at the end of the table. */
const firstMergedId = 2 ** 40;

/** The segments of one collection, as the writer thread knows them. */
export class EntrySegments {
  readonly #database: Database;
  readonly #table: Pick<Table, 'id'>;
  #segments: Segment[];
  /** Ids of entries that belong to no segment: what a merge has left. */
  readonly leftovers: number[];
  readonly #filled: number;
  #entriesOfLast = 0;
  #nextId: number;
  #nextMergedId: number;

  constructor(table: Pick<Table, 'id'>, database: Database, { filled }: SegmentSizes = segmentSizes) {
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

  /** The id of the segment for the entries of a new document, after all others. */
  idForNew(document: number, entries: number): number {
    const last = this.#segments.at(-1);
    this.#entriesOfLast += entries;
    if (last !== undefined && this.#entriesOfLast <= this.#filled) return last.id;
    if (last !== undefined) this.#put({ ...last, entries: this.#entriesOfLast - entries });
    const next = { first: last === undefined ? 0 : document, id: this.#nextId, entries: 0 };
    this.#nextId += 1;
    this.#put(next);
    this.#entriesOfLast = entries;
    return next.id;
  }

  /** The id of the segment of a document that is stored. */
  idOf(document: number): number {
    let [low, high] = [0, this.#segments.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#segments[middle]?.first ?? 0) <= document) low = middle;
      else high = middle - 1;
    }
    return this.#segments[low]?.id ?? this.idForNew(document, 0);
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

  #put(segment: Segment): void {
    const { first, id, entries } = segment;
    this.#database.statement(putSegmentText(this.#table)).run([first, id, entries]);
    if (this.#segments.at(-1)?.first === first) this.#segments.pop();
    this.#segments.push(segment);
  }
}

function storedIds(table: Pick<Table, 'id'>, database: Database): readonly number[] {
  const statement = database.statement(nextSegmentText(table), { returnArrays: true });
  const ids: number[] = [];
  for (let id = Number.NEGATIVE_INFINITY; ; ) {
    const [next] = statement.get([id]) ?? [];
    if (next === null || next === undefined) return ids;
    id = Number(next);
    ids.push(id);
  }
}
