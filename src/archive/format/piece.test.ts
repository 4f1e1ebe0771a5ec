// The objects of an archive: each is read as it was made, and refused after a change.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ArchiveDamaged } from './archive-damaged.js';
import {
  decodeFileCopy,
  decodePart,
  encodeFileCopy,
  encodePart,
  expectPartFollows,
  type FileCopy,
  referenceTo,
} from './file-copy.js';
import { decodeArchive, decodeGeneration, encodeArchive, encodeGeneration } from './generation.js';
import {
  archiveName,
  beforePiece,
  copiesFolder,
  copyFolder,
  copyName,
  filesFolder,
  filesName,
  generationFolder,
  generationName,
  generationsFolder,
  makeGenerationId,
  parseCopyFolder,
  parseFilesName,
  parsePieceName,
  partName,
  pieceName,
  piecesFolder,
} from './names.js';
import { PageListWriter } from './page-list.js';
import { decodePiece, encodePiece, expectFollows, type Piece, type PieceHead } from './piece.js';
import { decodeFiles, encodeFiles } from './small-files.js';

const generation = makeGenerationId(Date.UTC(2026, 10, 29, 10, 15), '0123abcd');
const pageBytes = 512;
const none = '0'.repeat(64);

const head: PieceHead = {
  database: 'data',
  generation,
  sequence: 1,
  previous: none,
  from: { salts: [1, 0xffff_ffff], frames: 0, sum: [5, 6] },
  to: { salts: [1, 0xffff_ffff], frames: 3, sum: [7, 8] },
  completeMs: 1_000_000_000_000,
  toMs: 1_000_000_000_400,
  pageBytes,
  isWhole: true,
  databasePages: 9,
};

describe('a piece', () => {
  it('is read as it was made', () => {
    const { name, bytes, sha256 } = made(head, [3, 1]);
    const { pages, sha256: found, ...read } = decodePiece(name, bytes);
    assert.deepEqual(read, head);
    assert.equal(found, sha256);
    assert.deepEqual(
      pages.map(({ page, content }) => [page, content]),
      [3, 1].map((page) => [page, Buffer.alloc(pageBytes, page)]),
    );
  });

  it('is refused after a change of any byte, with its name', () => {
    const { name, bytes, sha256 } = made(head, [3, 1]);
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      try {
        // What the description alone does not show is found by the next piece, which names the sum of all.
        assert.notEqual(decodePiece(name, changed).sha256, sha256);
      } catch (error) {
        assert.ok(error instanceof ArchiveDamaged, String(error));
        assert.ok(error.message.startsWith(name), error.message);
      }
    }
  });

  it('is refused if it is cut, of another format or under the name of another piece', () => {
    const { name, bytes } = made(head, [3, 1]);
    for (const end of [0, 5, bytes.length - 1])
      assert.throws(() => decodePiece(name, bytes.subarray(0, end)), ArchiveDamaged);
    const later = Buffer.from(bytes.toString('latin1').replace(/"format":\d+/, '"format":99'), 'latin1');
    assert.throws(
      () => decodePiece(name, later),
      /has the format 99, and this version reads the format \d+: use the release/,
    );
    const other = pieceName(generation, 'data', 2);
    assert.throws(() => decodePiece(other, bytes), /content is that of another piece/);
  });
});

describe('a chain of pieces', () => {
  const first = read(head, [1]);
  const next: PieceHead = {
    ...head,
    sequence: 2,
    previous: first.sha256,
    from: first.to,
    to: { ...first.to, frames: 8 },
    toMs: head.toMs + 1,
  };

  it('continues in the same round of the log and in a later one', () => {
    expectFollows('x', first, next);
    const round = { salts: [2, 5], frames: 0, sum: [1, 1] } as const;
    expectFollows('x', first, { ...next, from: round, to: { ...round, frames: 4 } });
  });

  const gaps: Readonly<Record<string, PieceHead>> = {
    'a missing piece': { ...next, sequence: 3 },
    'another piece before': { ...next, previous: none },
    'missing frames': { ...next, from: { ...first.to, frames: 4 } },
    'frames with another sum': { ...next, from: { ...first.to, sum: [0, 0] } },
    'an earlier time': { ...next, toMs: head.toMs - 1 },
    'pages of another size': { ...next, pageBytes: 1024 },
    'another database': { ...next, database: 'ops' },
    'another generation': { ...next, generation: makeGenerationId(0, '00000000') },
  };
  for (const [what, gap] of Object.entries(gaps))
    it(`is refused with ${what}`, () => {
      assert.throws(() => expectFollows('the name', first, gap), /^Error: the name /);
    });

  it('does not begin a round of the log within a transaction', () => {
    const within = { ...first, isWhole: false };
    const round = { salts: [2, 5], frames: 0, sum: [1, 1] } as const;
    assert.throws(() => expectFollows('x', within, { ...next, from: round }), /does not begin where/);
  });
});

describe('a copy', () => {
  const partHead = { database: 'data', generation, part: 1, previous: '', firstPage: 1, pageBytes } as const;
  const one = encodePart(partHead, listOf([1, 2]));
  const two = encodePart({ ...partHead, part: 2, previous: one.sha256, firstPage: 3 }, listOf([3]));
  const copy: FileCopy = {
    ...{ database: 'data', generation, firstPiece: 1, sequence: 4, previous: none, last: none },
    ...{ beganMs: 5, atMs: 9, pageBytes, databasePages: 3, parts: 2, lastPart: two.sha256 },
  };

  it('is read as it was made, with its parts in their order', () => {
    assert.deepEqual(decodeFileCopy('copy.json', encodeFileCopy(copy)), copy);
    const [first, second] = [decodePart('1', one.bytes), decodePart('2', two.bytes)];
    expectPartFollows('1', copy, undefined, first);
    expectPartFollows('2', copy, first, second);
    assert.throws(() => expectPartFollows('2', copy, undefined, second), /does not follow/);
    assert.throws(() => expectPartFollows('1', { ...copy, parts: 1 }, undefined, first), /not the last part/);
    assert.throws(
      () => expectPartFollows('1', { ...copy, database: 'ops' }, undefined, first),
      /another copy/,
    );
  });

  it('that refers to an earlier generation has a format that older releases refuse', () => {
    const state = { generation: makeGenerationId(0, 'ffffffff'), sequence: 7, sha256: 'f'.repeat(64) };
    const parts = {
      database: 'ops',
      generation,
      sha256: none,
      atMs: 5,
      pageBytes,
      databasePages: 3,
    } as const;
    const reference = referenceTo({ ...parts, state });
    const bytes = encodeFileCopy(reference);
    assert.deepEqual(decodeFileCopy('copy.json', bytes), reference);
    assert.deepEqual([formatOf(encodeFileCopy(copy)), formatOf(bytes)], [2, 3]);
    const { state: _, ...withoutState } = JSON.parse(bytes.toString());
    for (const [wrong, problem] of [
      [referenceTo({ ...parts, state: { ...state, generation } }), /cannot refer to what it names/],
      [{ ...reference, firstPiece: 2 }, /cannot refer to what it names/],
      [{ ...reference, parts: 1 }, /cannot refer to what it names/],
    ] as const)
      assert.throws(() => decodeFileCopy('copy.json', encodeFileCopy(wrong)), problem);
    const incomplete = Buffer.from(JSON.stringify(withoutState));
    assert.throws(() => decodeFileCopy('copy.json', incomplete), ArchiveDamaged);
    const later = Buffer.from(bytes.toString().replace('"format": 3', '"format": 4'));
    assert.throws(
      () => decodeFileCopy('copy.json', later),
      /has the format 4, and .* reads the format 2 or 3/,
    );
  });

  it('has parts without gaps', () => {
    const { bytes } = encodePart(partHead, listOf([1, 3]));
    assert.throws(() => decodePart('1', bytes), /its pages have gaps/);
  });
});

describe('the descriptions of an archive', () => {
  it('are read as they were made', () => {
    const archive = { archive: 'a'.repeat(32), madeMs: 5 };
    assert.deepEqual(decodeArchive('archive.json', encodeArchive(archive)), archive);
    const begun = {
      ...{ generation, archive: archive.archive, madeBy: 'colonnade 1.0.0', madeMs: 7, engine: 'embedded' },
      ...{ reason: 'the archive is new', epoch: 3 },
    };
    const { bytes, sha256 } = encodeGeneration(begun);
    assert.deepEqual(decodeGeneration('generation.json', bytes), { ...begun, sha256 });
    assert.throws(() => decodeArchive('archive.json', bytes), /its "kind" is missing or wrong/);
  });

  it('name small files, which stay in the data directory', () => {
    const files = [
      { name: 'keys.json', content: Buffer.from('x') },
      { name: 'page-state-key', content: Buffer.from('') },
    ];
    assert.deepEqual(decodeFiles('1.files', encodeFiles(files)), files);
    const outside = encodeFiles([{ name: '../keys.json', content: Buffer.from('x') }]);
    assert.throws(() => decodeFiles('1.files', outside), ArchiveDamaged);
  });
});

describe('names of objects', () => {
  it('are those of their folders', () => {
    const folder = 'generations/20261129T101500Z-0123abcd/';
    const copy = copyFolder(generation, 'data', { firstPiece: 7, beganMs: 5 });
    const names = [
      ...[archiveName, generationsFolder, generationFolder(generation), generationName(generation)],
      ...[
        piecesFolder(generation, 'data'),
        beforePiece(generation, 'data', 12),
        copiesFolder(generation, 'ops'),
      ],
      ...[copy, copyName(copy), partName(copy, 3), filesFolder(generation)],
    ];
    assert.deepEqual(names, [
      ...['archive.json', 'generations/', folder, `${folder}generation.json`],
      ...[`${folder}data/pieces/`, `${folder}data/pieces/000000/0000000012`, `${folder}ops/copies/`],
      `${folder}data/copies/0000000007-0000000000005/`,
      `${folder}data/copies/0000000007-0000000000005/copy.json`,
      `${folder}data/copies/0000000007-0000000000005/00000003.part`,
      `${folder}files/`,
    ]);
  });

  it('say what the objects are', () => {
    const name = pieceName(generation, 'ops', 12);
    assert.equal(name, 'generations/20261129T101500Z-0123abcd/ops/pieces/000000/0000000012.piece');
    assert.equal(parsePieceName(name), 12);
    assert.match(pieceName(generation, 'ops', 20_000), /pieces\/000002\/0000020000\.piece$/);
    const copy = { firstPiece: 7, beganMs: 1_764_410_000_000 };
    assert.deepEqual(parseCopyFolder(copyFolder(generation, 'data', copy)), copy);
    assert.equal(parseFilesName(filesName(generation, 5)), 5);
    for (const other of ['x', '12.piece', 'copy.json'])
      assert.deepEqual(
        [parsePieceName(other), parseCopyFolder(other), parseFilesName(other)],
        [undefined, undefined, undefined],
      );
  });
});

function formatOf(bytes: Buffer): number {
  return JSON.parse(bytes.toString()).format;
}

function listOf(pages: readonly number[]): Buffer {
  const list = new PageListWriter(pageBytes, pages.length);
  for (const page of pages) list.add(page).fill(page);
  assert.equal(list.pages, pages.length);
  return list.raw;
}

function made(piece: PieceHead, pages: readonly number[]) {
  return { name: pieceName(generation, 'data', piece.sequence), ...encodePiece(piece, listOf(pages)) };
}

function read(piece: PieceHead, pages: readonly number[]): Piece {
  const { name, bytes } = made(piece, pages);
  return decodePiece(name, bytes);
}
