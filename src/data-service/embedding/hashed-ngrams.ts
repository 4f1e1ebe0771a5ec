// Lexical embeddings: words and their character n-grams, hashed into the dimensions of a vector.

/**
 * The number of characters of a text that are used. A vector of some hundred numbers cannot represent
 * more, and most texts begin with their topic.
 */
export const maxHashedLength = 8_192;

/** Longer words, such as a block of base64, are split. */
const maxWordLength = 40;
/** The weight of the n-grams of a word relative to the word itself: "index" and "indexes" must be similar. */
const gramShare = 1.2;
/** The weight of stop words and of single letters. */
const slightWeight = 0.15;
const slightWords: ReadonlySet<string> = new Set(
  (
    'a about all also an and any are as at be been but by can could do does for from had has have he her his how i ' +
    'if in into is it its just like may more most my no not of on one only or other our out over so some such than ' +
    'that the their them then there these they this to up use used using was we were what when where which who why ' +
    'will with would you your'
  ).split(' '),
);

/**
 * A vector of length 1 and `dimension` elements. The same text gives the same vector in every process. Vectors are
 * stored, so nothing here may change without a new model name.
 */
export function hashText(text: string, dimension: number): Float32Array {
  const sums = new Float64Array(dimension);
  for (const [word, count] of countWords(text.slice(0, maxHashedLength))) {
    const weight = Math.sqrt(count) * importanceOf(word);
    addFeature(sums, hashOf(word, 0, word.length, wordSeed), weight);
    addGrams(sums, word, weight * gramShare);
  }
  let length = lengthOf(sums);
  if (length === 0) {
    // There is no feature, or the features cancel each other out: a zero vector has no direction.
    sums[hashOf(text, 0, text.length, wordSeed) % dimension] = 1;
    length = 1;
  }
  return Float32Array.from(sums, (sum) => sum / length);
}

/** Words in lower case without accents, names in camel case split; punctuation only if there are no words. */
function countWords(text: string): ReadonlyMap<string, number> {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase();
  const words = plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? plain.match(/\S+/g) ?? [];
  const counts = new Map<string, number>();
  for (const word of words) {
    for (let start = 0; start < word.length; start += maxWordLength) {
      const piece = word.slice(start, start + maxWordLength);
      counts.set(piece, (counts.get(piece) ?? 0) + 1);
    }
  }
  return counts;
}

/** From 0 to 1. Long words are more specific than short ones. */
function importanceOf(word: string): number {
  if (slightWords.has(word) || /^[a-z]$/.test(word)) return slightWeight;
  return Math.min(1, 0.4 + 0.1 * word.length);
}

/** Scripts without spaces between words: pairs of characters count as words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function addGrams(sums: Float64Array, word: string, share: number): void {
  const framed = `<${word}>`;
  const [least, most] = unspaced.test(word) ? [2, 3] : [3, 5];
  let count = 0;
  for (let size = least; size <= most; size += 1) count += Math.max(0, framed.length - size + 1);
  if (count === 0) return;
  const weight = share / Math.sqrt(count);
  for (let size = least; size <= most; size += 1) {
    for (let start = 0; start + size <= framed.length; start += 1)
      addFeature(sums, hashOf(framed, start, start + size, gramSeed), weight);
  }
}

/** Half of the features are negative, so that those in the same element cancel out on average. */
function addFeature(sums: Float64Array, hash: number, weight: number): void {
  const place = (hash >>> 1) % sums.length;
  sums[place] = (sums[place] ?? 0) + ((hash & 1) === 0 ? weight : -weight);
}

const wordSeed = 0x811c9dc5;
const gramSeed = 0x2c1b3c6d;

/** FNV-1a over UTF-16 code units, its bits mixed at the end; 32 bits, not negative. */
function hashOf(text: string, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function lengthOf(sums: Float64Array): number {
  return Math.sqrt(sums.reduce((sum, element) => sum + element * element, 0));
}
