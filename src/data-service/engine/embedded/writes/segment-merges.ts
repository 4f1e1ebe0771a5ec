// Merges adjacent segments of index entries in small steps between commits, so that reads look into few of them.
// A merge copies entries in order, then changes which segment belongs to the documents, then deletes the old entries.
// What an interrupted merge has copied belongs to no segment, and is deleted later.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { EntriesOwner } from '../file/sql-names.js';
import {
  addEntryUpToText,
  deleteEntriesBeforeText,
  deleteEntriesText,
  deleteSegmentsText,
  entryAtText,
  lastOfSegmentText,
  mergeText,
  putSegmentText,
} from '../statements/entry-statements.js';
import { type EntrySegments, type Segment, type SegmentSizes, segmentSizes } from './entry-segments.js';

/** While documents are inserted, so many segments of about the same size become one, which is of the next size. */
const mergedUnderLoad = 16;
/** Without writes, segments but the largest are merged until each is so many times as large as all behind it. */
const ratioAtRest = 4;
/** A merge of more segments would compare too many entries for each that it copies. */
const mostMerged = 16;

/** What is left to merge; `many` if reads look into too many segments. */
export type MergesLeft = 'none' | 'some' | 'many';

interface Merge {
  readonly sources: readonly Segment[];
  readonly target: number;
  readonly beganAtRest: boolean;
  /** The path, key and document of the last entry that was copied. */
  place: readonly SqlValue[];
}

/** The merges of one collection. */
export class SegmentMerges {
  readonly #database: Database;
  readonly #table: EntriesOwner;
  readonly #segments: EntrySegments;
  readonly #sizes: SegmentSizes;
  #merge: Merge | undefined;

  constructor(
    table: EntriesOwner,
    segments: EntrySegments,
    database: Database,
    sizes: SegmentSizes = segmentSizes,
  ) {
    this.#sizes = sizes;
    this.#table = table;
    this.#segments = segments;
    this.#database = database;
  }

  /**
   * Runs the next step in the present transaction. Returns false if nothing is left to do; at rest more segments are
   * merged.
   */
  step(isAtRest: boolean): boolean {
    const { list } = this.#segments;
    const loaded = sourcesUnderLoad(list, this.#sizes);
    // A merge that began at rest pauses while documents are written.
    if (!isAtRest && this.#merge?.beganAtRest !== false && loaded.length === 0) return false;
    const [leftover] = this.#segments.leftovers;
    if (leftover !== undefined) {
      this.#deleteSome(leftover);
      return true;
    }
    if (this.#merge === undefined) {
      const sources = isAtRest ? sourcesAtRest(list, this.#sizes) : loaded;
      if (sources.length < 2) return false;
      const target = this.#segments.nextMergedId();
      this.#merge = { sources, target, beganAtRest: isAtRest, place: beforeAll };
    }
    this.#copySome(this.#merge);
    return true;
  }

  /** Whether there are more segments than merges under load leave when they keep pace. */
  get isBehind(): boolean {
    return this.#segments.list.length > this.#sizes.most;
  }

  /** Adds an entry of a document whose segment is being merged to what was copied, if its place was. */
  noteAdded(segment: number, entry: readonly SqlValue[]): void {
    const target = this.targetOf(segment);
    if (target === undefined || this.#merge === undefined) return;
    const { place } = this.#merge;
    this.#database.statement(addEntryUpToText(this.#table)).run([target, ...entry, ...place]);
  }

  /** The segment into which the entries of another one are being copied. */
  targetOf(segment: number): number | undefined {
    return this.#merge?.sources.some(({ id }) => id === segment) === true ? this.#merge.target : undefined;
  }

  #copySome(merge: Merge): void {
    const { sources, target, place } = merge;
    const places = sources.flatMap(({ id }) => [id, ...place]);
    const copy = this.#database.statement(mergeText(this.#table, sources.length));
    const { changes } = copy.run([target, ...places, this.#sizes.copied]);
    if (changes < this.#sizes.copied) this.#finish(merge);
    else merge.place = this.#lastOf(target);
  }

  #lastOf(segment: number): readonly SqlValue[] {
    const last = this.#database.statement(lastOfSegmentText(this.#table), { returnArrays: true });
    return last.get([segment]) ?? beforeAll;
  }

  #finish({ sources, target }: Merge): void {
    const [first] = sources;
    const last = sources.at(-1);
    if (first === undefined || last === undefined) return;
    const entries = sources.reduce((sum, source) => sum + source.entries, 0);
    this.#database.statement(deleteSegmentsText(this.#table)).run([first.first, last.first]);
    this.#database.statement(putSegmentText(this.#table)).run([first.first, target, entries]);
    this.#segments.replace(sources, { first: first.first, id: target, entries });
    this.#merge = undefined;
  }

  #deleteSome(segment: number): void {
    const at = this.#database.statement(entryAtText(this.#table), { returnArrays: true });
    const end = at.get([segment, this.#sizes.deleted]);
    if (end !== undefined) {
      this.#database.statement(deleteEntriesBeforeText(this.#table)).run([segment, ...end]);
      return;
    }
    this.#database.statement(deleteEntriesText(this.#table)).run([segment]);
    this.#segments.leftovers.shift();
  }
}

/** Paths have numbers above 0. */
const beforeAll: readonly SqlValue[] = [0, 0, 0];

/**
 * The last segment gets new documents and is not merged, and large ones are not copied again. Newer segments are merged
 * first. Those before a large one are all too small for what is behind them.
 */
function sourcesAtRest(list: readonly Segment[], { largestAtRest }: SegmentSizes): readonly Segment[] {
  const others = list.slice(0, -1);
  for (let end = others.length; end > 0; ) {
    const large = others.slice(0, end).findLastIndex(({ entries }) => entries > largestAtRest);
    const adjacent = others.slice(large + 1, end);
    const sources = end === others.length ? tooSmall(adjacent) : adjacent;
    if (sources.length > 1) return fewestEntries(sources);
    end = large;
  }
  return [];
}

/** The oldest segment that has too few entries for what is behind it, and all newer ones. */
function tooSmall(segments: readonly Segment[]): readonly Segment[] {
  let first = segments.length;
  let behind = 0;
  for (const [at, { entries }] of [...segments.entries()].reverse()) {
    if (entries <= behind * ratioAtRest) first = at;
    behind += entries;
  }
  return segments.slice(first);
}

/** The adjacent segments that one merge takes, with as few entries as possible. */
function fewestEntries(segments: readonly Segment[]): readonly Segment[] {
  const sumFrom = (at: number) =>
    segments.slice(at, at + mostMerged).reduce((sum, { entries }) => sum + entries, 0);
  let best = 0;
  for (let at = 1; at <= segments.length - mostMerged; at += 1) if (sumFrom(at) < sumFrom(best)) best = at;
  return segments.slice(best, best + mostMerged);
}

function sourcesUnderLoad(list: readonly Segment[], { filled }: SegmentSizes): readonly Segment[] {
  const levelOf = ({ entries }: Segment) =>
    Math.floor(Math.log(Math.max(1, (entries * 2) / filled)) / Math.log(mergedUnderLoad));
  const others = list.slice(0, -1);
  for (let level = 0; ; level += 1) {
    const larger = others.findLastIndex((each) => levelOf(each) > level);
    const adjacent = others.slice(larger + 1);
    if (adjacent.filter((each) => levelOf(each) === level).length >= mergedUnderLoad)
      return adjacent.slice(0, mostMerged);
    if (larger < 0) return [];
  }
}
