// The stemmers of the Snowball project, by their language. Each is loaded when the first word needs it.
import { createRequire } from 'node:module';
import { getOrMake } from '../../foundation/get-or-make.js';

/** The languages whose stemmers give the same stems as those of Lucene. */
export const snowballLanguages = [
  'armenian',
  'basque',
  'catalan',
  'danish',
  'dutch',
  'finnish',
  'french',
  'german',
  'greek',
  'hungarian',
  'irish',
  'italian',
  'lithuanian',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'spanish',
  'swedish',
  'turkish',
] as const;

export type SnowballLanguage = (typeof snowballLanguages)[number];

type Stem = (word: string) => string;

/** Some stemmers take quadratic time, and no word is as long as this. */
const longestWord = 1_000;

const stemmers = new Map<SnowballLanguage, Stem>();

/** The stem of a word in lower case; longer words than any language has stay as they are. */
export function snowballStem(language: SnowballLanguage, word: string): string {
  if (word.length > longestWord) return word;
  return getOrMake(stemmers, language, loadStemmer)(word);
}

function loadStemmer(language: SnowballLanguage): Stem {
  const require = createRequire(import.meta.url);
  // Each package lacks languages of the other one.
  if (language === 'basque' || language === 'catalan') {
    const { newStemmer }: MakesStemmers = require('snowball-stemmers');
    const made = newStemmer(language);
    return (word) => made.stem(word);
  }
  const { stemmer }: { readonly stemmer: Stem } = require(`@orama/stemmers/${language}`);
  return stemmer;
}

/** What is used of the package `snowball-stemmers`, which has no types. */
interface MakesStemmers {
  newStemmer(language: string): { stem(word: string): string };
}
