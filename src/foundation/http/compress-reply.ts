// Compresses large replies for clients that accept it.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

/** Shorter bodies fit into a few packets: compressing them costs more than it saves. */
export const compressFromLength = 16 * 1024;

/** Longer bodies would take a processor for seconds, and compressing would hold their memory twice. */
export const compressToLength = 4 * 1024 * 1024;

/** The encodings that the server can use, the smallest result first. */
export const contentEncodings = ['br', 'gzip'] as const;

/** The part of a Negotiator that is used: its types do not have the second parameter yet. */
interface EncodingChoice {
  encoding(available: string[], options: { readonly preferred: readonly string[] }): string | undefined;
}

/** One of them. */
export type ContentEncoding = (typeof contentEncodings)[number];

/**
 * The encoding that an `Accept-Encoding` header prefers among those offered, and among those it likes equally the first
 * one; undefined for the uncompressed body.
 */
export function chooseEncoding(
  acceptEncoding: string | undefined,
  offered: readonly ContentEncoding[] = contentEncodings,
): ContentEncoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const client: EncodingChoice = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  // Browsers name `gzip` first and like `br` as well, which is smaller and takes less time.
  const chosen = client.encoding([...offered, 'identity'], { preferred: offered });
  return offered.find((encoding) => encoding === chosen);
}

/** Compresses outside the event loop, with fast settings because the reply waits for it. */
export function compressBody(body: Uint8Array, encoding: ContentEncoding): Promise<Buffer> {
  if (encoding === 'gzip') return gzipAsync(body, { level: 1 });
  return brotliAsync(body, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
  });
}

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);
