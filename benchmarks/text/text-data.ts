// Texts whose words are as frequent as those of a language: the word of rank n is n times rarer than the first.

const vocabularySize = 50_000;
const rareTokens = 20;
/** One row of so many has a certain rare token. */
const rowsPerRareToken = 1_000;

/** The texts of rows. */
export interface Texts {
  /** The text of a row, which is always the same. */
  textOf(row: number): string;
}

/** The word of a rank, from 0. */
export function wordOfRank(rank: number): string {
  return `w${rank.toString(36)}`;
}

/** One of the tokens that one row in a thousand has. */
export function rareToken(at: number): string {
  return `rare${at % rareTokens}`;
}

/** One of a hundred kinds, which does not depend on the text of the row. */
export function kindOf(row: number): number {
  return mixed(row, -1) % 100;
}

/** Texts with about so many words. */
export function makeTexts(words: number): Texts {
  const cumulated: number[] = [];
  let total = 0;
  for (let rank = 0; rank < vocabularySize; rank += 1) {
    total += 1 / (rank + 1);
    cumulated.push(total);
  }
  const rankOf = (share: number) => {
    let [low, high] = [0, vocabularySize - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulated[middle] ?? 0) < share * total) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    textOf: (row) => {
      const count = words - 4 + (mixed(row, 0) % 9);
      const chosen = Array.from({ length: count }, (_, at) =>
        wordOfRank(rankOf(mixed(row, at + 1) / 2 ** 32)),
      );
      const rare = row % rowsPerRareToken;
      return (rare < rareTokens ? [rareToken(rare), ...chosen] : chosen).join(' ');
    },
  };
}

/** A number below 2^32 that depends on two others only. */
function mixed(row: number, at: number): number {
  let hash = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(at + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}
