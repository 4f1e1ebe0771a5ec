// Buckets of the keys of entries: an index that only knows equality finds a range of values by the buckets of it.
import type { EntryKey, EntryRange } from '../../../documents/entries.js';

/** A part of all keys of a kind: those whose places, without their last `bits` bits, are `number`. */
export interface KeyBucket {
  readonly kind: OrderedKind;
  readonly bits: number;
  readonly number: number;
}

/** The kinds of values that ranges select. */
type OrderedKind = 'number' | 'text' | 'boolean' | 'date';

/** Where a key is among those of its kind: from 0 to 65,535, and never less for a greater key. */
interface KeyPlace {
  readonly kind: OrderedKind;
  readonly place: number;
}

/** The buckets that each key has, by the bits that they leave out, the smallest buckets first. */
const levels: Readonly<Record<OrderedKind, readonly number[]>> = {
  number: [0, 4, 8, 12],
  // The first byte and its first half: texts of one path often begin alike, and smaller buckets divide few of them.
  text: [8, 12],
  boolean: [0],
  date: [0, 4, 8, 12],
};

const mostPlace = 2 ** 16 - 1;
const zeroPlace = 2 ** 15;

/** The first bytes of the keys of booleans and of dates (`entries.ts`). */
const tag = { boolean: 6, date: 7 } as const;

/** The buckets of a key; none for a key of another kind. */
export function bucketsOf(key: EntryKey): readonly KeyBucket[] {
  const found = placeOf(key);
  if (found === undefined) return [];
  const { kind, place } = found;
  return levels[kind].map((bits) => ({ kind, bits, number: place >> bits }));
}

/** Keys from `low` to `high`, both included. */
type KeyRange = Pick<EntryRange, 'low' | 'high'>;

/**
 * At most `most` buckets with every key that is in all of the ranges, and with others where that takes fewer buckets;
 * none if no key is in all of them; undefined if all levels take more buckets.
 */
export function bucketsWithin(ranges: readonly KeyRange[], most: number): readonly KeyBucket[] | undefined {
  const lows = ranges.map(({ low }) => placeOf(low));
  const highs = ranges.map(({ high }) => placeOf(high));
  const kind = lows[0]?.kind;
  // A value is of one kind.
  if (kind === undefined || [...lows, ...highs].some((each) => each?.kind !== kind)) return [];
  const first = Math.max(...lows.map((each) => each?.place ?? 0));
  const last = Math.min(...highs.map((each) => each?.place ?? mostPlace));
  if (first > last) return [];
  for (const at of levels[kind].keys()) {
    const buckets = cover(kind, levels[kind].slice(at), first, last);
    if (buckets.length <= most) return buckets;
  }
  return undefined;
}

/** The fewest buckets of some levels with all places from the first to the last. */
function cover(
  kind: OrderedKind,
  [bits = 0, ...larger]: readonly number[],
  first: number,
  last: number,
): readonly KeyBucket[] {
  let [from, to] = [first >> bits, last >> bits];
  const found: KeyBucket[] = [];
  const [next] = larger;
  if (next === undefined) {
    for (; from <= to; from += 1) found.push({ kind, bits, number: from });
    return found;
  }
  const size = 2 ** (next - bits);
  for (; from <= to && from % size !== 0; from += 1) found.push({ kind, bits, number: from });
  for (; from <= to && (to + 1) % size !== 0; to -= 1) found.push({ kind, bits, number: to });
  return from > to ? found : [...found, ...cover(kind, larger, from << bits, ((to + 1) << bits) - 1)];
}

function placeOf(key: EntryKey): KeyPlace | undefined {
  if (typeof key === 'string') return { kind: 'text', place: placeOfText(key) };
  if (!(key instanceof Uint8Array)) return { kind: 'number', place: placeOfNumber(Number(key)) };
  const [first] = key;
  if (first === tag.boolean) return { kind: 'boolean', place: Number(key[1]) };
  // The ends of all dates have one byte.
  if (first === tag.date) return { kind: 'date', place: key.length === 1 ? 0 : placeOfDate(key) };
  return first === tag.date + 1 ? { kind: 'date', place: mostPlace } : undefined;
}

const double = new DataView(new ArrayBuffer(8));
/** The exponent, and the part of the first 32 bits of a double that is left out: 256 places for each power of two. */
const leastExponent = 1023 - 32;
const omittedBits = 12;

/** 256 places for each power of two from 2^-32 up to 2^96, and as many for negative numbers. */
function placeOfNumber(number: number): number {
  if (number === 0) return zeroPlace;
  double.setFloat64(0, Math.abs(number));
  const power = (double.getUint32(0) >>> omittedBits) - (leastExponent << 8);
  const size = Math.min(Math.max(power, 0), zeroPlace - 1);
  return number > 0 ? zeroPlace + size : zeroPlace - 1 - size;
}

const millisecondsOfDay = 86_400_000n;

/** A place for each day from 1880 up to 2059. */
function placeOfDate(key: Uint8Array): number {
  const time = Buffer.from(key.buffer, key.byteOffset, key.byteLength).readBigUInt64BE(1) - 2n ** 63n;
  const day = Number(time / millisecondsOfDay) - (time % millisecondsOfDay < 0n ? 1 : 0);
  return Math.min(Math.max(day + zeroPlace, 0), mostPlace);
}

/** A place for the first two bytes of the text in UTF-8. */
function placeOfText(text: string): number {
  const first = text.codePointAt(0);
  if (first === undefined) return 0;
  if (first >= 0x80) return firstBytes(first);
  const second = text.codePointAt(1);
  return (first << 8) | (second === undefined ? 0 : firstBytes(second) >> 8);
}

/** The first two bytes of a character, of which ASCII has one. */
function firstBytes(point: number): number {
  if (point < 0x80) return point << 8;
  if (point < 0x800) return ((0xc0 | (point >> 6)) << 8) | 0x80 | (point & 0x3f);
  if (point < 0x10000) return ((0xe0 | (point >> 12)) << 8) | 0x80 | ((point >> 6) & 0x3f);
  return ((0xf0 | (point >> 18)) << 8) | 0x80 | ((point >> 12) & 0x3f);
}
