// Compresses large replies for clients that take them compressed.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

/** Shorter bodies fit into a few packets: compressing them costs more than it saves. */
export const compressFromLength = 16 * 1024;

/** Longer bodies would keep a processor busy for seconds, and what compresses them would hold their memory twice. */
export const compressToLength = 4 * 1024 * 1024;

/** The encodings we compress with. */
export type ContentEncoding = 'br' | 'gzip';

/** What an `Accept-Encoding` header likes best of what we can do; undefined when that is the plain body. */
export function chooseEncoding(acceptEncoding: string | undefined): ContentEncoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const chosen = negotiator.encoding(['br', 'gzip', 'identity']);
  return chosen === 'br' || chosen === 'gzip' ? chosen : undefined;
}

/** Compresses off the event loop; fast settings, since the reply waits for it. */
export function compressBody(body: Uint8Array, encoding: ContentEncoding): Promise<Buffer> {
  if (encoding === 'gzip') return gzipAsync(body, { level: 1 });
  return brotliAsync(body, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
  });
}

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);
