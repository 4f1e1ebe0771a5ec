// Random choices that a seed brings back.

/** Draws from one stream of numbers; the same seed gives the same draws. */
export interface SeededRandom {
  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  /** True in that share of the draws. */
  chance(share: number): boolean;
  /** True once in `times` draws on average. */
  oneIn(times: number): boolean;
  /** An element of a list that is not empty. */
  pick<Element>(list: readonly Element[]): Element;
  /** Some different elements in random order, at most `count`. */
  some<Element>(list: readonly Element[], count: number): Element[];
}

/** The generator mulberry32: 32 bits of state are enough for tests, and it is short. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <Element>(list: readonly Element[]): Element => {
    const at = below(list.length);
    if (at >= list.length) throw new RangeError('there is nothing to pick from');
    return list[at] as Element; // the place is inside
  };
  const some = <Element>(list: readonly Element[], count: number): Element[] => {
    const left = [...list];
    const taken: Element[] = [];
    while (taken.length < count && left.length > 0) taken.push(...left.splice(below(left.length), 1));
    return taken;
  };
  return { below, chance: (share) => next() < share, oneIn: (times) => below(times) === 0, pick, some };
}

/** A new seed for runs that are given none. */
export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
