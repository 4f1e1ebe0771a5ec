// Decompresses files while they are read; the only file that imports the libraries for xz and ZIP.
import { createReadStream, open, read } from 'node:fs';
import { createRequire } from 'node:module';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { type Entry, fromFd, type ZipFile } from 'yauzl';
import { notDecompressed } from '../../../files/checked-content.js';
import { type Compression, officeKind } from '../../../files/content-kind.js';
import { decompressZstd } from '../../../files/decompress-zstd.js';
import { FileProblem } from '../../../files/file-problem.js';
import { RowFileProblem } from '../row-file.js';
import { decompressBzip2 } from './decompress-bzip2.js';

/** Node finds no names of exports in this package, which is a CommonJS module in one line. */
const { XzReadableStream }: typeof import('xz-decompress') = createRequire(import.meta.url)('xz-decompress');

const pieceBytes = 256 * 1024;
/** Names of a ZIP archive that are looked at; one that can be read has a single file. */
const mostEntries = 100;

/** The content of an open file, from its beginning. The file stays open. */
export function plainBytes(file: number): Readable {
  // A stream closes its file when it is destroyed, whatever its options say.
  const withoutClose = { open, read, close: (_: number, done: () => void) => done() };
  return createReadStream('', { fd: file, fs: withoutClose, start: 0, highWaterMark: pieceBytes });
}

/**
 * What an open file contains, in memory of a bounded size. `name`: the file in messages.
 * @throws RowFileProblem or FileProblem if it is not what the compression writes, or needs more memory than it may
 */
export async function* decompressed(
  file: number,
  compression: Compression,
  name: string,
): AsyncGenerator<Uint8Array> {
  const compressed = plainBytes(file);
  try {
    yield* await openers[compression](compressed, file, name);
  } catch (error) {
    if (error instanceof RowFileProblem || error instanceof FileProblem || !(error instanceof Error))
      throw error;
    throw notDecompressed(name, compression, compression === 'xz' ? knownOfXz(error) : error);
  } finally {
    compressed.destroy();
  }
}

type Open = (
  compressed: Readable,
  file: number,
  name: string,
) => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;

const openers: Readonly<Record<Compression, Open>> = {
  // The reader of the result gets an error of either.
  gzip: (compressed) => pipeline(compressed, createGunzip(), () => {}),
  zstd: (compressed, _, name) => decompressZstd(compressed, name),
  bzip2: (compressed) => decompressBzip2(compressed),
  xz: (compressed) => readXz(compressed),
  zip: (_, file, name) => readZip(file, name),
};

async function* readXz(compressed: Readable): AsyncGenerator<Uint8Array> {
  const reader = new XzReadableStream(Readable.toWeb(compressed) as ReadableStream<Uint8Array>).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

/** Codes of the library for xz. */
const reasonsOfXz: ReadonlyMap<string, string> = new Map([
  ['4', 'its dictionary needs too much memory; decompress it first with xz -d'],
  ['6', 'its checksums are of a kind that is not read; decompress it first with xz -d'],
]);

/** The error with a reason for people, if it is one of the library. */
function knownOfXz(error: Error): Error {
  const code = /^get_next_output failed with error code (\d+)/.exec(error.message)?.[1];
  if (code === undefined) return error;
  return new Error(reasonsOfXz.get(code) ?? 'the data are damaged or cut', { cause: error });
}

/** The only file of an archive. */
async function readZip(file: number, name: string): Promise<Readable> {
  const archive = await promisify(openZip)(file);
  const entries = await entriesOf(archive);
  const names = entries.map(({ fileName }) => fileName);
  const office = officeKind(names);
  if (office !== undefined)
    throw new RowFileProblem(`${name} is ${office}, which is not read: save or export it as CSV`);
  const [only, ...more] = entries.filter(
    ({ fileName }) => !fileName.endsWith('/') && !fileName.startsWith('__MACOSX/'),
  );
  if (only === undefined) throw new RowFileProblem(`${name} is a ZIP archive without files`);
  if (more.length > 0)
    throw new RowFileProblem(
      `${name} is a ZIP archive with more than one file (${[only, ...more]
        .slice(0, 5)
        .map(({ fileName }) => JSON.stringify(fileName))
        .join(', ')}${more.length > 4 ? ', …' : ''}): extract the one to import`,
    );
  if (only.isEncrypted())
    throw new RowFileProblem(`${name} is a ZIP archive with a password: extract it first`);
  return new Promise((resolve, reject) => {
    archive.openReadStream(only, (error, stream) => (error === null ? resolve(stream) : reject(error)));
  });
}

function openZip(file: number, done: (error: Error | null, archive: ZipFile) => void): void {
  fromFd(file, { lazyEntries: true, autoClose: false }, done);
}

/** The entries, as many as decide what an archive is. */
function entriesOf(archive: ZipFile): Promise<readonly Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = [];
    archive.on('entry', (entry: Entry) => {
      entries.push(entry);
      if (entries.length < mostEntries) archive.readEntry();
      else resolve(entries);
    });
    archive.once('end', () => resolve(entries));
    archive.once('error', reject);
    archive.readEntry();
  });
}
