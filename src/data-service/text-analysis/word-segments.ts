// Splits a text into words by the rules of Unicode (UAX #29), as Lucene's StandardTokenizer does: no dictionary, one
// word for each Han or Hiragana character, and one for each run of Thai, Lao, Khmer or Burmese.
import { wordClass, wordClassOf } from './word-classes.js';

const zeroWidthJoiner = 0x200d;
const textSelector = 0xfe0e;
const emojiSelector = 0xfe0f;
const keycap = 0x20e3;
const skinColor = /^\p{Emoji_Modifier}$/u;
/** Emoji only with a selector, which makes them emoji. */
const signs = /^[©®™〰〽]$/u;

/**
 * The words of a text, in order: only those with a letter, digit, ideograph, kana or emoji. Words with more UTF-16
 * units than `longest` are cut into pieces.
 */
export function segmentWords(text: string, longest: number): readonly string[] {
  const words: string[] = [];
  eachWord(text, longest, (start, end) => words.push(text.slice(start, end)));
  return words;
}

/** Calls `use` with the start and the end of each of these words. */
export function eachWord(text: string, longest: number, use: (start: number, end: number) => void): void {
  for (let at = 0; at < text.length; ) {
    const end = endOfWord(text, at, pieceEnd(text, at, longest));
    if (end > at) use(at, end);
    at = Math.max(end, at + sizeAt(text, at));
  }
}

/** The end of a piece of at most `longest` units, which does not split a character. */
export function pieceEnd(text: string, at: number, longest: number): number {
  const end = at + longest;
  if (end >= text.length) return text.length;
  const splitsPair = longest > 1 && sizeAt(text, end - 1) === 2;
  return splitsPair ? end - 1 : end;
}

/** The end of the word that begins here; `at` if none does. */
function endOfWord(text: string, at: number, limit: number): number {
  switch (classAt(text, at, limit)) {
    case wordClass.letter:
    case wordClass.hebrewLetter:
    case wordClass.numeric:
    case wordClass.katakana:
    case wordClass.extendNumLet:
      return endOfRun(text, at, limit);
    case wordClass.han:
    case wordClass.hiragana:
      return behindMarks(text, at, limit);
    case wordClass.southEastAsian: {
      let end = at;
      while (classAt(text, end, limit) === wordClass.southEastAsian) end = behindMarks(text, end, limit);
      return end;
    }
    case wordClass.regionalIndicator: {
      const second = behindMarks(text, at, limit);
      const isPair = classAt(text, second, limit) === wordClass.regionalIndicator;
      return isPair ? behindMarks(text, second, limit) : at;
    }
    case wordClass.emoji:
      return text.charCodeAt(at + sizeAt(text, at)) === textSelector ? at : endOfEmoji(text, at, limit);
    case wordClass.extend:
      // The color of a skin is an emoji if no character is before it.
      return skinColor.test(text.slice(at, at + 2)) ? endOfEmoji(text, at, limit) : at;
    default:
      return endOfSign(text, at, limit);
  }
}

/** Letters, digits and what connects them. */
function endOfRun(text: string, at: number, limit: number): number {
  return endOfPlainRun(text, at, limit) ?? endOfAnyRun(text, at, limit);
}

/** Most words of most texts: letters and digits of ASCII, before a character of ASCII that is in no word. */
function endOfPlainRun(text: string, at: number, limit: number): number | undefined {
  let [end, unit] = [at, text.charCodeAt(at)];
  while (end < limit && isPlain(unit)) {
    end += 1;
    unit = text.charCodeAt(end);
  }
  if (end === at) return undefined;
  return end >= limit || (unit < 0x80 && wordClassOf(unit) === wordClass.other) ? end : undefined;
}

/** Whether a unit is a letter or digit of ASCII. */
function isPlain(unit: number): boolean {
  const lower = unit | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
}

function endOfAnyRun(text: string, at: number, limit: number): number {
  let [end, before] = [at, 0];
  let isWord = false;
  for (;;) {
    const own = classAt(text, end, limit);
    if (end === at || joins(before, own)) {
      isWord ||= own !== wordClass.extendNumLet;
      before = own;
      end = behindMarks(text, end, limit);
      continue;
    }
    const next =
      own < wordClass.midLetter || own > wordClass.doubleQuote ? end : behindMarks(text, end, limit);
    const following = next === end ? 0 : classAt(text, next, limit);
    if (bridges(before, own, following)) {
      before = following;
      end = next;
      continue;
    }
    if (before === wordClass.hebrewLetter && own === wordClass.singleQuote) end = next;
    return isWord ? end : at;
  }
}

/** Whether there is no boundary between adjacent characters. */
function joins(before: number, own: number): boolean {
  if (before === wordClass.extendNumLet) return isWordPart(own);
  if (own === wordClass.extendNumLet) return true;
  if (before === wordClass.katakana || own === wordClass.katakana) return before === own;
  return isWordPart(own);
}

function isWordPart(class_: number): boolean {
  return class_ >= wordClass.letter && class_ <= wordClass.extendNumLet;
}

/** Whether a sign between two characters connects them. */
function bridges(before: number, sign: number, following: number): boolean {
  if (before === wordClass.numeric)
    return following === before && sign !== wordClass.midLetter && isMid(sign);
  if (before !== wordClass.letter && before !== wordClass.hebrewLetter) return false;
  if (sign === wordClass.doubleQuote)
    return before === wordClass.hebrewLetter && following === wordClass.hebrewLetter;
  const isLetter = following === wordClass.letter || following === wordClass.hebrewLetter;
  return isLetter && sign !== wordClass.midNum && isMid(sign);
}

function isMid(class_: number): boolean {
  return class_ >= wordClass.midLetter && class_ <= wordClass.singleQuote;
}

function endOfEmoji(text: string, at: number, limit: number): number {
  let end = behindMarks(text, at, limit);
  while (text.charCodeAt(end - 1) === zeroWidthJoiner && classAt(text, end, limit) === wordClass.emoji) {
    end = behindMarks(text, end, limit);
  }
  return end;
}

/** Signs that a selector makes emoji: `©`, and `#` and `*` as keycaps. */
function endOfSign(text: string, at: number, limit: number): number {
  const next = text.charCodeAt(at + 1);
  if (next !== keycap && next !== emojiSelector) return at;
  const sign = text.charAt(at);
  const isKeycap =
    (sign === '#' || sign === '*') &&
    (next === keycap || (next === emojiSelector && text.charCodeAt(at + 2) === keycap));
  const isEmoji = isKeycap || (next === emojiSelector && signs.test(sign));
  return isEmoji ? behindMarks(text, at, limit) : at;
}

/** The position behind a character and its marks. */
function behindMarks(text: string, at: number, limit: number): number {
  let end = Math.min(limit, at + sizeAt(text, at));
  while (classAt(text, end, limit) === wordClass.extend) end += sizeAt(text, end);
  return end;
}

/** 0 at the limit. */
function classAt(text: string, at: number, limit: number): number {
  return at >= limit ? 0 : wordClassOf(text.codePointAt(at) ?? 0);
}

/** The number of UTF-16 units of a character; 1 at the end. */
export function sizeAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
