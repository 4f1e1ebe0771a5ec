// Compresses large replies for clients that accept it.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

/** Shorter bodies fit into a few packets: compressing them costs more than it saves. */
export const compressFromLength = 16 * 1024;

/** Longer bodies would take a processor for seconds, and compressing would hold their memory twice. */
export const compressToLength = 4 * 1024 * 1024;

/** The encodings that the server can use. */
export type ContentEncoding = 'br' | 'gzip';

/** The encoding that an `Accept-Encoding` header prefers among ours; undefined for the uncompressed body. */
export function chooseEncoding(acceptEncoding: string | undefined): ContentEncoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const chosen = negotiator.encoding(['br', 'gzip', 'identity']);
  return chosen === 'br' || chosen === 'gzip' ? chosen : undefined;
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
