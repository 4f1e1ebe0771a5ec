// Opens what an import reads: files of every kind by their contents, and FIFOs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openSource } from '../../src/cli/moving/sources/open-source.js';
import { progressPathOf } from '../../src/cli/moving/sources/source-names.js';
import { Interrupted } from '../../src/cli/port-problems.js';

const text = '{"_id":1,"t":"zip"}\n';
/** The compressed form of that text. */
const zstd = 'KLUv/SQUoQAAeyJfaWQiOjEsInQiOiJ6aXAifQrwq7Zo';
const bzip2 = 'QlpoOTFBWSZTWR4WC/0AAAlbgAAQEAQgEAAAhCBEGiAAMQDQAUwAyHbM2MXPgFW8U4XckU4UJAeFgv9A';
const xz =
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQATeyJfaWQiOjEsInQiOiJ6aXAifQoAtMqLYnKjDR8AASwU+AptAx+2830BAAAAAARZWg==';
const xzWithSha256 =
  '/Td6WFoAAArh+wyhAgAhARYAAAB0L+WjAQATeyJfaWQiOjEsInQiOiJ6aXAifQoAgX6wUcU4OwDNYEs3PjJjyz5f0kACJcaCM2oSI48p' +
  'HYoAAUQUV+tJrhibS5oBAAAAAApZWg==';
const zip =
  'UEsDBAoAAAAAABoUfF3lOwJ2FAAAABQAAAAKABwAb25lLm5kanNvblVUCQADVD0Ka1Q9Cmt1eAsAAQQAAAAABAAAAAB7Il9pZCI6MSwi' +
  'dCI6InppcCJ9ClBLAQIeAwoAAAAAABoUfF3lOwJ2FAAAABQAAAAKABgAAAAAAAEAAACkgQAAAABvbmUubmRqc29uVVQFAANUPQprdXgL' +
  'AAEEAAAAAAQAAAAAUEsFBgAAAAABAAEAUAAAAFgAAAAAAA==';
const zipOfTwo =
  'UEsDBAoAAAAAABoUfF3lOwJ2FAAAABQAAAAKABwAb25lLm5kanNvblVUCQADVD0Ka1Q9Cmt1eAsAAQQAAAAABAAAAAB7Il9pZCI6MSwi' +
  'dCI6InppcCJ9ClBLAwQKAAAAAAAaFHxdgxbcjAEAAAABAAAABwAcAHR3by50eHRVVAkAA1Q9CmtUPQprdXgLAAEEAAAAAAQAAAAAeFBL' +
  'AQIeAwoAAAAAABoUfF3lOwJ2FAAAABQAAAAKABgAAAAAAAEAAACkgQAAAABvbmUubmRqc29uVVQFAANUPQprdXgLAAEEAAAAAAQAAAAA' +
  'UEsBAh4DCgAAAAAAGhR8XYMW3IwBAAAAAQAAAAcAGAAAAAAAAQAAAKSBWAAAAHR3by50eHRVVAUAA1Q9Cmt1eAsAAQQAAAAABAAAAABQ' +
  'SwUGAAAAAAIAAgCdAAAAmgAAAAAA';
const workbook =
  'UEsDBAoAAAAAABoUfF0AAAAAAAAAAAAAAAADABwAeGwvVVQJAANUPQprVD0Ka3V4CwABBAAAAAAEAAAAAFBLAwQKAAAAAAAaFHxdV9l5' +
  'ngUAAAAFAAAADwAcAHhsL3dvcmtib29rLnhtbFVUCQADVD0Ka1Q9Cmt1eAsAAQQAAAAABAAAAAA8eC8+ClBLAQIeAwoAAAAAABoUfF0A' +
  'AAAAAAAAAAAAAAADABgAAAAAAAAAEADtQQAAAAB4bC9VVAUAA1Q9Cmt1eAsAAQQAAAAABAAAAABQSwECHgMKAAAAAAAaFHxdV9l5ngUA' +
  'AAAFAAAADwAYAAAAAAABAAAApIE9AAAAeGwvd29ya2Jvb2sueG1sVVQFAANUPQprdXgLAAEEAAAAAAQAAAAAUEsFBgAAAAACAAIAngAA' +
  'AIsAAAAAAA==';
const zipWithPassword =
  'UEsDBAoACQAAABoUfF3lOwJ2IAAAABQAAAAKABwAb25lLm5kanNvblVUCQADVD0Ka1Q9Cmt1eAsAAQQAAAAABAAAAAB2KArcIcld5we3' +
  'bzo+fiHEGxWvPTf8dFa80yvE2Z4QbVBLBwjlOwJ2IAAAABQAAABQSwECHgMKAAkAAAAaFHxd5TsCdiAAAAAUAAAACgAYAAAAAAABAAAA' +
  'pIEAAAAAb25lLm5kanNvblVUBQADVD0Ka3V4CwABBAAAAAAEAAAAAFBLBQYAAAAAAQABAFAAAAB0AAAAAAA=';

describe('openSource', () => {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-test-'));
  after(() => rmSync(directory, { recursive: true }));
  const noInput = () => assert.fail('standard input was not to be read');
  const report = { progress: () => {} };

  function fileWith(content: Uint8Array | string): string {
    const path = join(directory, 'rows.data');
    writeFileSync(path, content);
    return path;
  }

  /** The content of a path, read twice. */
  async function read(path: string, signal = new AbortController().signal): Promise<string> {
    const source = await openSource(path, { input: noInput, interrupted: signal, report });
    try {
      const contents: string[] = [];
      for (let pass = 0; pass < 2; pass += 1) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of source.chunks()) chunks.push(chunk);
        contents.push(Buffer.concat(chunks).toString());
      }
      assert.equal(contents[0], contents[1]);
      return contents[0] ?? '';
    } finally {
      source.close();
    }
  }

  const decoded = (base64: string) => Buffer.from(base64, 'base64');
  const twice = (bytes: Buffer) => Buffer.concat([bytes, bytes]);

  it('reads compressed files by their contents, also several of them in one file', async () => {
    for (const bytes of [Buffer.from(text), gzipSync(text), ...[zstd, bzip2, xz, zip].map(decoded)])
      assert.equal(await read(fileWith(bytes)), text);
    for (const bytes of [gzipSync(text), ...[zstd, bzip2, xz].map(decoded)])
      assert.equal(await read(fileWith(twice(bytes))), text.repeat(2));
  });

  it('says that a compressed file is cut or damaged', async () => {
    for (const bytes of [gzipSync(text), ...[zstd, bzip2, xz].map(decoded)])
      await assert.rejects(
        read(fileWith(bytes.subarray(0, -8))),
        /cannot be decompressed \(.+Is the file complete\?/,
      );
    await assert.rejects(read(fileWith(decoded(zip).subarray(0, -30))), /cannot be decompressed \(zip\)/);
  });

  it('names what it does not read, and says what to do', async () => {
    const window = decoded('KLUv/QCgAQAA');
    const cases: readonly (readonly [content: Uint8Array | string, problem: RegExp])[] = [
      [decoded(zipOfTwo), /ZIP archive with more than one file \("one\.ndjson", "two\.txt"\): extract/],
      [decoded(workbook), /is an Excel workbook \(\.xlsx\), which is not read: save or export it as CSV/],
      [decoded(zipWithPassword), /ZIP archive with a password: extract it first/],
      [decoded(xzWithSha256), /its checksums are of a kind that is not read; decompress it first with xz -d/],
      [window, /zstd with a window of more than 134217728 bytes: decompress it first with zstd -d --long=31/],
      [gzipSync(gzipSync(text)), /is compressed twice \(gzip, gzip\): decompress it once/],
      [gzipSync(`${'a'.repeat(257)}ustar`), /the content of .+ is a tar archive/],
      ['PAR1abc', /is a Parquet file, which is not read: convert it to CSV or NDJSON/],
      ['SQLite format 3\0abc', /is a SQLite database, .+ sqlite3 -header -csv/],
      ['%PDF-1.7', /is a PDF document/],
      ['\n<!DOCTYPE html><html>', /is an HTML page/],
      ['<?xml version="1.0"?>', /is an XML document/],
      [decoded('0M8R4KGxGuEAAA=='), /older Microsoft Office, such as \.xls/],
    ];
    for (const [content, problem] of cases) await assert.rejects(read(fileWith(content)), problem);
    await assert.rejects(read(join(directory, 'none.csv')), /there is no file .+none\.csv/);
    await assert.rejects(read(directory), /is a directory and not a regular file/);
  });

  it('refuses devices, which may have no end', {
    skip: process.platform === 'win32' && 'it is about files of Unix',
  }, async () => {
    for (const path of ['/dev/zero', '/dev/null'])
      await assert.rejects(read(path), new RegExp(`${path} is a device and not a regular file`));
  });

  it('keeps what a FIFO sends, compressed or not', {
    skip: process.platform === 'win32' && 'it is about files of Unix',
  }, async () => {
    for (const bytes of [Buffer.from(text.repeat(100_000)), decoded(zstd), Buffer.alloc(0)]) {
      const path = join(directory, 'fifo');
      execFileSync('mkfifo', [path]);
      const content = read(path);
      const writer = await open(path, 'w');
      await writer.writeFile(bytes);
      await writer.close();
      assert.equal(
        (await content).length,
        bytes.length === decoded(zstd).length ? text.length : bytes.length,
      );
      rmSync(path);
    }
  });

  it('ends when the user interrupts it', {
    skip: process.platform === 'win32' && 'it is about files of Unix',
  }, async () => {
    const path = join(directory, 'waiting');
    execFileSync('mkfifo', [path]);
    const interrupt = new AbortController();
    const content = read(path, interrupt.signal);
    interrupt.abort();
    await assert.rejects(content, Interrupted);
    await assert.rejects(read(fileWith(text), AbortSignal.abort()), Interrupted);
  });

  it('has a place for the progress that can be written', () => {
    assert.equal(progressPathOf('-'), 'standard-input.import-progress.json');
    assert.equal(progressPathOf('/dev/stdin'), 'standard-input.import-progress.json');
    assert.equal(progressPathOf('/dev/fd/63'), '63.import-progress.json');
    assert.equal(progressPathOf('a/b.csv'), 'a/b.csv.import-progress.json');
  });
});
