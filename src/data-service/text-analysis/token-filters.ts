// The token filters that definitions can name.
import { foldText } from '../column-types/text-fold.js';
import { InvalidAnalyzer, type TokenFilter } from './analyzer.js';
import {
  type Arguments,
  type Component,
  choiceArgument,
  flagArgument,
  integerArgument,
} from './component.js';
import { javaSpace } from './java-space.js';
import {
  catalanArticles,
  frenchArticles,
  irishArticles,
  irishLowerCase,
  irregularStems,
  italianArticles,
  turkishLowerCase,
  withoutArticle,
  withoutSuffix,
} from './language-filters.js';
import {
  frenchLightStem,
  germanLightStem,
  germanNormalized,
  italianLightStem,
  portugueseLightStem,
  spanishLightStem,
} from './light-stemmers.js';
import { lowerCase } from './lower-case.js';
import { porterStem } from './porter-stemmer.js';
import { snowballLanguages, snowballStem } from './snowball-stemmers.js';
import { type StopWordLanguage, stopWordsOf } from './stop-words.js';

/** The stop words of Lucene for English. */
const englishStopWords =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they ' +
  'this to was will with';

const lengths = { least: 0, most: 1_048_576 } as const;

/** The token filters, in the order of messages. */
export const tokenFilters: readonly Component<TokenFilter>[] = [
  { name: 'lowercase', takes: [], make: () => forEach(lowerCase) },
  { name: 'stop', takes: ['words', 'format', 'ignoreCase'], make: stopFilter },
  { name: 'porterstem', takes: [], make: () => forEach(porterStem) },
  { name: 'asciifolding', takes: ['preserveOriginal'], make: foldingFilter },
  { name: 'englishpossessive', takes: [], make: () => forEach(withoutPossessive) },
  { name: 'length', takes: ['min', 'max'], make: lengthFilter },
  { name: 'trim', takes: [], make: () => forEach(trimmed) },
  { name: 'snowballporter', takes: ['language'], make: snowballFilter },
  { name: 'frenchlightstem', takes: [], make: () => forEach(frenchLightStem) },
  { name: 'germanlightstem', takes: [], make: () => forEach(germanLightStem) },
  { name: 'germannormalization', takes: [], make: () => forEach(germanNormalized) },
  { name: 'italianlightstem', takes: [], make: () => forEach(italianLightStem) },
  { name: 'portugueselightstem', takes: [], make: () => forEach(portugueseLightStem) },
  { name: 'spanishlightstem', takes: [], make: () => forEach(spanishLightStem) },
  { name: 'elision', takes: [], make: () => forEach((token) => withoutArticle(token, frenchArticles)) },
  { name: 'apostrophe', takes: [], make: () => forEach(withoutSuffix) },
  { name: 'irishlowercase', takes: [], make: () => forEach(irishLowerCase) },
  { name: 'turkishlowercase', takes: [], make: () => forEach(turkishLowerCase) },
];

/** The filters behind the tokenizer `standard` in Lucene's analyzers for languages. */
export function filtersOf(language: StopWordLanguage): readonly TokenFilter[] {
  return [...lowerCaseOf(language), withoutWords(stopWordsOf(language)), forEach(stemOf(language))];
}

function stemOf(language: StopWordLanguage): (token: string) => string {
  switch (language) {
    case 'french':
      return frenchLightStem;
    case 'german':
      return (token) => germanLightStem(germanNormalized(token));
    case 'italian':
      return italianLightStem;
    case 'portuguese':
      return portugueseLightStem;
    case 'spanish':
      return spanishLightStem;
    default: {
      const irregular = irregularStems[language];
      return (token) => irregular?.get(token) ?? snowballStem(language, token);
    }
  }
}

function lowerCaseOf(language: StopWordLanguage): readonly TokenFilter[] {
  switch (language) {
    case 'irish':
      // These are the prefixes of words with a hyphen.
      return [
        withoutWords(['h', 'n', 't'], true),
        forEach((token) => withoutArticle(token, irishArticles)),
        forEach(irishLowerCase),
      ];
    case 'turkish':
      return [forEach(withoutSuffix), forEach(turkishLowerCase)];
    case 'catalan':
      return [forEach((token) => withoutArticle(token, catalanArticles)), forEach(lowerCase)];
    case 'french':
      return [forEach((token) => withoutArticle(token, frenchArticles)), forEach(lowerCase)];
    case 'italian':
      return [forEach((token) => withoutArticle(token, italianArticles)), forEach(lowerCase)];
    default:
      return [forEach(lowerCase)];
  }
}

/** Stems words in lower case. */
function snowballFilter(given: Arguments): TokenFilter {
  const stemmers: readonly [string, ...string[]] = ['porter', ...snowballLanguages];
  if (!given.has('language')) throw new InvalidAnalyzer('the argument "language" is missing');
  const name = choiceArgument(given, 'language', stemmers);
  const language = snowballLanguages.find((each) => each === name);
  return forEach(language === undefined ? porterStem : (token) => snowballStem(language, token));
}

function forEach(change: (token: string) => string): TokenFilter {
  return (tokens) => tokens.map(change);
}

function stopFilter(given: Arguments): TokenFilter {
  const format = choiceArgument(given, 'format', ['wordset', 'snowball']);
  const ignoresCase = flagArgument(given, 'ignoreCase');
  const words = given.get('words');
  const listed =
    words === undefined
      ? englishStopWords.split(' ')
      : words.split(format === 'snowball' ? /\s+/ : ',').map((word) => word.trim());
  return withoutWords(listed, ignoresCase);
}

function withoutWords(words: readonly string[], ignoresCase = false): TokenFilter {
  const stopped = new Set(ignoresCase ? words.map(lowerCase) : words);
  return (tokens) => tokens.filter((token) => !stopped.has(ignoresCase ? lowerCase(token) : token));
}

function foldingFilter(given: Arguments): TokenFilter {
  const keepsOriginal = flagArgument(given, 'preserveOriginal');
  const fold = (token: string) => foldText(token, { ascii: true, caseSensitive: true, normalize: false });
  if (!keepsOriginal) return forEach(fold);
  return (tokens) =>
    tokens.flatMap((token) => {
      const folded = fold(token);
      return folded === token ? [token] : [folded, token];
    });
}

function lengthFilter(given: Arguments): TokenFilter {
  const least = integerArgument(given, 'min', lengths);
  const most = integerArgument(given, 'max', lengths);
  if (least > most) throw new InvalidAnalyzer(`the argument "min" (${least}) is above "max" (${most})`);
  return (tokens) => tokens.filter(({ length }) => length >= least && length <= most);
}

/** Without space at both ends: two loops, because an expression for the end would take quadratic time. */
function trimmed(token: string): string {
  let [start, end] = [0, token.length];
  while (start < end && javaSpace.test(token.charAt(start))) start += 1;
  while (start < end && javaSpace.test(token.charAt(end - 1))) end -= 1;
  return token.slice(start, end);
}

/** Without a final `'s`, with any of the three apostrophes. */
function withoutPossessive(token: string): string {
  return /['\u2019\uff07][sS]$/.test(token) ? token.slice(0, -2) : token;
}
