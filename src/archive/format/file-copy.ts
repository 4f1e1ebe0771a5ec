// Copies: all pages of a database file, in parts, to which pieces are applied; or a reference to the same state in an
// earlier generation.
import { ArchiveDamaged } from './archive-damaged.js';
import { type Members, referenceFormat } from './members.js';
import { type ArchivedDatabase, archivedDatabases, generationPattern } from './names.js';
import { type ArchivedPage, readPages } from './page-list.js';
import {
  describeObject,
  openObject,
  readDescription,
  type SealedObject,
  sealObject,
} from './sealed-object.js';

/** A state of a database that an archive has. */
export interface ArchivedState {
  readonly generation: string;
  /** The last piece that is applied; 0 for the state before the first one. */
  readonly sequence: number;
  /** The SHA-256 of that piece, or what the next one names as the one before it. */
  readonly sha256: string;
}

/**
 * A complete copy. The database file was read while pages were written to it, so the pages are of different moments:
 * the copy is the state of a moment only when the pieces from `firstPiece` to `sequence`, or to a later one, are
 * applied.
 */
export interface FileCopy {
  readonly database: ArchivedDatabase;
  readonly generation: string;
  /** The first piece to apply, from 1. */
  readonly firstPiece: number;
  /** The last piece that must be applied; `firstPiece - 1` if none must. */
  readonly sequence: number;
  /** The SHA-256 of the piece before `firstPiece`, or of the description of the generation: what that one names. */
  readonly previous: string;
  /** The SHA-256 of the piece `sequence`; `previous` if there is none. */
  readonly last: string;
  /** When its reading began, and the time of its state after the piece `sequence`; in ms since 1970. */
  readonly beganMs: number;
  readonly atMs: number;
  readonly pageBytes: number;
  /** The size of the database after the piece `sequence`, in pages. */
  readonly databasePages: number;
  /** The number of its parts, and the SHA-256 of the last of them; an empty text without parts. */
  readonly parts: number;
  readonly lastPart: string;
  /** A reference has no parts: it is this state of the same database, in an earlier generation. */
  readonly state?: ArchivedState | undefined;
}

/** Takes the place of the first copy with pages where a generation continues another one. */
export interface ReferenceCopy extends FileCopy {
  readonly state: ArchivedState;
}

/** What a reference is made of. */
export interface ReferenceParts
  extends Pick<FileCopy, 'database' | 'generation' | 'pageBytes' | 'databasePages'> {
  /** The SHA-256 of the description of the generation that begins with it. */
  readonly sha256: string;
  /** The file is in this state at `atMs`; every commit before `beganMs` is in it. In ms since 1970. */
  readonly state: ArchivedState;
  readonly beganMs?: number;
  readonly atMs: number;
}

/** The copy at the beginning of a generation that continues the state of an earlier one. */
export function referenceTo({ sha256, state, atMs, beganMs = atMs, ...file }: ReferenceParts): ReferenceCopy {
  return {
    ...{ ...file, firstPiece: 1, sequence: 0, previous: sha256, last: sha256, beganMs, atMs },
    ...{ parts: 0, lastPart: '', state },
  };
}

/** Makes the description of a copy, which is written when all its parts are there. */
export function encodeFileCopy(copy: FileCopy): Buffer {
  return copy.state === undefined
    ? describeObject('copy', copy)
    : describeObject('copy', copy, referenceFormat);
}

/** Reads the description of a copy. `name`: that of the object. @throws ArchiveDamaged */
export function decodeFileCopy(name: string, bytes: Buffer): FileCopy {
  const members = readDescription('copy', name, bytes);
  const copy = copyOf(members);
  if (members.format !== referenceFormat) return copy;
  const reference: FileCopy = { ...copy, state: stateOf(members.members('state')) };
  if (!isSoundReference(reference))
    throw new ArchiveDamaged(name, 'is damaged: it cannot refer to what it names');
  return reference;
}

function copyOf(members: Members): FileCopy {
  return {
    database: members.word('database', archivedDatabases),
    generation: members.text('generation', generationPattern),
    firstPiece: members.integer('firstPiece'),
    sequence: members.integer('sequence'),
    previous: members.sha256('previous'),
    last: members.sha256('last'),
    beganMs: members.integer('beganMs'),
    atMs: members.integer('atMs'),
    pageBytes: members.integer('pageBytes'),
    databasePages: members.integer('databasePages'),
    parts: members.integer('parts'),
    lastPart: members.text('lastPart', sumOrNothing),
  };
}

function stateOf(members: Members): ArchivedState {
  return {
    generation: members.text('generation', generationPattern),
    sequence: members.integer('sequence'),
    sha256: members.sha256('sha256'),
  };
}

/** The ids of generations are in the order of their beginnings, so references to earlier ones make no circle. */
function isSoundReference(copy: FileCopy): boolean {
  const { state, generation, firstPiece, sequence, previous, last, parts } = copy;
  const isBeginning = firstPiece === 1 && sequence === 0 && previous === last;
  return isBeginning && parts === 0 && state !== undefined && state.generation < generation;
}

/** Whether a copy is a reference. */
export function isReference<Copy extends FileCopy>(copy: Copy): copy is Copy & ReferenceCopy {
  return copy.state !== undefined;
}

/** What a part of a copy is. Its pages are those from `firstPage` on, without a gap. */
export interface PartHead {
  readonly database: ArchivedDatabase;
  readonly generation: string;
  /** Its number in the copy, from 1. */
  readonly part: number;
  /** The SHA-256 of the part before; an empty text for the first. */
  readonly previous: string;
  readonly firstPage: number;
  readonly pageBytes: number;
}

/** A part that was read and has its checksums. */
export interface Part extends PartHead {
  /** See `OpenedObject`; the next part names it. */
  readonly sha256: string;
  readonly pages: readonly ArchivedPage[];
}

/** Makes a part. `raw`: the list of its pages. */
export function encodePart(head: PartHead, raw: Uint8Array): SealedObject {
  return sealObject('part', head, raw);
}

/** Reads a part. `name`: that of the object. @throws ArchiveDamaged */
export function decodePart(name: string, bytes: Buffer): Part {
  const { members, raw, sha256 } = openObject('part', name, bytes);
  const head: PartHead = {
    database: members.word('database', archivedDatabases),
    generation: members.text('generation', generationPattern),
    part: members.integer('part'),
    previous: members.text('previous', sumOrNothing),
    firstPage: members.integer('firstPage'),
    pageBytes: members.integer('pageBytes'),
  };
  const pages = readPages(name, raw, head.pageBytes);
  for (const [at, { page }] of pages.entries())
    if (page !== head.firstPage + at) throw new ArchiveDamaged(name, 'is damaged: its pages have gaps');
  return { ...head, sha256, pages };
}

/** Checks that a part belongs to a copy and follows another one, or is the first. @throws ArchiveDamaged */
export function expectPartFollows(name: string, copy: FileCopy, before: Part | undefined, next: Part): void {
  const { database, generation, pageBytes } = copy;
  if (next.database !== database || next.generation !== generation || next.pageBytes !== pageBytes)
    throw new ArchiveDamaged(name, 'is damaged: it belongs to another copy');
  const number = (before?.part ?? 0) + 1;
  const firstPage = before === undefined ? 1 : before.firstPage + before.pages.length;
  if (next.part !== number || next.firstPage !== firstPage || next.previous !== (before?.sha256 ?? ''))
    throw new ArchiveDamaged(name, 'does not follow the part before it');
  if (number === copy.parts && next.sha256 !== copy.lastPart)
    throw new ArchiveDamaged(name, 'is not the last part that the copy names');
}

const sumOrNothing = /^(?:[0-9a-f]{64})?$/;
