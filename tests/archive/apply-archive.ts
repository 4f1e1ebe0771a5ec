// Makes a database of an archive in a directory in the plainest way, to compare what other code makes of it.
import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  decodeFileCopy,
  decodePart,
  expectPartFollows,
  type FileCopy,
  type Part,
} from '../../src/archive/format/file-copy.js';
import {
  type ArchivedDatabase,
  copiesFolder,
  copyName,
  generationsFolder,
  partName,
  pieceName,
} from '../../src/archive/format/names.js';
import { decodePiece, expectFollows, type Piece } from '../../src/archive/format/piece.js';

/** The generations of an archive, in the order of their times. */
export function generationsIn(archive: string): readonly string[] {
  const folder = join(archive, generationsFolder);
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** The complete copies of a database with their pages, in the order of their times. */
export function copiesIn(
  archive: string,
  generation: string,
  database: ArchivedDatabase,
): readonly FileCopy[] {
  return foldersOf(archive, generation, database).map(({ copy }) => copy);
}

function foldersOf(archive: string, generation: string, database: ArchivedDatabase) {
  const folder = copiesFolder(generation, database);
  if (!existsSync(join(archive, folder))) return [];
  return readdirSync(join(archive, folder))
    .sort()
    .map((name) => `${folder}${name}/`)
    .filter((name) => existsSync(join(archive, copyName(name))))
    .map((name) => ({
      name,
      copy: decodeFileCopy(copyName(name), readFileSync(join(archive, copyName(name)))),
    }))
    .filter(({ copy }) => copy.state === undefined); // references have no pages
}

/** How far a database was made. */
export interface AppliedArchive {
  readonly generation: string;
  readonly copy: FileCopy;
  /** The last whole piece; undefined if none had to be applied. */
  readonly last: Piece | undefined;
  readonly pieces: number;
}

/**
 * Makes the newest state of a database at `target`; `copyAt` chooses another complete copy than the newest. Undefined
 * if the newest generation has no complete copy. @throws ArchiveDamaged
 */
export function applyArchive(
  archive: string,
  database: ArchivedDatabase,
  target: string,
  copyAt = -1,
): AppliedArchive | undefined {
  const generation = generationsIn(archive)
    .filter((id) => foldersOf(archive, id, database).length > 0)
    .at(-1);
  if (generation === undefined) return undefined;
  const chosen = foldersOf(archive, generation, database).at(copyAt);
  assert.ok(chosen !== undefined);
  const { copy, name } = chosen;
  const file = openSync(target, 'w+');
  try {
    writeParts(archive, name, copy, file);
    const { last, pieces } = writePieces(archive, copy, file);
    ftruncateSync(file, (last?.databasePages ?? copy.databasePages) * copy.pageBytes);
    return { generation, copy, last, pieces };
  } finally {
    closeSync(file);
  }
}

function writeParts(archive: string, folder: string, copy: FileCopy, file: number): void {
  let before: Part | undefined;
  for (let number = 1; number <= copy.parts; number += 1) {
    const name = partName(folder, number);
    const part = decodePart(name, readFileSync(join(archive, name)));
    expectPartFollows(name, copy, before, part);
    for (const { page, content } of part.pages)
      writeSync(file, content, 0, content.length, (page - 1) * copy.pageBytes);
    before = part;
  }
}

function writePieces(archive: string, copy: FileCopy, file: number) {
  const { generation, database } = copy;
  let last: Piece | undefined;
  let before: Piece | undefined;
  let waiting: Piece[] = [];
  for (let number = copy.firstPiece; ; number += 1) {
    const name = pieceName(generation, database, number);
    if (!existsSync(join(archive, name))) break;
    const piece = decodePiece(name, readFileSync(join(archive, name)));
    if (before === undefined) assert.equal(piece.previous, copy.previous, name);
    else expectFollows(name, before, piece);
    if (number === copy.sequence) assert.equal(piece.sha256, copy.last, name);
    before = piece;
    waiting.push(piece);
    if (!piece.isWhole) continue;
    for (const { pages } of waiting)
      for (const { page, content } of pages)
        writeSync(file, content, 0, content.length, (page - 1) * copy.pageBytes);
    waiting = [];
    last = piece;
  }
  assert.ok((last?.sequence ?? copy.firstPiece - 1) >= copy.sequence, 'the pieces of the copy are missing');
  return { last, pieces: (last?.sequence ?? 0) - copy.firstPiece + 1 };
}
