// Decodes the bytes of a file to pieces of text.
import { FileProblem } from './file-problem.js';
import { joinBytes } from './join-bytes.js';

/** How the bytes of a file are read. */
export interface TextSource {
  /** The file in messages. */
  readonly name: string;
  /** A label of the Encoding Standard, such as `latin1`; undefined for UTF-8, or for what a byte order mark says. */
  readonly encoding: string | undefined;
}

/** Whether the Encoding Standard has this label. */
export function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

/**
 * The text without its byte order mark, in about as many pieces as there are chunks.
 * @throws FileProblem with the line of bytes that the encoding does not have
 */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  { name, encoding }: TextSource,
): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let line = 1;
  /** The end of what is decoded, where a character may have begun. */
  let before: Before = { sizeBytes: 0, tail: new Uint8Array() };
  for await (const chunk of beginningWith(longestMark, chunks)) {
    decoder ??= new TextDecoder(encodingOf(chunk, name, encoding), { fatal: true });
    let piece: string;
    try {
      piece = decoder.decode(chunk, { stream: true });
    } catch (error) {
      const at = line + linesBeforeProblem(before, chunk, decoder.encoding);
      throw new FileProblem(
        `${name} line ${at} is not ${decoder.encoding.toUpperCase()}: ${adviceFor(chunk)}`,
        {
          cause: error,
        },
      );
    }
    line += breaksIn(piece);
    before = behind(before, chunk);
    yield piece;
  }
  try {
    decoder?.decode();
  } catch (error) {
    throw new FileProblem(`${name} line ${line} ends in the middle of a character: is the file complete?`, {
      cause: error,
    });
  }
}

/** @throws FileProblem for a file whose byte order mark is that of another encoding than the `given` one */
function encodingOf(chunk: Uint8Array, name: string, given: string | undefined): string {
  const marked = encodingOfMark(chunk);
  if (given === undefined) return marked ?? usualEncoding(name, chunk);
  if (marked === undefined || new TextDecoder(given).encoding === marked) return given;
  throw new FileProblem(
    `${name} begins with the byte order mark of ${marked.toUpperCase()}: leave out --encoding ${given}`,
  );
}

const marks: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xef, 0xbb, 0xbf], 'utf-8'],
];
const longestMark = 3;

function encodingOfMark(chunk: Uint8Array): string | undefined {
  return marks.find(([bytes]) => bytes.every((byte, at) => chunk[at] === byte))?.[1];
}

/** UTF-8. @throws FileProblem if the bytes are those of UTF-16: UTF-8 allows zeros, but no text has so many */
function usualEncoding(name: string, chunk: Uint8Array): string {
  const zeros = [0, 0];
  const beginning = chunk.subarray(0, 1000);
  for (const [at, byte] of beginning.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const at = zeros.findIndex((count) => count > beginning.length / 5);
  if (at < 0) return 'utf-8';
  const encoding = at === 1 ? 'utf-16le' : 'utf-16be';
  throw new FileProblem(`${name} looks like UTF-16 without a byte order mark: give --encoding ${encoding}`);
}

/** The chunks. The first one is joined with the next ones until it has `sizeBytes`, or nothing follows. */
async function* beginningWith(
  sizeBytes: number,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let beginning: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of chunks) {
    if (beginning === undefined) {
      yield chunk;
      continue;
    }
    const joined: Uint8Array = joinBytes(beginning, chunk);
    beginning = joined.length < sizeBytes ? joined : undefined;
    if (beginning === undefined) yield joined;
  }
  if (beginning !== undefined && beginning.length > 0) yield beginning;
}

/** Lines that end in a piece; a line that ends with CR counts only in texts without LF. */
function breaksIn(piece: string): number {
  const lineBreak = piece.includes('\n') ? '\n' : '\r';
  let count = 0;
  for (let at = piece.indexOf(lineBreak); at >= 0; at = piece.indexOf(lineBreak, at + 1)) count += 1;
  return count;
}

/** What was decoded before a chunk. */
interface Before {
  readonly sizeBytes: number;
  /** The last bytes. */
  readonly tail: Uint8Array;
}

/** Bytes of a character that a chunk can end in the middle of. */
const longestBeginning = 3;

function behind({ sizeBytes, tail }: Before, chunk: Uint8Array): Before {
  const last = chunk.slice(-longestBeginning);
  const bytes = last.length < longestBeginning ? Uint8Array.of(...tail, ...last) : last;
  return { sizeBytes: sizeBytes + chunk.length, tail: bytes.slice(-longestBeginning) };
}

/**
 * The lines of a chunk that end before the first bytes that the encoding does not have. The chunk may begin in the
 * middle of a character, so it is decoded with each number of bytes before it; the number with the most valid bytes
 * counts.
 */
function linesBeforeProblem({ sizeBytes, tail }: Before, chunk: Uint8Array, encoding: string): number {
  let [most, text] = [-1, ''];
  const unit = encoding.startsWith('utf-16') ? 2 : 1;
  for (let count = 0; count <= tail.length; count += 1) {
    if ((sizeBytes - count) % unit !== 0) continue;
    const bytes = new Uint8Array(count + chunk.length);
    bytes.set(tail.subarray(tail.length - count));
    bytes.set(chunk, count);
    const length = validLength(bytes, encoding);
    if (length - count <= most) continue;
    most = length - count;
    text = new TextDecoder(encoding).decode(bytes.subarray(0, length), { stream: true });
  }
  return breaksIn(text);
}

/** The number of bytes that can be decoded before the first error. */
function validLength(bytes: Uint8Array, encoding: string): number {
  let [valid, wrong] = [0, bytes.length];
  while (wrong - valid > 1) {
    const middle = Math.floor((valid + wrong) / 2);
    if (isBeginning(bytes.subarray(0, middle), encoding)) valid = middle;
    else wrong = middle;
  }
  return valid;
}

function isBeginning(bytes: Uint8Array, encoding: string): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** What to do with a file that has this chunk, which its encoding does not have. */
function adviceFor(chunk: Uint8Array): string {
  if (chunk[0] === 0x1f && chunk[1] === 0x8b) return 'it is compressed twice; decompress it once';
  return 'give its encoding, such as --encoding latin1 or --encoding utf-16le';
}
