// Keeps a text index fast: moves logged texts to segments, and merges segments. Each step is one short transaction of
// the writer thread, after which searches find the same.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { TokenPlace } from '../file/token-table.js';
import { ChunkWriter } from './chunk-writer.js';
import type { Chunk, ChunkSizes } from './chunks.js';
import { MergeInput, mergeTokens } from './merge-inputs.js';
import { SegmentBuilder } from './segment-builder.js';
import {
  addChunks,
  addSegment,
  readSegments,
  type Segment,
  segmentState,
  type TextTables,
} from './text-tables.js';

/** When texts are moved, and when segments are merged. */
export interface SegmentSizes extends ChunkSizes {
  /** The number of logged texts that become a segment. */
  readonly texts: number;
  /** The number of segments of a level that are merged. */
  readonly segments: number;
}

/** With more texts a segment takes longer than a step should; with fewer, there are more segments to read. */
export const usualSegmentSizes: SegmentSizes = { chunk: 4_700, sharedList: 2_000, texts: 1_000, segments: 8 };

/** The tokens of logged texts in one step may have so many bytes. */
const bytesPerStep = 512 * 1024;
const chunksPerDeletion = 500;

/** At rest, such a share of a segment is moved: fewer logged texts are read in less time than another segment. */
const loggedAtRest = 1 / 16;
/** At rest, segments are merged until each covers so many times as many ages as all newer ones. */
const ratioAtRest = 4;

/** The argument of a step. */
export interface KeepSegments {
  readonly tables: TextTables;
  readonly sizes: SegmentSizes;
  /** Nothing is written at present: searches then read less after more steps. */
  readonly isAtRest: boolean;
}

/** Runs the next step, in a transaction of the caller. Returns about how many steps are left. */
export function keepSegments(
  database: Database,
  { tables, sizes, isAtRest }: KeepSegments,
  isTimeUp: () => boolean,
): number {
  const logged = loggedSegments(database, tables, sizes);
  if (logged >= (isAtRest ? loggedAtRest : 1)) {
    moveLogged(database, tables, sizes);
    return Math.ceil(logged);
  }
  const present = readSegments(database, tables, segmentState.present);
  const [merging] = readSegments(database, tables, segmentState.merging);
  if (merging !== undefined) {
    mergeSome(database, tables, sizes, merging, present, isTimeUp);
    return 1 + Math.floor(present.length / (sizes.segments * 4));
  }
  const sameLevel = segmentsToMerge(present, sizes);
  const wanted = sameLevel.length === 0 && isAtRest ? segmentsToMergeAtRest(present) : sameLevel;
  if (wanted.length > 0) {
    beginMerge(database, tables, sizes, wanted);
    return 1;
  }
  return deleteSome(database, tables) ? 1 : 0;
}

/** How many segments the logged texts would make; of more than eight they are not counted. */
function loggedSegments(database: Database, { recent }: TextTables, { texts }: SegmentSizes): number {
  const sql =
    'SELECT count(*) AS texts, total(tokens) + total(old) AS bytes FROM ' +
    `(SELECT octet_length(tokens) AS tokens, octet_length(old) AS old FROM ${recent} LIMIT ?)`;
  const row = database.statement(sql).get([texts * 8]);
  return Math.max(Number(row?.['texts']) / texts, Number(row?.['bytes']) / bytesPerStep);
}

/** A newer age than all segments have. */
function nextAge(database: Database, { segments }: TextTables): number {
  const row = database.statement(`SELECT coalesce(max(last), 0) + 1 AS age FROM ${segments}`).get();
  return Number(row?.['age']);
}

/** The first logged texts become a segment. */
function moveLogged(database: Database, tables: TextTables, sizes: SegmentSizes): void {
  const builder = new SegmentBuilder();
  let [last, bytes] = [0, 0];
  const rows = database
    .statement(`SELECT row, tokens, old FROM ${tables.recent} ORDER BY row LIMIT ?`, { returnArrays: true })
    .iterate([sizes.texts]);
  for (const [row, tokens, old] of rows) {
    last = Number(row);
    const [logged, before] = [blobOrNull(tokens), blobOrNull(old)];
    builder.add(last, logged, before);
    bytes += (logged?.length ?? 0) + (before?.length ?? 0);
    if (bytes >= bytesPerStep) break;
  }
  database.statement(`DELETE FROM ${tables.recent} WHERE row <= ?`).run([last]);
  addBuilt(database, tables, sizes, builder);
}

/** Adds what a builder has as the newest segment. */
export function addBuilt(
  database: Database,
  tables: TextTables,
  sizes: ChunkSizes,
  builder: SegmentBuilder,
): void {
  const age = nextAge(database, tables);
  const { texts, length } = builder;
  const id = addSegment(database, tables, segmentState.present, {
    level: 0,
    first: age,
    last: age,
    texts,
    length,
  });
  addChunks(database, tables, id, builder.chunks(sizes));
}

/** A stored BLOB or null. */
export function blobOrNull(value: SqlValue | undefined): Uint8Array | null {
  return value instanceof Uint8Array ? value : null;
}

/** The oldest segments of the lowest level that has enough of them. */
function segmentsToMerge(present: readonly Segment[], sizes: SegmentSizes): readonly Segment[] {
  const levels = [...new Set(present.map(({ level }) => level))].sort((left, right) => left - right);
  for (const level of levels) {
    const same = present.filter((segment) => segment.level === level);
    if (same.length >= sizes.segments) return same.slice(0, sizes.segments);
  }
  return [];
}

/** The oldest segment that does not cover enough, and all newer ones. */
function segmentsToMergeAtRest(present: readonly Segment[]): readonly Segment[] {
  let [newer, from] = [0, present.length];
  for (let at = present.length - 1; at >= 0; at -= 1) {
    const ages = agesOf(present.slice(at, at + 1));
    if (newer > 0 && ages < newer * ratioAtRest) from = at;
    newer += ages;
  }
  return present.slice(from);
}

/** How many ages some segments cover: about the number of segments that were made of logged texts. */
function agesOf(segments: readonly Segment[]): number {
  return segments.reduce((ages, { first, last }) => ages + last - first + 1, 0);
}

/** The level is that of a merge of as many segments of each level below. */
function beginMerge(
  database: Database,
  tables: TextTables,
  sizes: SegmentSizes,
  inputs: readonly Segment[],
): void {
  let level = 0;
  for (let ages = agesOf(inputs); ages >= sizes.segments; ages /= sizes.segments) level += 1;
  const [first = 0, last = 0] = [inputs[0]?.first, inputs.at(-1)?.last];
  const sum = (part: 'texts' | 'length') => inputs.reduce((total, segment) => total + segment[part], 0);
  addSegment(database, tables, segmentState.merging, {
    level,
    first,
    last,
    texts: sum('texts'),
    length: sum('length'),
  });
}

/** Merges further tokens until the time is up; the segment that is complete replaces the others. */
function mergeSome(
  database: Database,
  tables: TextTables,
  sizes: SegmentSizes,
  { id, first, last }: Segment,
  present: readonly Segment[],
  isTimeUp: () => boolean,
): void {
  const inputs = present.filter((segment) => segment.first >= first && segment.last <= last);
  const row = database.statement(`SELECT done FROM ${tables.segments} WHERE id = ?`).get([id]);
  const before = blobOrNull(row?.['done']);
  const chunks: Chunk[] = [];
  const writer = new ChunkWriter(sizes, (chunk) => chunks.push(chunk));
  let isEnd = true;
  let done: TokenPlace | undefined;
  const readers = inputs.map((segment) => new MergeInput(database, tables, segment, before));
  mergeTokens(readers, writer, (token) => {
    done = token;
    isEnd = !isTimeUp();
    return isEnd;
  });
  writer.finish();
  addChunks(database, tables, id, chunks);
  const { segments } = tables;
  if (!isEnd && done !== undefined) {
    const bytes = done.bytes.subarray(done.start, done.end);
    database.statement(`UPDATE ${segments} SET done = ? WHERE id = ?`).run([bytes, id]);
    return;
  }
  const { leftover, present: isPresent } = segmentState;
  for (const input of inputs)
    database.statement(`UPDATE ${segments} SET state = ? WHERE id = ?`).run([leftover, input.id]);
  database.statement(`UPDATE ${segments} SET state = ?, done = NULL WHERE id = ?`).run([isPresent, id]);
}

/** Deletes some chunks of merged segments. */
function deleteSome(database: Database, tables: TextTables): boolean {
  const [leftover] = readSegments(database, tables, segmentState.leftover);
  if (leftover === undefined) return false;
  const { postings, segments } = tables;
  const key = 'segment, token, row';
  const { changes } = database
    .statement(
      `DELETE FROM ${postings} WHERE (${key}) IN (SELECT ${key} FROM ${postings} WHERE segment = ? LIMIT ?)`,
    )
    .run([leftover.id, chunksPerDeletion]);
  if (changes < chunksPerDeletion)
    database.statement(`DELETE FROM ${segments} WHERE id = ?`).run([leftover.id]);
  return true;
}
