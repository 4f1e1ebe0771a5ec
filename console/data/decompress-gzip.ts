// Decompresses gzip while it is read; the only file that imports the library for it.
import { Inflate } from 'pako';
import { notDecompressed } from '../../src/files/checked-content.js';

/** The library makes all of a piece at once: at most 17 MB of it. */
const pieceBytes = 16 * 1024;
/** The form of gzip with the largest window, and no other form of the library. */
const windowBits = 31;
/** The code of the library for data that end too early. */
const endsEarly = -5;

/**
 * The content of all members of compressed chunks, as exports and log shippers write them one behind another. Zeros
 * behind a member fill the last block of a tape, and end it. `name`: the file in messages.
 * @throws FileProblem if it is damaged or cut
 */
export async function* decompressGzip(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let member = newMember(pieces);
  const push = (bytes: Uint8Array, isLast: boolean) => {
    if (member.push(bytes, isLast)) return;
    const reason = member.err === endsEarly ? 'the data end too early' : member.msg;
    throw notDecompressed(name, 'gzip', new Error(reason));
  };
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      const piece = chunk.subarray(at, at + pieceBytes);
      // The library continues with the next member, except behind a piece that ends with a member.
      if (member.ended && piece[0] === 0) return;
      if (member.ended) member = newMember(pieces);
      push(piece, false);
      yield* pieces.splice(0);
    }
  if (!member.ended) push(new Uint8Array(), true);
  yield* pieces;
}

function newMember(pieces: Uint8Array[]): Inflate {
  const member = new Inflate({ windowBits });
  member.onData = (piece) => pieces.push(piece);
  return member;
}
