// What the screen shows, as the hash of the address: `#/data/shop/books?tab=rows`. A link opens what its sender saw.
import { computed, signal } from '@preact/signals';

/** A place of the console. */
export interface Place {
  /** The decoded parts of the path: `['data', 'shop', 'books']`. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Values of the query; undefined and an empty text remove one. */
export type QueryChange = Readonly<Record<string, string | undefined>>;

/** Reads a hash, with or without its `#`. Parts that cannot be decoded are taken as they are. */
export function parsePlace(hash: string): Place {
  const [path = '', query = ''] = splitOnce(hash.replace(/^#/, ''), '?');
  const parts = path.split('/').filter((part) => part !== '');
  return { path: parts.map(decode), query: Object.fromEntries(new URLSearchParams(query)) };
}

/** Writes a place as the `href` of a link. */
export function hrefOf(path: readonly string[], query: QueryChange = {}): string {
  const kept = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '');
  const search = kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`;
  return `#/${path.map(encodeURIComponent).join('/')}${search}`;
}

const hash = signal(globalThis.location?.hash ?? '');

/** The place that is shown. */
export const place = computed(() => parsePlace(hash.value));

/** Follows the address bar. Called once, at the start. */
export function followAddress(): void {
  addEventListener('hashchange', () => {
    hash.value = location.hash;
  });
}

/** Shows another place; the browser's back button returns. */
export function goTo(path: readonly string[], query: QueryChange = {}): void {
  location.hash = hrefOf(path, query);
}

/** Changes values of the query in place; `isStep` makes it a step that the back button returns from. */
export function changeQuery(change: QueryChange, isStep = false): void {
  const { path, query } = parsePlace(location.hash);
  const next = hrefOf(path, { ...query, ...change });
  if (next === location.hash) return;
  if (isStep) location.hash = next;
  else {
    history.replaceState(null, '', next);
    hash.value = next;
  }
}

function splitOnce(text: string, at: string): readonly string[] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + at.length)];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
