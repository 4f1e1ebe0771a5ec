// Objects that are written once.
import { type ArchiveStore, StoreFailure } from './archive-store.js';

/**
 * Writes an object if it is absent. Returns whether the archive has these bytes under the name: also if an earlier
 * attempt wrote them, whose answer never came. @throws StoreFailure
 */
export async function writeOnce(
  store: Pick<ArchiveStore, 'read' | 'write'>,
  name: string,
  bytes: Buffer,
  signal?: AbortSignal,
): Promise<boolean> {
  if ((await store.write(name, bytes, signal)) !== 'refused') return true;
  const found = await store.read(name, signal);
  return found?.equals(bytes) === true;
}

/**
 * Expects that the store refuses to write an object that is there; returns its content. Otherwise two servers could
 * hold the lease of an archive. @throws StoreFailure
 */
export async function expectRefusal(
  store: Pick<ArchiveStore, 'write' | 'title'>,
  name: string,
  found: Buffer,
  signal?: AbortSignal,
): Promise<Buffer> {
  // Another content that means the same: the same one would count as written by an earlier attempt without an answer.
  const hasEnd = found.at(-1) === '\n'.charCodeAt(0);
  const other = hasEnd ? found.subarray(0, -1) : Buffer.concat([found, Buffer.from('\n')]);
  if ((await store.write(name, other, signal)) === 'refused') return found;
  throw new StoreFailure(
    `the store of ${store.title} writes over objects that are there, although the request has If-None-Match: two ` +
      'servers could then write to one archive. Use a store that knows this condition',
    true,
  );
}
