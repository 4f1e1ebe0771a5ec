// Writes objects whose answer may be lost.
import type { ArchiveStore } from './archive-store.js';

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
