// Documents with words, and searches for the best of them.
import { fillSource, type RequestSettings, type RequestSource } from '../request-source.js';
import { makeTexts, rareToken, type Texts, wordOfRank } from './text-data.js';

/** The collection of the documents. */
export const wordCollection = { name: 'bench_words', options: { lexical: { enabled: true } } } as const;

const path = `/v1/default_keyspace/${wordCollection.name}`;
const wordsOfText = 40;
let texts: Texts | undefined;

/** The kinds of requests by name. */
export const wordRequestKinds = {
  fillWords: () =>
    fillSource(path, (number) => {
      texts ??= makeTexts(wordsOfText);
      return JSON.stringify({ _id: number, $lexical: texts.textOf(number) });
    }),
  searchWords: (settings: RequestSettings) =>
    searchSource(settings, (at) => `${wordOfRank(10 + (at % 5))} ${wordOfRank(20 + (at % 5))}`),
  searchRareWord: (settings: RequestSettings) => searchSource(settings, rareToken),
} satisfies Readonly<Record<string, (settings: RequestSettings) => RequestSource>>;

/** Connections begin with different words. */
function searchSource({ connection }: RequestSettings, wordsOf: (at: number) => string): RequestSource {
  let at = connection * 7;
  return {
    path,
    next() {
      at += 1;
      return JSON.stringify({ find: { sort: { $lexical: wordsOf(at) }, options: { limit: 10 } } });
    },
  };
}
