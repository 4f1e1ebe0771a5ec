// The tokenizers that definitions can name.
import { InvalidAnalyzer, type Tokenizer, usualMostCharacters } from './analyzer.js';
import { type Arguments, type Component, integerArgument } from './component.js';
import { javaSpace } from './java-space.js';
import { compilePattern, type PatternProgram } from './pattern-program.js';
import { findMatches, longestMatch } from './pattern-search.js';
import { pieceEnd, segmentWords } from './word-segments.js';

/** Longer tokens are cut into pieces. */
const longestToken = { least: 1, most: 1_048_576, fallback: 255 } as const;
const gramSize = { least: 1, most: 50 } as const;
/** The maximum number of parts of a text: most of them differ, and the writer stores an entry for each. */
const mostGrams = 256 * 1024;
/** The maximum number of steps to find the matches of a pattern in a text: about a second. */
const mostSteps = 30_000_000;

const noLetters = /\P{L}+/u;

/** The tokenizers, in the order of messages. */
export const tokenizers: readonly Component<Tokenizer>[] = [
  {
    name: 'standard',
    takes: ['maxTokenLength'],
    make: (given) => {
      const longest = integerArgument(given, 'maxTokenLength', longestToken);
      return tokenizer((text) => segmentWords(text, longest));
    },
  },
  splitting('whitespace', javaSpace),
  splitting('letter', noLetters),
  { name: 'keyword', takes: [], make: () => tokenizer((text) => [text]) },
  {
    name: 'ngram',
    takes: ['minGramSize', 'maxGramSize'],
    make: (given) => {
      const least = integerArgument(given, 'minGramSize', { ...gramSize, fallback: 3 });
      const most = integerArgument(given, 'maxGramSize', { ...gramSize, fallback: 7 });
      if (least > most)
        throw new InvalidAnalyzer(`the argument "minGramSize" (${least}) is above "maxGramSize" (${most})`);
      const mostCharacters = Math.floor(mostGrams / (most - least + 1));
      return { mostCharacters, split: (text) => ngrams(text, least, most) };
    },
  },
  { name: 'pattern', takes: ['pattern', 'group'], make: patternTokenizer },
];

function tokenizer(split: Tokenizer['split']): Tokenizer {
  return { mostCharacters: usualMostCharacters, split };
}

/** A tokenizer that removes the separators. */
function splitting(name: string, separators: RegExp): Component<Tokenizer> {
  return {
    name,
    takes: ['maxTokenLen'],
    make: (given) => {
      const longest = integerArgument(given, 'maxTokenLen', longestToken);
      return tokenizer((text) => text.split(separators).flatMap((token) => pieces(token, longest)));
    },
  };
}

function pieces(token: string, longest: number): string | readonly string[] {
  if (token.length <= longest) return token;
  const cut: string[] = [];
  for (let at = 0; at < token.length; ) {
    const end = pieceEnd(token, at, longest);
    cut.push(token.slice(at, end));
    at = end;
  }
  return cut;
}

/** All parts of the text with `least` to `most` characters, by their first character. */
function ngrams(text: string, least: number, most: number): readonly string[] {
  const characters = [...text];
  const grams: string[] = [];
  for (let at = 0; at + least <= characters.length; at += 1) {
    let gram = characters.slice(at, at + least - 1).join('');
    for (let size = least; size <= most && at + size <= characters.length; size += 1) {
      gram += characters[at + size - 1] ?? '';
      grams.push(gram);
    }
  }
  return grams;
}

/** Without a group matches separate the tokens; else the tokens are the texts of that group, 0 for whole matches. */
function patternTokenizer(given: Arguments): Tokenizer {
  const pattern = given.get('pattern');
  if (pattern === undefined) throw new InvalidAnalyzer('the argument "pattern" is missing');
  const program = compilePattern(pattern);
  const group = groupArgument(given, program);
  return {
    // Each match can take as many steps as the longest one has characters, in each part of the program.
    mostCharacters: Math.min(
      usualMostCharacters,
      Math.floor(mostSteps / (longestMatch * program.instructions.length)),
    ),
    split: (text) => (group < 0 ? textsBetween(program, text) : textsOfGroup(program, text, group)),
  };
}

function groupArgument(given: Arguments, { groups }: PatternProgram): number {
  if (given.get('group') === '-1') return -1;
  return given.has('group') ? integerArgument(given, 'group', { least: 0, most: groups }) : -1;
}

function textsBetween(program: PatternProgram, text: string): readonly string[] {
  const texts: string[] = [];
  let before = 0;
  for (const { start, end } of findMatches(program, text, 0)) {
    if (start > before) texts.push(text.slice(before, start));
    before = end;
  }
  if (before < text.length) texts.push(text.slice(before));
  return texts;
}

function textsOfGroup(program: PatternProgram, text: string, group: number): readonly string[] {
  const texts: string[] = [];
  for (const { start, end, groupStart, groupEnd } of findMatches(program, text, group)) {
    const [from, to] = group === 0 ? [start, end] : [groupStart, groupEnd];
    if (from >= 0 && to > from) texts.push(text.slice(from, to));
  }
  return texts;
}
