// Classes of characters in patterns: `[a-z]`, `\d`, `\p{Lu}`, with the meaning that they have in Java.
import type { CharacterTest, PatternText } from './pattern-text.js';

type Range = readonly [first: number, last: number];

const digits: readonly Range[] = [[0x30, 0x39]];
const lower: readonly Range[] = [[0x61, 0x7a]];
const upper: readonly Range[] = [[0x41, 0x5a]];
const punctuation: readonly Range[] = [
  [0x21, 0x2f],
  [0x3a, 0x40],
  [0x5b, 0x60],
  [0x7b, 0x7e],
];

const spaces: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
];

/** Classes of ASCII alone, which they are in Java. */
const shortNames: Readonly<Record<string, readonly Range[]>> = {
  d: digits,
  w: [...digits, ...lower, ...upper, [0x5f, 0x5f]],
  s: spaces,
};

/** Classes of ASCII alone. */
const longNames: Readonly<Record<string, readonly Range[]>> = {
  Lower: lower,
  Upper: upper,
  ASCII: [[0, 0x7f]],
  Alpha: [...lower, ...upper],
  Digit: digits,
  Alnum: [...digits, ...lower, ...upper],
  Punct: punctuation,
  Graph: [[0x21, 0x7e]],
  Print: [[0x20, 0x7e]],
  Blank: [
    [0x09, 0x09],
    [0x20, 0x20],
  ],
  Cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f],
  ],
  XDigit: [...digits, [0x41, 0x46], [0x61, 0x66]],
  Space: spaces,
};

const categories = /^(?:[LMNPSZC]|L[ulmto]|M[nce]|N[dlo]|P[cdsefio]|S[mcko]|Z[slp]|C[cfosn])$/;
const properties: Readonly<Record<string, string>> = {
  IsAlphabetic: 'Alphabetic',
  IsLetter: 'L',
  IsDigit: 'Nd',
  IsLowercase: 'Lowercase',
  IsUppercase: 'Uppercase',
  IsWhite_Space: 'White_Space',
  IsPunctuation: 'P',
};

const controls: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, f: 0x0c, r: 0x0d, a: 0x07, e: 0x1b };

/** What is behind a `\`. @throws InvalidAnalyzer */
export function readEscape(pattern: PatternText): CharacterTest {
  const character = pattern.next();
  const short = shortNames[character.toLowerCase()];
  if (short !== undefined) return inRanges(short, character !== character.toLowerCase());
  if (character === 'p' || character === 'P') return readProperty(pattern, character === 'P');
  return only(escapedCharacter(character, pattern));
}

/** The rest of a class behind its `[`. @throws InvalidAnalyzer */
export function readClass(pattern: PatternText): CharacterTest {
  const isNegated = pattern.takes('^');
  const tests: CharacterTest[] = [];
  while (!pattern.takes(']') || tests.length === 0) tests.push(readMember(pattern));
  const matches: CharacterTest = (codePoint) => tests.some((test) => test(codePoint));
  return remembered(isNegated ? (codePoint) => !matches(codePoint) : matches);
}

function readMember(pattern: PatternText): CharacterTest {
  if (pattern.peek() === '[' || pattern.text.startsWith('&&', pattern.at))
    throw pattern.refuse('classes inside classes are not supported');
  const character = pattern.next();
  if (character === '\\' && /[dDwWsSpP]/.test(pattern.peek())) return readEscape(pattern);
  const first = codePointOf(character === '\\' ? escapedCharacter(pattern.next(), pattern) : character);
  if (pattern.peek() !== '-' || pattern.startsAt(1) === ']') return (codePoint) => codePoint === first;
  pattern.next();
  const end = pattern.next();
  if (end === '[' || (end === '\\' && /[dDwWsSpP]/.test(pattern.peek())))
    throw pattern.refuse('a range needs two characters');
  const last = codePointOf(end === '\\' ? escapedCharacter(pattern.next(), pattern) : end);
  if (last < first) throw pattern.refuse('a range ends below its beginning');
  return (codePoint) => codePoint >= first && codePoint <= last;
}

function escapedCharacter(character: string, pattern: PatternText): string {
  const control = controls[character];
  if (control !== undefined) return String.fromCodePoint(control);
  if (character === 'x' || character === 'u') {
    const size = character === 'x' ? 2 : 4;
    const hex = pattern.text.slice(pattern.at, pattern.at + size);
    if (!/^[0-9A-Fa-f]+$/.test(hex) || hex.length < size)
      throw pattern.refuse(`"\\${character}" needs ${size} hexadecimal digits`);
    pattern.at += size;
    return String.fromCodePoint(Number.parseInt(hex, 16));
  }
  if (/[A-Za-z0-9]/.test(character)) throw pattern.refuse(`"\\${character}" is not supported`);
  return character;
}

function readProperty(pattern: PatternText, isNegated: boolean): CharacterTest {
  let name = pattern.next();
  if (name === '{') {
    const end = pattern.text.indexOf('}', pattern.at);
    if (end < 0) throw pattern.refuse('the name of a class is not closed');
    name = pattern.text.slice(pattern.at, end);
    pattern.at = end + 1;
  }
  const ranges = Object.hasOwn(longNames, name) ? longNames[name] : undefined;
  if (ranges !== undefined) return inRanges(ranges, isNegated);
  const property = Object.hasOwn(properties, name)
    ? properties[name]
    : categories.test(name)
      ? name
      : undefined;
  if (property === undefined) throw pattern.refuse(`the class "${name}" is not supported`);
  const expression = new RegExp(`^\\p{${property}}$`, 'u');
  return remembered((codePoint) => expression.test(String.fromCodePoint(codePoint)) !== isNegated);
}

function only(character: string): CharacterTest {
  const own = codePointOf(character);
  return (codePoint) => codePoint === own;
}

function inRanges(ranges: readonly Range[], isNegated: boolean): CharacterTest {
  return (codePoint) => ranges.some(([first, last]) => codePoint >= first && codePoint <= last) !== isNegated;
}

/** Keeps the answers for the characters that most texts have. */
function remembered(test: CharacterTest): CharacterTest {
  const known = new Uint8Array(0x600);
  return (codePoint) => {
    const answer = known[codePoint];
    if (answer === undefined) return test(codePoint);
    if (answer !== 0) return answer === 2;
    const found = test(codePoint);
    known[codePoint] = found ? 2 : 1;
    return found;
  };
}

function codePointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
