// What the screen shows, as the hash of the address: `#/data/shop/books?tab=rows`. A link opens what its sender saw.
// What is open over the screen is part of it, as `open=row:{"id":1}`, and an entry of the history of its own.
import { computed, signal } from '@preact/signals';

/** A place of the console. */
export interface Place {
  /** The decoded parts of the path: `['data', 'shop', 'books']`. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** The value of `cluster` in the query for all clusters: no cluster has such an id. */
export const allClusters = '*';

/** The part of an address that names a cluster; that of this server is not named. */
export function clusterQuery(cluster: string) {
  return { cluster: cluster === 'local' ? undefined : cluster };
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

/** A value of the query that names a thing of a kind: `row:{"id":1}`, `find:Python`, or a kind alone. */
export interface Part {
  readonly kind: string;
  /** Empty where the kind has none. */
  readonly subject: string;
}

/** Reads a part. */
export function parsePart(text: string): Part {
  const [kind = '', subject = ''] = splitOnce(text, ':');
  return { kind, subject };
}

/** Writes a part. */
export function partText({ kind, subject }: Part): string {
  return subject === '' ? kind : `${kind}:${subject}`;
}

/** The longest subject of what is open, in characters of the address: some programs cut links of more than 8,000. */
export const longestSubject = 4000;

/** Whether an address has room for a subject. */
export function fitsAddress(subject: string): boolean {
  return subject.length <= longestSubject && encodeURIComponent(subject).length <= longestSubject;
}

/** What the browser keeps with an entry of its history. */
interface EntryState {
  /** Counts up from the first entry of the tab. */
  readonly at: number;
  /** Something was opened here; the entry before is the same place without it. */
  readonly isOver?: boolean;
  /** The subject of what is open, where it does not fit into the address. */
  readonly subject?: string;
}

interface Entry extends EntryState {
  readonly hash: string;
  /** Another one with each arrival, also at an entry that was left before; changes in place keep it. */
  readonly visit: number;
}

const entry = signal<Entry>({ hash: globalThis.location?.hash ?? '', at: 0, visit: 0 });

/** The place that is shown. */
export const place = computed(() => parsePlace(entry.value.hash));

/** The number of the entry of the history that is shown. */
export const entryNumber = computed(() => entry.value.at);

/** Returns what says whether the place of now is still shown, with nothing opened over it, when a reply comes later. */
export function stayHere(): () => boolean {
  const { visit } = entry.peek();
  return () => entry.peek().visit === visit;
}

/** What is open over the screen. */
export interface Opened extends Part {
  /** A link has the subject. */
  readonly isInAddress: boolean;
  /** False once it was closed, also where something else is open now. */
  readonly isShown: () => boolean;
  /** Closes it as the back button does, or, where a link opened it, in place. Asks nothing. Later calls do nothing. */
  readonly close: () => void;
}

/** What is open over the screen; undefined where nothing is. */
export const opened = computed((): Opened | undefined => {
  const { kind, subject } = parsePart(place.value.query['open'] ?? '');
  if (kind === '') return undefined;
  const { isOver = false, subject: kept } = entry.value;
  const isHere = stayHere();
  const isShown = () => {
    const now = parsePart(parsePlace(entry.peek().hash).query['open'] ?? '');
    return isHere() && now.kind === kind && now.subject === subject;
  };
  return {
    kind,
    subject: kept ?? subject,
    isInAddress: kept === undefined,
    isShown,
    close: () => {
      if (!isShown()) return;
      // In a tab without another entry the browser has nowhere to go back to.
      if (!isOver || history.length === 1) changeQuery({ open: undefined, as: undefined });
      else leaveBy(-1);
    },
  };
});

/** Follows the address bar and the back button. Called once, at the start. */
export function followAddress(): void {
  const state = stateOf(history.state) ?? { at: 0 };
  history.replaceState(state, '');
  entry.value = { ...state, hash: location.hash, visit: entry.peek().visit + 1 };
  // Browsers send it for links and typed addresses, too.
  addEventListener('popstate', arrive);
  addEventListener('beforeunload', (event) => {
    if (!isEnding && holders.some(({ isHeld }) => isHeld())) event.preventDefault();
  });
}

let isEnding = false;

/** Loads the page again, without the place that is shown. Asks nothing. */
export function beginAnew(): void {
  isEnding = true;
  location.replace(location.pathname);
}

/** Shows another place; the back button returns. In place of what is open: the back button does not open that again. */
export function goTo(path: readonly string[], query: QueryChange = {}): void {
  const { at, isOver = false } = entry.peek();
  if (isOver) show('replace', hrefOf(path, query), { at });
  else show('push', hrefOf(path, query), { at: at + 1 });
}

/** Changes values of the query in place; `isStep` makes it a step that the back button returns from. */
export function changeQuery(change: QueryChange, isStep = false): void {
  const { hash, at } = entry.peek();
  const { path, query } = parsePlace(hash);
  const next = hrefOf(path, { ...query, ...change });
  if (next === hash) return;
  if (isStep) show('push', next, { at: at + 1 });
  else rename(next);
}

/** Names in the address, in place, what the screen shows where the path named less: a link opens the same later. */
export function completePath(path: readonly string[]): void {
  rename(hrefOf(path, parsePlace(entry.peek().hash).query));
}

/** Opens something over the screen: the back button closes it. A subject too long for an address is in no link. */
export function openOver(kind: string, subject = ''): void {
  const { hash, at } = entry.peek();
  const { path, query } = parsePlace(hash);
  const isFit = fitsAddress(subject);
  const next = hrefOf(path, { ...query, open: partText({ kind, subject: isFit ? subject : '' }) });
  show('push', next, { at: at + 1, isOver: true, ...(isFit ? {} : { subject }) });
}

/** What would be lost with the place, as a form in which something was typed. */
export interface Holder {
  readonly isHeld: () => boolean;
  /** Asks whether to leave; `leave` does it. */
  readonly ask: (leave: () => void) => void;
}

const holders: Holder[] = [];

/** Asks before the back button, a link or a typed address leaves the place; returns what ends that. */
export function holdPlace(holder: Holder): () => void {
  holders.push(holder);
  return () => void holders.splice(holders.indexOf(holder), 1);
}

/** Whether the next arrival was decided here: nothing is asked. */
let isLeaving = false;

function leaveBy(steps: number): void {
  // A second press while the browser is on its way would leave one place more.
  if (isLeaving) return;
  isLeaving = true;
  history.go(steps);
}

/** The browser is at another entry of the history, or at a new one. */
function arrive(): void {
  const before = entry.peek();
  const { hash } = location;
  const known = stateOf(history.state);
  // A link to the same place takes the place of the entry; to another one it adds an entry.
  const state = known ?? { at: hash === before.hash ? before.at : before.at + 1 };
  if (known === undefined) history.replaceState(state, '');
  const steps = state.at - before.at;
  const holder = isLeaving ? undefined : holders.findLast(({ isHeld }) => isHeld());
  isLeaving = false;
  if (holder === undefined || steps === 0) {
    entry.value = { ...state, hash, visit: steps === 0 ? before.visit : before.visit + 1 };
    return;
  }
  // The browser has left already: it returns, so that the address is of what is shown.
  history.go(-steps);
  holder.ask(() => leaveBy(steps));
}

function show(how: 'push' | 'replace', hash: string, state: EntryState): void {
  if (how === 'push') history.pushState(state, '', hash);
  else history.replaceState(state, '', hash);
  entry.value = { ...state, hash, visit: entry.peek().visit + 1 };
}

/** Changes the address of the entry in place: what is shown stays. */
function rename(hash: string): void {
  const { hash: _, visit, ...state } = entry.peek();
  history.replaceState(state, '', hash);
  entry.value = { ...state, hash, visit };
}

function stateOf(value: unknown): EntryState | undefined {
  if (typeof value !== 'object' || value === null || !('at' in value)) return undefined;
  if (typeof value.at !== 'number') return undefined;
  // Only this file writes such states.
  return value as EntryState;
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
