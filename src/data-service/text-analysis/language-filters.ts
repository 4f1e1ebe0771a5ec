// The token filters of single languages: what Lucene's analyzers for them do before and behind the stemmer.
import { lowerCase } from './lower-case.js';
import type { SnowballLanguage } from './snowball-stemmers.js';

/** Irish articles, which an apostrophe joins to the next word. */
export const irishArticles: ReadonlySet<string> = new Set(['d', 'm', 'b']);

/** French articles and pronouns, which an apostrophe joins to the next word. */
export const frenchArticles: ReadonlySet<string> = new Set(
  'l m t qu n s j d c jusqu quoiqu lorsqu puisqu'.split(' '),
);

/** Catalan articles and pronouns, which an apostrophe joins to the next word. */
export const catalanArticles: ReadonlySet<string> = new Set(['d', 'l', 'm', 'n', 's', 't']);

/** Italian articles and prepositions, which an apostrophe joins to the next word. */
export const italianArticles: ReadonlySet<string> = new Set(
  'c l all dall dell nell sull coll pell gl agl dagl degl negl sugl un m t s v d'.split(' '),
);

/** Words whose stems the language's stemmer does not find, and their stems. */
export const irregularStems: Partial<Readonly<Record<SnowballLanguage, ReadonlyMap<string, string>>>> = {
  dutch: new Map([
    ['fiets', 'fiets'],
    ['bromfiets', 'bromfiets'],
    ['ei', 'eier'],
    ['kind', 'kinder'],
  ]),
};

/** Without an article of the set, in any case, before the first apostrophe. */
export function withoutArticle(token: string, articles: ReadonlySet<string>): string {
  const at = token.search(/['\u2019]/);
  return at >= 0 && articles.has(lowerCase(token.slice(0, at))) ? token.slice(at + 1) : token;
}

/** Without the first apostrophe and what follows it: the suffixes of Turkish names. */
export function withoutSuffix(token: string): string {
  const at = token.search(/['\u2019]/);
  return at < 0 ? token : token.slice(0, at);
}

/** In lower case; the prefixed `n` and `t` of an Irish word in upper case are separated from it. */
export function irishLowerCase(token: string): string {
  const isPrefixed = /^[nt][AEIOUÁÉÍÓÚ]/.test(token);
  return lowerCase(isPrefixed ? `${token.slice(0, 1)}-${token.slice(1)}` : token);
}

/** In lower case, with the two letters i of Turkish. */
export function turkishLowerCase(token: string): string {
  const withDots = token.replaceAll('I\u0307', 'i');
  return lowerCase(withDots.replaceAll('I', 'ı'));
}
