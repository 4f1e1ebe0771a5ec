// Random numbers that a seed brings back.

/** Draws from one stream of numbers; the same seed gives the same draws. */
export interface SeededRandom {
  /** From 0 up to, but not including, `end`. */
  integer(end: number): number;
  /** True once in `times` draws on average. */
  oneIn(times: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** The generator mulberry32; `seed` is an integer of 32 bits. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (end: number) => Math.floor(next() * end);
  return {
    integer,
    oneIn: (times) => integer(times) === 0,
    pick: (items) => {
      const index = integer(items.length);
      if (index >= items.length) throw new RangeError('nothing to pick from');
      return items[index] as (typeof items)[number]; // the index is inside
    },
  };
}

/** A new seed for runs that are given none. */
export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
