// The classes of characters that decide where words begin and end: the property Word_Break of Unicode, as Lucene's
// StandardTokenizer uses it.

/** The class of a character. */
export const wordClass = {
  other: 1,
  /** Marks, formats and joiners, which belong to the character before them. */
  extend: 2,
  letter: 3,
  hebrewLetter: 4,
  numeric: 5,
  katakana: 6,
  /** Connects words: `_`. */
  extendNumLet: 7,
  /** Inside words only: `:`. */
  midLetter: 8,
  /** Inside numbers only: `,`. */
  midNum: 9,
  /** Inside words or numbers: `.`. */
  midNumLet: 10,
  singleQuote: 11,
  doubleQuote: 12,
  /** Thai, Lao, Khmer, Burmese and other scripts without spaces. */
  southEastAsian: 13,
  han: 14,
  hiragana: 15,
  regionalIndicator: 16,
  emoji: 17,
} as const;

/** One of the classes. */
export type WordClass = (typeof wordClass)[keyof typeof wordClass];

const scriptsWithoutSpaces = [
  'Thai',
  'Lao',
  'Khmer',
  'Myanmar',
  'Tai_Le',
  'New_Tai_Lue',
  'Tai_Tham',
  'Tai_Viet',
  'Ahom',
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');

/** Signs that are not alphabetic and yet parts of words. */
const lettersOfWords =
  '\u02c2-\u02c5\u02d2-\u02d7\u02de\u02df\u02e5-\u02eb\u02ed\u02ef-\u02ff\u055a-\u055c\u055e\u058a\u05f3' +
  '\u070f\ua708-\ua716\ua720\ua721\ua789\ua78a\uab5b';

/** The first class whose characters include a character is its class. */
const charactersOfClass: readonly (readonly [WordClass, RegExp])[] = [
  [wordClass.singleQuote, /^'$/u],
  [wordClass.doubleQuote, /^"$/u],
  [wordClass.midLetter, /^[:\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a]$/u],
  [wordClass.midNumLet, /^[.\u2018\u2019\u2024\ufe52\uff07\uff0e]$/u],
  [wordClass.midNum, /^[,;\u037e\u0589\u060c\u060d\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b]$/u],
  [wordClass.extendNumLet, /^[\p{Pc}\u202f]$/u],
  [wordClass.numeric, /^[\p{Nd}\u066b]$/u],
  // The zero width space is a space.
  [wordClass.extend, /^(?!\u200b)[\p{Grapheme_Extend}\p{Mc}\p{Cf}\p{Emoji_Modifier}]$/u],
  [wordClass.katakana, /^[\p{Script=Katakana}\u3031-\u3035\u309b\u309c\u30a0\u30fc\uff70]$/u],
  [wordClass.hiragana, /^\p{Script=Hiragana}$/u],
  // Iteration marks (`々`) are letters.
  [wordClass.han, /^(?=\p{Script=Han})[\p{Ideographic}\P{Alphabetic}]$/u],
  [wordClass.southEastAsian, new RegExp(`^(?=\\p{L})[${scriptsWithoutSpaces}]$`, 'u')],
  [wordClass.hebrewLetter, /^(?=\p{Script=Hebrew})\p{Lo}$/u],
  [wordClass.letter, new RegExp(`^(?!\\p{Ideographic})[\\p{Alphabetic}${lettersOfWords}]$`, 'u')],
  [wordClass.regionalIndicator, /^\p{Regional_Indicator}$/u],
  // Signs that are usually text are not emoji, unless a selector follows: see `word-segments.ts`.
  [wordClass.emoji, /^(?![*#0-9©®™〰〽])\p{Emoji}$/u],
];

/** The classes of the basic plane as far as they are known; 0 for an unknown one. */
const known = new Uint8Array(0x10000);

/** The class of a code point. */
export function wordClassOf(codePoint: number): number {
  const class_ = known[codePoint];
  if (class_ === undefined) return findClass(codePoint); // beyond the basic plane
  if (class_ !== 0) return class_;
  const found = findClass(codePoint);
  known[codePoint] = found;
  return found;
}

function findClass(codePoint: number): WordClass {
  const character = String.fromCodePoint(codePoint);
  const found = charactersOfClass.find(([, characters]) => characters.test(character));
  return found?.[0] ?? wordClass.other;
}
