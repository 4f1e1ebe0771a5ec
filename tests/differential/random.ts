// Randomness that a seed repeats.

/** A source of random choices; the same seed makes the same ones. */
export interface Random {
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number;
  /** True in that share of the cases. */
  chance(share: number): boolean;
  /** An element of a list that is not empty. */
  pick<Element>(list: readonly Element[]): Element;
  /** Some different elements in random order, at most `count`. */
  some<Element>(list: readonly Element[], count: number): Element[];
}

/** Mulberry32: 32 bits of state are enough for tests, and it is short. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <Element>(list: readonly Element[]): Element => {
    const element = list[below(list.length)];
    if (element === undefined) throw new TypeError('there is nothing to pick from');
    return element;
  };
  const some = <Element>(list: readonly Element[], count: number): Element[] => {
    const left = [...list];
    const taken: Element[] = [];
    while (taken.length < count && left.length > 0) taken.push(...left.splice(below(left.length), 1));
    return taken;
  };
  return { below, chance: (share) => next() < share, pick, some };
}
