// Checks replies whose body is a file, over real sockets.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FileReply } from '../../src/foundation/http/http-handler.js';
import { type Listener, type ListenOptions, listen } from '../../src/foundation/http/server.js';
import { createLogger } from '../../src/foundation/telemetry/logger.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';

const mib = 1024 * 1024;
/** More than the system takes on behalf of a reader who does not read. */
const largeBytes = 48 * mib;
const pieceBytes = 64 * 1024;

describe('a reply that is a file', () => {
  const directory = makeTemporaryDirectory();
  const text = writeNew('console.js', Buffer.from('let a = 1;\n'.repeat(2000)));
  const large = writeNew('large.bin', Buffer.alloc(largeBytes, 'one large file, '));

  function writeNew(name: string, content: Uint8Array): string {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  }

  it('is whole, as it is on the disk, with its type, its length and a tag', async () => {
    await withFile({ file: text }, async (listener) => {
      const response = await ask(listener, { headers: { 'accept-encoding': 'gzip' } });
      assert.equal(response.statusCode, 200);
      assert.equal(response.headers['content-type'], 'text/javascript');
      assert.equal(response.headers['cache-control'], 'no-cache');
      assert.match(response.headers.etag ?? '', /^W\/"[0-9a-f]+-[0-9a-f]+"$/);
      assert.equal(response.headers['content-encoding'], undefined);
      assert.equal(response.headers.vary, undefined);
      assert.equal(response.headers['content-length'], String(22_000));
      assert.equal((await bytesOf(response)).toString(), 'let a = 1;\n'.repeat(2000));
    });
  });

  it('is sent as the client likes it among the compressed files that there are', async () => {
    const content = readFileSync(text);
    const br = writeNew('console.js.br', brotliCompressSync(content));
    const gzip = writeNew('console.js.gz', gzipSync(content));
    const cases = [
      [{ br, gzip }, 'gzip, deflate, br, zstd', 'br', br],
      [{ br, gzip }, 'gzip', 'gzip', gzip],
      [{ br, gzip }, 'br;q=0, *', 'gzip', gzip],
      [{ br, gzip }, 'identity', undefined, text],
      [{ br, gzip }, undefined, undefined, text],
      [{ gzip }, 'br', undefined, text],
      [{ gzip }, 'br, gzip', 'gzip', gzip],
    ] as const;
    for (const [encodedFiles, accept, encoding, sent] of cases) {
      await withFile({ file: text, encodedFiles }, async (listener) => {
        const headers = accept === undefined ? {} : { 'accept-encoding': accept };
        const response = await ask(listener, { headers });
        assert.equal(response.headers['content-encoding'], encoding, accept);
        assert.equal(response.headers.vary, 'accept-encoding');
        assert.equal(response.headers['content-type'], 'text/javascript');
        assert.equal(response.headers['content-length'], String(statSync(sent).size));
        assert.ok((await bytesOf(response)).equals(readFileSync(sent)));
        const head = await ask(listener, { method: 'HEAD', headers });
        const { date: _now, ...expected } = response.headers;
        const { date: _later, ...given } = head.headers;
        assert.deepEqual(given, expected);
        assert.equal((await bytesOf(head)).length, 0);
        const tag = response.headers.etag ?? '';
        const known = await ask(listener, { headers: { ...headers, 'if-none-match': tag } });
        assert.equal(known.statusCode, 304);
        assert.equal(known.headers.etag, tag);
        assert.equal(known.headers.vary, 'accept-encoding');
        assert.equal(known.headers['content-encoding'], undefined);
      });
    }
  });

  it('may be empty', async () => {
    await withFile({ file: writeNew('empty', Buffer.alloc(0)) }, async (listener) => {
      const response = await ask(listener);
      assert.equal(response.headers['content-length'], '0');
      assert.equal((await bytesOf(response)).length, 0);
    });
  });

  it('is left out of the answer to HEAD', async () => {
    await withFile({ file: text }, async (listener) => {
      const response = await ask(listener, { method: 'HEAD' });
      assert.equal(response.headers['content-length'], '22000');
      assert.equal((await bytesOf(response)).length, 0);
    });
  });

  it('is not sent again to a client that has this version', async () => {
    const path = writeNew('version.js', Buffer.from('1'));
    await withFile({ file: path, headers: { 'cache-control': 'max-age=60' } }, async (listener) => {
      const first = await ask(listener);
      await bytesOf(first);
      const tag = first.headers.etag ?? '';
      for (const known of [tag, tag.replace('W/', ''), `"other", ${tag}`, '*']) {
        const again = await ask(listener, { headers: { 'if-none-match': known } });
        assert.equal(again.statusCode, 304, known);
        assert.equal(again.headers.etag, tag);
        assert.equal(again.headers['cache-control'], 'max-age=60');
        assert.equal((await bytesOf(again)).length, 0);
      }
      await pause(5); // file systems count time in milliseconds
      renameSync(writeNew('next.js', Buffer.from('2')), path);
      const changed = await ask(listener, { headers: { 'if-none-match': tag } });
      assert.equal(changed.statusCode, 200);
      assert.equal((await bytesOf(changed)).toString(), '2');
    });
  });

  it('is a 500 when there is no such file', async () => {
    for (const path of [join(directory, 'nothing'), directory]) {
      await withFile({ file: path }, async (listener) => {
        const response = await ask(listener);
        assert.equal(response.statusCode, 500);
        assert.equal((await bytesOf(response)).toString(), 'internal error\n');
      });
    }
  });

  it('takes one piece of memory, however large it is and however slowly it is read', async () => {
    await withFile({ file: large }, async (listener) => {
      const before = process.memoryUsage().arrayBuffers;
      const first = await ask(listener);
      const others = await Promise.all(Array.from({ length: 7 }, () => ask(listener)));
      await pause(200); // as much as the system takes is on its way by now
      const held = process.memoryUsage().arrayBuffers - before;
      assert.ok(held < 8 * mib, `${held} bytes are held`);
      for (const other of others) other.destroy();
      const bytes = await bytesOf(first);
      assert.ok(bytes.equals(Buffer.alloc(largeBytes, 'one large file, ')));
    });
  });

  it('is counted in the memory of replies, which cuts off readers who do not read', async () => {
    // A reader that is only slow, because the machine is busy, must not take as long.
    const limits = { memoryBytes: 2 * pieceBytes, requestTimeoutMs: 2500 };
    await withFile(
      { file: large },
      async (listener) => {
        const slow = await ask(listener);
        const refused = await ask(listener);
        assert.equal(refused.statusCode, 503);
        assert.equal(refused.headers['retry-after'], '1');
        await bytesOf(refused);
        await assert.rejects(pause(5000).then(() => bytesOf(slow)));
        const next = await ask(listener);
        assert.equal(next.statusCode, 200);
        assert.equal((await bytesOf(next)).length, largeBytes);
      },
      limits,
    );
  });

  it('is cut off when the file changes meanwhile', async () => {
    const path = writeNew('changing.bin', Buffer.alloc(largeBytes));
    await withFile({ file: path }, async (listener) => {
      const response = await ask(listener);
      renameSync(writeNew('shorter.bin', Buffer.alloc(1000)), path);
      await assert.rejects(bytesOf(response), /aborted/);
    });
  });
});

async function withFile(
  reply: Pick<FileReply, 'file' | 'encodedFiles' | 'headers'>,
  work: (listener: Listener) => Promise<void>,
  limits: Partial<ListenOptions> = {},
): Promise<void> {
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    requestTimeoutMs: 60_000,
    answer: () => ({ status: 200, contentType: 'text/javascript', ...reply }),
    logger: createLogger('silent'),
    closeTimeoutMs: 500,
    ...limits,
  });
  try {
    await work(listener);
  } finally {
    await listener.close();
  }
}

/** The head of a reply; its body is read by `bytesOf`, and not before. */
async function ask(
  { url }: Listener,
  options: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<IncomingMessage> {
  const request = httpRequest(url, { agent: false, ...options });
  request.end();
  const [response] = await once(request, 'response');
  return response;
}

async function bytesOf(response: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  return Buffer.concat(pieces);
}
