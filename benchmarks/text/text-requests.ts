// The searches of `bench:text`.
import type { RequestSettings, RequestSource } from '../request-source.js';
import { rareToken, wordOfRank } from './text-data.js';

/** Where the rows are. */
export const textTable = { keyspace: 'default_keyspace', plain: 'plain', indexed: 'indexed' } as const;

/** So many of the best rows are returned. */
export const searchLimit = 10;

const path = `/v1/${textTable.keyspace}/${textTable.indexed}`;

/** The words of a search by its number. */
export const searchedWords = {
  rare: (at: number) => rareToken(at),
  mixed: (at: number) => `${rareToken(at)} ${wordOfRank(0)}`,
  frequent: (at: number) => `${wordOfRank(10 + (at % 5))} ${wordOfRank(20 + (at % 5))}`,
} as const;

/** The kinds of requests by name. */
export const textRequestKinds = {
  sortByRareWord: (settings: RequestSettings) => searchSource(settings, 'rare', sorted),
  sortByMixedWords: (settings: RequestSettings) => searchSource(settings, 'mixed', sorted),
  sortByFrequentWords: (settings: RequestSettings) => searchSource(settings, 'frequent', sorted),
  matchRareWord: (settings: RequestSettings) => searchSource(settings, 'rare', matched),
  matchMixedWords: (settings: RequestSettings) => searchSource(settings, 'mixed', matched),
  matchFrequentWords: (settings: RequestSettings) => searchSource(settings, 'frequent', matched),
} satisfies Readonly<Record<string, (settings: RequestSettings) => RequestSource>>;

function sorted(words: string): object {
  return { sort: { body: words } };
}

function matched(words: string): object {
  return { filter: { body: { $match: words } } };
}

/** Connections begin with different words. */
function searchSource(
  { connection }: RequestSettings,
  kind: keyof typeof searchedWords,
  clauseOf: (words: string) => object,
): RequestSource {
  let at = connection * 7;
  return {
    path,
    next() {
      at += 1;
      const clause = clauseOf(searchedWords[kind](at));
      return JSON.stringify({ find: { ...clause, options: { limit: searchLimit } } });
    },
  };
}
