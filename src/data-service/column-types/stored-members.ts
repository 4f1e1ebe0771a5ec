// Lists, sets and maps in their stored form, JSON text. A change parses only a few members.

/** The order of the members of a set or map: ascending by name. */
export interface MemberOrder {
  /** `member` is the text of an element, or of an entry. */
  nameOf(member: string): unknown;
  compare(left: unknown, right: unknown): number;
}

/** A member to insert: its name, and its stored text. */
export interface AddedMember {
  readonly name: unknown;
  readonly text: string;
}

/**
 * Members are found by binary search. If the number of names exceeds this share of the members, parsing all is faster.
 */
const mostNames = 1 / 64;

/** A change at an index: `text` is inserted before the member at the index, which may also be removed. */
interface Edit {
  readonly at: number;
  readonly drops: boolean;
  readonly text?: string;
}

/**
 * A stored set or map with inserted members, whose names are different and ascending. A member whose name exists
 * replaces it if `replaces`, and is ignored otherwise. Undefined where it is faster to parse all members.
 */
export function withMembers(
  stored: string,
  added: readonly AddedMember[],
  { replaces, ...order }: MemberOrder & { readonly replaces: boolean },
): string | undefined {
  const starts = startsOf(stored);
  if (added.length > countOf(starts) * mostNames) return undefined;
  const edits = added.flatMap(({ name, text }): readonly Edit[] => {
    const { at, isThere } = find(stored, starts, name, order);
    return isThere && !replaces ? [] : [{ at, drops: isThere, text }];
  });
  return edited(stored, starts, edits);
}

/**
 * A stored set or map without the members of some names, different and ascending; null if none is left. Undefined
 * where it is faster to parse all members.
 */
export function withoutNames(
  stored: string,
  names: readonly unknown[],
  order: MemberOrder,
): string | null | undefined {
  const starts = startsOf(stored);
  if (names.length > countOf(starts) * mostNames) return undefined;
  const edits = names.flatMap((name): readonly Edit[] => {
    const { at, isThere } = find(stored, starts, name, order);
    return isThere ? [{ at, drops: true }] : [];
  });
  return edited(stored, starts, edits) ?? null;
}

/** A stored list without the elements that have one of these texts; null if none is left. */
export function withoutElements(stored: string, texts: readonly string[]): string | null {
  const starts = startsOf(stored);
  const unwanted = new Set(texts);
  const lengths = new Set(texts.map(({ length }) => length));
  const edits: Edit[] = [];
  for (let at = 0; at < countOf(starts); at += 1) {
    const length = startAt(starts, at + 1) - 1 - startAt(starts, at);
    if (lengths.has(length) && unwanted.has(memberAt(stored, starts, at))) edits.push({ at, drops: true });
  }
  return edited(stored, starts, edits) ?? null;
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The offset of each member, and the offset after the last one; a member ends one character before the next. */
function startsOf(stored: string): Uint32Array {
  let starts = new Uint32Array(1024);
  let count = 1;
  starts[0] = 1;
  const add = (start: number) => {
    if (count === starts.length) {
      const more = new Uint32Array(count * 2);
      more.set(starts);
      starts = more;
    }
    starts[count] = start;
    count += 1;
  };
  let isInText = false;
  // The depth counts the arrays and objects inside a member.
  let depth = 0;
  const end = stored.length - 1;
  for (let at = 1; at < end; at += 1) {
    const unit = stored.charCodeAt(at);
    if (unit === quote) isInText = !isInText;
    else if (unit === backslash) at += 1;
    else if (isInText) continue;
    else if (unit === comma && depth === 0) add(at + 1);
    else if (unit === openBracket || unit === openBrace) depth += 1;
    else if (unit === closeBracket || unit === closeBrace) depth -= 1;
  }
  add(stored.length);
  return starts.subarray(0, count);
}

function countOf(starts: Uint32Array): number {
  return starts.length - 1;
}

function startAt(starts: Uint32Array, at: number): number {
  return starts[at] ?? 0; // always defined: places are within the list
}

function memberAt(stored: string, starts: Uint32Array, at: number): string {
  return stored.slice(startAt(starts, at), startAt(starts, at + 1) - 1);
}

function find(stored: string, starts: Uint32Array, name: unknown, { nameOf, compare }: MemberOrder) {
  let low = 0;
  let high = countOf(starts);
  while (low < high) {
    const middle = (low + high) >> 1;
    const difference = compare(nameOf(memberAt(stored, starts, middle)), name);
    if (difference === 0) return { at: middle, isThere: true };
    if (difference < 0) low = middle + 1;
    else high = middle;
  }
  return { at: low, isThere: false };
}

/** The text with edits at ascending places; undefined for no members. */
function edited(stored: string, starts: Uint32Array, edits: readonly Edit[]): string | undefined {
  const parts: string[] = [];
  let next = 0;
  const keepUntil = (at: number) => {
    if (at > next) parts.push(stored.slice(startAt(starts, next), startAt(starts, at) - 1));
    next = at;
  };
  for (const { at, drops, text } of edits) {
    keepUntil(at);
    if (text !== undefined) parts.push(text);
    if (drops) next = at + 1;
  }
  keepUntil(countOf(starts));
  return parts.length === 0 ? undefined : `${stored[0]}${parts.join(',')}${stored.at(-1)}`;
}
