// How many rows or documents the tables and collections of a keyspace have: asked for one after the other.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { memberAt, toCount } from '../json/exact-json.js';
import { sendCommand } from './command.js';
import type { Item } from './schema.js';

/** A count. */
export interface ItemCount {
  readonly count: number;
  /** There are more. */
  readonly isLeast: boolean;
}

/** Of more tables and collections only these are counted without being asked for. */
export const mostCounted = 30;

/** By keyspace and name: of the keyspaces that were shown since the page was loaded. */
const counts = signal<ReadonlyMap<string, ItemCount>>(new Map());

/** What is known of the count of an item. */
export function countOf(keyspace: string, item: Item): ItemCount | undefined {
  return counts.value.get(keyOf(keyspace, item));
}

/** Counts the items while they are shown. A count that fails is left out: the item itself says why. */
export function useCounts(keyspace: string, items: readonly Item[] | undefined): void {
  useEffect(() => {
    if (items === undefined) return undefined;
    const abort = new AbortController();
    void countAll(keyspace, items.slice(0, mostCounted), abort.signal);
    return () => abort.abort();
  }, [keyspace, items]);
}

/** Counts items now, one after the other: each may read many rows. */
export async function countAll(
  keyspace: string,
  items: readonly Item[],
  signal?: AbortSignal,
): Promise<void> {
  for (const item of items) {
    const name = item.kind === 'table' ? 'estimatedRowCount' : 'estimatedDocumentCount';
    const target = { keyspace, name: item.name, kind: item.kind };
    try {
      const { status } = await sendCommand({ target, name, body: {} }, signal);
      const count = toCount(memberAt(status, 'count'));
      if (count === undefined) continue;
      const isLeast = memberAt(status, 'moreData') === true;
      const next = { count, isLeast };
      counts.value = new Map([...counts.peek(), [keyOf(keyspace, item), next]]);
    } catch {
      if (signal?.aborted) return;
    }
  }
}

function keyOf(keyspace: string, { name }: Item): string {
  return JSON.stringify([keyspace, name]);
}
