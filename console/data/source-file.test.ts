// Files that are chosen in the browser are read if they are compressed, or named for what they are.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { inspectFile } from './source-file.js';

const text = 'id,name\n1,a\n2,b\n';

/** A frame of zstd with one block, which has the bytes as they are. */
function zstdFrame(bytes: Uint8Array): Buffer {
  const block = Buffer.alloc(3);
  block.writeUIntLE((bytes.length << 3) | 1, 0, 3);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.length]), block, bytes]);
}

/** The entry of a file in the directory of a ZIP archive. */
function zipEntry(name: string): Buffer {
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(name.length, 28);
  return Buffer.concat([entry, Buffer.from(name)]);
}

const zipMark = Buffer.from('PK\u0003\u0004');

function inspect(name: string, content: Uint8Array<ArrayBuffer>) {
  return inspectFile(new File([content], name), 'document', {}, new AbortController().signal);
}

describe('a file that is chosen in the browser', () => {
  it('is read as it is, and compressed by gzip or zstd, whatever its name is', async () => {
    for (const content of [Buffer.from(text), gzipSync(text), zstdFrame(Buffer.from(text))]) {
      const { rows, columns, format } = await inspect('a', Buffer.from(content));
      assert.deepEqual([rows, [...columns.keys()], format], [2, ['id', 'name'], 'csv']);
    }
  });

  const cases: readonly (readonly [what: string, content: Buffer, problem: RegExp])[] = [
    [
      'cut gzip',
      gzipSync(text).subarray(0, 20),
      /^f cannot be decompressed \(gzip\): .+Is the file complete\?$/,
    ],
    [
      'cut zstd',
      zstdFrame(Buffer.from(text)).subarray(0, -4),
      /^f cannot be decompressed \(zstd\): .+Is the file complete\?$/,
    ],
    ['gzip in zstd', zstdFrame(gzipSync(text)), /^f is compressed twice \(zstd, gzip\): decompress it once$/],
    ['gzip twice', gzipSync(gzipSync(text)), /^f is compressed twice \(gzip, gzip\): decompress it once$/],
    ['a tar archive in gzip', gzipSync(`${'a'.repeat(257)}ustar`), /^the content of f is a tar archive, /],
    [
      'bzip2',
      Buffer.from('BZh91AY'),
      /^f is compressed by bzip2, .+ first with bzip2 -d, or use colonnade import$/,
    ],
    ['xz', Buffer.from('fd377a585a00', 'hex'), /^f is compressed by xz, which the console does not read: /],
    ['ZIP', Buffer.concat([zipMark, zipEntry('a.csv')]), /^f is a ZIP archive, .+ extract it first, or use /],
    [
      'a workbook',
      Buffer.concat([zipMark, zipEntry('[Content_Types].xml'), zipEntry('xl/workbook.xml')]),
      /^f is an Excel workbook \(\.xlsx\), which is not read: save or export it as CSV$/,
    ],
    [
      'Parquet',
      Buffer.from('PAR1abc'),
      /^f is a Parquet file, which is not read: convert it to CSV or NDJSON/,
    ],
  ];
  for (const [what, content, message] of cases)
    it(`is named for what it is, with what to do: ${what}`, async () => {
      await assert.rejects(inspect('f', Buffer.from(content)), { message });
    });

  it('is named where the browser cannot read it any more', async () => {
    const changed = () => Promise.reject(new DOMException('it was changed', 'NotReadableError'));
    const file = new File([text], 'f');
    file.slice = () => Object.assign(new Blob(), { arrayBuffer: changed });
    const message =
      'f cannot be read: it was changed. If it was changed or moved, close this form and choose it again';
    await assert.rejects(inspectFile(file, 'document', {}, new AbortController().signal), { message });
  });
});
