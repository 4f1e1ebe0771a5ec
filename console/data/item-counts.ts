// How many rows or documents there are: in the tables and collections of a keyspace, and of those that match a filter.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type JsonObject, memberAt, toCount } from '../json/exact-json.js';
import { documentsOf, sendCommand, type Target } from './command.js';
import { type Item, keyOf as keyColumnsOf } from './schema.js';

export interface ItemCount {
  readonly count: number;
  /** The count is a lower bound: more exist. */
  readonly isLeast: boolean;
}

/** The most tables and collections that are counted without being asked for. */
export const mostCounted = 30;

/** The counts by keyspace and name. They cover the keyspaces that were shown since the page was loaded. */
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

/** Rows of a table that are read to count them. The service counts as many documents. */
const mostMatchingRows = 1000;

/** Counts what matches a filter, up to 1,000. @throws RequestFailure, or the reason of `signal` */
export async function countMatching(
  item: Item,
  target: Target,
  filter: JsonObject,
  signal?: AbortSignal,
): Promise<ItemCount> {
  if (item.kind === 'table') return countRows(item, target, filter, signal);
  const { status } = await sendCommand({ target, name: 'countDocuments', body: { filter } }, signal);
  const count = toCount(memberAt(status, 'count')) ?? 0;
  return { count, isLeast: memberAt(status, 'moreData') === true };
}

/** No command counts the rows of a filter, so the keys are read. */
async function countRows(
  { definition }: Item,
  target: Target,
  filter: JsonObject,
  signal: AbortSignal | undefined,
): Promise<ItemCount> {
  const { partition, clustering } = keyColumnsOf(definition);
  const projection = Object.fromEntries([...partition, ...clustering].map((name) => [name, true]));
  let count = 0;
  let pageState: string | undefined;
  do {
    const options = pageState === undefined ? {} : { options: { pageState } };
    const reply = await sendCommand(
      { target, name: 'find', body: { filter, projection, ...options } },
      signal,
    );
    count += documentsOf(reply).length;
    const next = memberAt(reply.data, 'nextPageState');
    pageState = typeof next === 'string' ? next : undefined;
  } while (pageState !== undefined && count < mostMatchingRows);
  return { count, isLeast: pageState !== undefined };
}

function keyOf(keyspace: string, { name }: Item): string {
  return JSON.stringify([keyspace, name]);
}
