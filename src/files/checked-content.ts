// Says what a file is that an import does not read, also within a compression, and why one cannot be decompressed.
import { type Compression, contentKind, kindBytes } from './content-kind.js';
import { FileProblem } from './file-problem.js';
import { joinBytes } from './join-bytes.js';

/**
 * How a file with this beginning is compressed; undefined if it is not. `name`: the file in messages.
 * @throws FileProblem if it is of a format that has no rows for an import
 */
export function compressionOf(beginning: Uint8Array, name: string): Compression | undefined {
  const kind = contentKind(beginning);
  if (kind === undefined) return undefined;
  if ('compression' in kind) return kind.compression;
  throw new FileProblem(`${name} is ${kind.title}, which is not read: ${kind.advice}`);
}

/**
 * The content of a compressed file as it is decompressed.
 * @throws FileProblem if it is compressed again, or of a format that has no rows for an import
 */
export async function* checkedContent(
  content: AsyncIterable<Uint8Array>,
  name: string,
  compression: Compression,
): AsyncGenerator<Uint8Array> {
  let beginning: Uint8Array | undefined = new Uint8Array();
  const check = (bytes: Uint8Array) => {
    const inner = compressionOf(bytes, `the content of ${name}`);
    if (inner !== undefined)
      throw new FileProblem(`${name} is compressed twice (${compression}, ${inner}): decompress it once`);
  };
  // Nothing is read of a content before it is known what it is.
  for await (const chunk of content) {
    if (beginning === undefined) {
      yield chunk;
      continue;
    }
    beginning = joinBytes(beginning, chunk);
    if (beginning.length < kindBytes) continue;
    check(beginning.subarray(0, kindBytes));
    yield beginning;
    beginning = undefined;
  }
  if (beginning === undefined) return;
  check(beginning);
  if (beginning.length > 0) yield beginning;
}

/** The problem of a file that a library cannot decompress. */
export function notDecompressed(name: string, compression: Compression, error: unknown): FileProblem {
  return new FileProblem(
    `${name} cannot be decompressed (${compression}): ${reasonOf(error)}. Is the file complete?`,
    { cause: error },
  );
}

function reasonOf(error: unknown): string {
  // A library that runs out of bytes reads a member of nothing.
  if (!(error instanceof Error) || error.name === 'TypeError') return 'the data are damaged or cut';
  return error.message;
}
