// Decompresses zstd while it is read; the only file that imports the library for it.
import { Decompress } from 'fzstd';
import { notDecompressed } from './checked-content.js';
import { FileProblem } from './file-problem.js';
import { ZstdFrames } from './zstd-frames.js';

/** Bytes that zstd may keep of what it has written: what `zstd -d` allows without an option. */
const largestWindowBytes = 128 * 1024 * 1024;
/**
 * The library gets this many bytes at a time. Each four of them can become a block of 128 KiB, so it makes at most
 * 32 MiB before they are read. It also calls itself for each frame that is in the bytes.
 */
const pieceBytes = 1024;

/**
 * The content of compressed chunks, in memory of a bounded size. `name`: the file in messages.
 * @throws FileProblem if it is damaged or cut, or needs more memory than it may
 */
export async function* decompressZstd(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const stream = new Decompress((piece) => pieces.push(piece));
  const frames = new ZstdFrames();
  const push = (chunk: Uint8Array, isLast: boolean) => {
    try {
      stream.push(chunk, isLast);
    } catch (error) {
      throw notDecompressed(name, 'zstd', error);
    }
  };
  for await (const chunk of chunks) {
    if (frames.largestWindow(chunk) > largestWindowBytes)
      throw new FileProblem(
        `${name} was compressed by zstd with a window of more than ${largestWindowBytes} bytes: ` +
          'decompress it first with zstd -d --long=31',
      );
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      push(chunk.subarray(at, at + pieceBytes), false);
      yield* pieces.splice(0);
    }
  }
  push(new Uint8Array(), true);
  yield* pieces;
}
