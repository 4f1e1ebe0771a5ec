// Pieces: the pages that a database got between two places of its log.
import { ArchiveDamaged } from './archive-damaged.js';
import { isSamePosition, type LogPosition } from './log-position.js';
import type { Members } from './members.js';
import { type ArchivedDatabase, archivedDatabases, generationPattern, parsePieceName } from './names.js';
import { type ArchivedPage, readPages } from './page-list.js';
import { openObject, readLine, type SealedObject, sealObject } from './sealed-object.js';

/** What a piece is. To apply one twice does the same as to apply it once. */
export interface PieceHead {
  readonly database: ArchivedDatabase;
  readonly generation: string;
  /** Its number, from 1. */
  readonly sequence: number;
  /** The SHA-256 of the piece before; of the description of the generation for the first. */
  readonly previous: string;
  /** Where the piece before ended, or the beginning of a later round of the log. */
  readonly from: LogPosition;
  readonly to: LogPosition;
  /** What was committed before this time is in this piece or in one before; in ms since 1970. */
  readonly completeMs: number;
  /** Nothing that was committed after this time is in it. It does not decrease from piece to piece. */
  readonly toMs: number;
  readonly pageBytes: number;
  /** Whether it ends with a commit. A database is of use only after such a piece. */
  readonly isWhole: boolean;
  /** It lacks pages that commits up to this place of the log change again: later pieces have them. */
  readonly until?: LogPosition | undefined;
  /** The size of the database after it, in pages; 0 unless it is whole. */
  readonly databasePages: number;
  /**
   * It has no pages and stands where the next piece would: another server has taken the archive over, and a late
   * request of the server before adds nothing to the chain. It is never whole.
   */
  readonly isEnd?: boolean | undefined;
}

/** A piece that was read and has its checksums. */
export interface Piece extends PieceHead {
  /** See `OpenedObject`; the next piece names it. */
  readonly sha256: string;
  readonly pages: readonly ArchivedPage[];
}

/** Makes a piece. `raw`: the list of its pages. */
export function encodePiece(head: PieceHead, raw: Uint8Array): SealedObject {
  return sealObject('piece', head, raw);
}

/** Reads a piece. `name`: that of the object, which the piece must fit. @throws ArchiveDamaged */
export function decodePiece(name: string, bytes: Buffer): Piece {
  const { members, raw, sha256 } = openObject('piece', name, bytes);
  const head = headOf(name, members);
  return { ...head, sha256, pages: readPages(name, raw, head.pageBytes) };
}

/** Makes the piece that ends a chain after another one. */
export function encodeEnd(before: Omit<PieceBefore, 'isWhole'>): SealedObject {
  const { database, generation, sequence, sha256, to, toMs, pageBytes } = before;
  const head: PieceHead = {
    ...{ database, generation, sequence: sequence + 1, previous: sha256, from: to, to, toMs, pageBytes },
    ...{ completeMs: 0, isWhole: false, databasePages: 0, isEnd: true },
  };
  return encodePiece(head, Buffer.alloc(0));
}

/** A head with the SHA-256 of the line that it was read from, which the next piece names. */
export type NamedHead = PieceHead & Pick<Piece, 'sha256'>;

/** Reads what a piece is, also if its pages are damaged: see `readLine`. @throws ArchiveDamaged */
export function decodePieceHead(name: string, bytes: Buffer): NamedHead {
  const { members, sha256 } = readLine('piece', name, bytes);
  return { ...headOf(name, members), sha256 };
}

function headOf(name: string, members: Members): PieceHead {
  const head: PieceHead = {
    database: members.word('database', archivedDatabases),
    generation: members.text('generation', generationPattern),
    sequence: members.integer('sequence'),
    previous: members.sha256('previous'),
    from: members.position('from'),
    to: members.position('to'),
    completeMs: members.integer('completeMs'),
    toMs: members.integer('toMs'),
    pageBytes: members.integer('pageBytes'),
    isWhole: members.boolean('isWhole'),
    ...(members.has('until') ? { until: members.position('until') } : {}),
    databasePages: members.integer('databasePages'),
    ...(members.has('isEnd') ? { isEnd: members.boolean('isEnd') } : {}),
  };
  if (parsePieceName(name) !== head.sequence)
    throw new ArchiveDamaged(name, 'is damaged: its content is that of another piece');
  return head;
}

/** What is known of the piece before one. */
export type PieceBefore = Pick<
  Piece,
  'database' | 'generation' | 'sequence' | 'sha256' | 'to' | 'toMs' | 'pageBytes' | 'isWhole'
>;

/**
 * Checks that a piece follows another one without a gap. `name`: that of the object of `next`.
 * @throws ArchiveDamaged
 */
export function expectFollows(name: string, before: PieceBefore, next: PieceHead): void {
  if (next.database !== before.database || next.generation !== before.generation)
    throw new ArchiveDamaged(name, 'is damaged: it belongs to another chain');
  if (next.sequence !== before.sequence + 1)
    throw new ArchiveDamaged(name, `does not follow: the piece ${before.sequence + 1} is missing`);
  if (next.previous !== before.sha256)
    throw new ArchiveDamaged(name, `does not follow the piece ${before.sequence} that the archive has`);
  const isNextRound = next.from.frames === 0 && before.isWhole;
  if (!isSamePosition(before.to, next.from) && !isNextRound)
    throw new ArchiveDamaged(name, `does not begin where the piece ${before.sequence} ends`);
  if (next.toMs < before.toMs || next.pageBytes !== before.pageBytes)
    throw new ArchiveDamaged(name, `contradicts the piece ${before.sequence}`);
}
