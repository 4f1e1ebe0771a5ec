// Reads objects of an archive in order, the next ones while the caller works on one.
import { ArchiveDamaged } from '../format/archive-damaged.js';
import type { ArchiveStore } from '../stores/archive-store.js';

/** Objects that are read before they are needed. An object has at most 8 MiB, and so many are in memory. */
const readAhead = 3;

/** An object with its whole name. */
export interface ReadObject {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Reads the objects of some names. @throws ArchiveDamaged if one is missing, StoreFailure, what `names` throws */
export async function* readObjects(
  store: ArchiveStore,
  names: AsyncIterable<string> | Iterable<string>,
  signal?: AbortSignal,
): AsyncGenerator<ReadObject, void, undefined> {
  const waiting: Promise<ReadObject>[] = [];
  for await (const name of names) {
    const reading = readObject(store, name, signal);
    reading.catch(() => {}); // it is reported when it is its turn
    waiting.push(reading);
    if (waiting.length <= readAhead) continue;
    const next = waiting.shift();
    if (next !== undefined) yield await next;
  }
  for (const next of waiting) yield await next;
}

/** Reads one object. @throws ArchiveDamaged if it is missing, StoreFailure */
export async function readObject(
  store: ArchiveStore,
  name: string,
  signal?: AbortSignal,
): Promise<ReadObject> {
  const found = await store.read(name, signal);
  if (found === undefined) throw new ArchiveDamaged(name, 'is missing');
  return { name, bytes: found };
}
