// The names of the objects of an archive, in which `/` separates folders. The names of a folder are in the order of
// their numbers, because these have leading zeros.

/** The databases of a server: its rows, and the operations service. */
export const archivedDatabases = ['data', 'ops'] as const;
/** The name of a database in an archive: `data.db` is `data`, `ops.db` is `ops`. */
export type ArchivedDatabase = (typeof archivedDatabases)[number];

/** The description of the archive. */
export const archiveName = 'archive.json';
/** The folder of the generations, with a slash. */
export const generationsFolder = 'generations/';

/** The id of a generation: the second of its beginning in UTC, and 8 hexadecimal digits. */
export const generationPattern = /^\d{8}T\d{6}Z-[0-9a-f]{8}$/;

/** The folder of the records of the lease, with a slash. */
export const leaseFolder = 'lease/';

/** Makes the id of a generation that begins at `nowMs`. `random`: any 8 hexadecimal digits. */
export function makeGenerationId(nowMs: number, random: string): string {
  const second = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  return `${second}-${random}`;
}

/** Makes the id of a generation after the one `last`: its second is later, also if the clock went back. */
export function makeLaterGenerationId(nowMs: number, random: string, last: string | undefined): string {
  const id = makeGenerationId(nowMs, random);
  if (last === undefined || secondOf(id) > secondOf(last)) return id;
  const [, year, month, day, hour, minute, second] = /^(....)(..)(..)T(..)(..)(..)Z/.exec(last) ?? [];
  const lastMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return makeGenerationId(lastMs + 1_000, random);
}

function secondOf(generation: string): string {
  return generation.replace(/-.*$/, '');
}

/** The folder of a generation, with a slash. */
export function generationFolder(generation: string): string {
  return `${generationsFolder}${generation}/`;
}

/** The description of a generation. */
export function generationName(generation: string): string {
  return `${generationFolder(generation)}generation.json`;
}

/** A folder has at most so many pieces, because some file systems take long for a list of more. */
const piecesOfFolder = 10_000;

/** The folder of the pieces of a database, with a slash; they are in folders below it. */
export function piecesFolder(generation: string, database: ArchivedDatabase): string {
  return `${generationFolder(generation)}${database}/pieces/`;
}

/**
 * The name of the piece with a number, from 1. It says nothing else, so that nobody can write another piece of the same
 * number.
 */
export function pieceName(generation: string, database: ArchivedDatabase, sequence: number): string {
  return `${beforePiece(generation, database, sequence)}.piece`;
}

/** The number in the name of a piece, with or without its folder; undefined for other names. */
export function parsePieceName(name: string): number | undefined {
  const found = /(?:^|\/)(\d{10})\.piece$/.exec(name);
  return found === null ? undefined : Number(found[1]);
}

/** The name before those of all pieces from a number on, for a list that begins there. */
export function beforePiece(generation: string, database: ArchivedDatabase, sequence: number): string {
  const folder = withZeros(Math.floor(sequence / piecesOfFolder), 6);
  return `${piecesFolder(generation, database)}${folder}/${withZeros(sequence, 10)}`;
}

/** The folder of the copies of a database, with a slash. */
export function copiesFolder(generation: string, database: ArchivedDatabase): string {
  return `${generationFolder(generation)}${database}/copies/`;
}

/** What the name of the folder of a copy says. */
export interface CopyFolder {
  /** The first piece that is to be applied to it. */
  readonly firstPiece: number;
  /** When its reading began, in ms since 1970. */
  readonly beganMs: number;
}

/** The folder of a copy, with a slash. */
export function copyFolder(generation: string, database: ArchivedDatabase, copy: CopyFolder): string {
  const { firstPiece, beganMs } = copy;
  return `${copiesFolder(generation, database)}${withZeros(firstPiece, 10)}-${withZeros(beganMs, 13)}/`;
}

/** Reads the folder of a copy, which may have other folders before it; undefined for other names. */
export function parseCopyFolder(name: string): CopyFolder | undefined {
  const found = /(?:^|\/)(\d{10})-(\d{13})\/$/.exec(name);
  return found === null ? undefined : { firstPiece: Number(found[1]), beganMs: Number(found[2]) };
}

/** The description of a copy, which is written last. */
export function copyName(folder: string): string {
  return `${folder}copy.json`;
}

/** The name of a part of a copy. `part` counts from 1. */
export function partName(folder: string, part: number): string {
  return `${folder}${withZeros(part, 8)}.part`;
}

/** The folder of the small files of a generation, with a slash. */
export function filesFolder(generation: string): string {
  return `${generationFolder(generation)}files/`;
}

/** The name of the small files as they were at `toMs`. */
export function filesName(generation: string, toMs: number): string {
  return `${filesFolder(generation)}${withZeros(toMs, 13)}.files`;
}

/** The time in the name of small files; undefined for other names. */
export function parseFilesName(name: string): number | undefined {
  const found = /(?:^|\/)(\d{13})\.files$/.exec(name);
  return found === null ? undefined : Number(found[1]);
}

function withZeros(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
