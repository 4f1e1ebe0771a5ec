// The searches of `bench:text`.
import { nextNumber, type RequestSettings, type RequestSource } from '../request-source.js';
import { kindOf, makeTexts, rareToken, type Texts, wordOfRank } from './text-data.js';

/** Where the rows are. */
export const textTable = { keyspace: 'default_keyspace', plain: 'plain', indexed: 'indexed' } as const;

/** The tables of a run; those of insertOne are its own. */
export const textTables: readonly { readonly name: string; readonly index?: string }[] = [
  { name: textTable.plain },
  { name: textTable.indexed, index: 'words' },
  { name: 'plain_single' },
  { name: 'indexed_single', index: 'words_single' },
];

/** So many of the best rows are returned. */
export const searchLimit = 10;

const path = `/v1/${textTable.keyspace}/${textTable.indexed}`;

/** Some words whose ranks are from these on. */
const ranked =
  (...ranks: readonly number[]) =>
  (at: number) =>
    ranks.map((rank) => wordOfRank(rank + (at % 5))).join(' ');

/** The words of a search by its number. */
export const searchedWords = {
  rare: (at: number) => rareToken(at),
  mixed: (at: number) => `${rareToken(at)} ${wordOfRank(0)}`,
  rareAndFrequent: (at: number) => `${rareToken(at)} ${ranked(10)(at)}`,
  medium: ranked(300, 400),
  oneFrequent: ranked(10),
  frequent: ranked(10, 20),
  threeFrequent: ranked(10, 20, 30),
  fourFrequent: ranked(10, 20, 30, 40),
} as const;

/** The filter of filtered searches: one row of a hundred has this kind. */
export const searchedKind = 7;

/** The kinds of requests by name. */
export const textRequestKinds = {
  sortByRareWord: (settings: RequestSettings) => searchSource(settings, 'rare', sorted),
  sortByMixedWords: (settings: RequestSettings) => searchSource(settings, 'mixed', sorted),
  sortByFrequentWords: (settings: RequestSettings) => searchSource(settings, 'frequent', sorted),
  sortByRareAndFrequentWords: (settings: RequestSettings) =>
    searchSource(settings, 'rareAndFrequent', sorted),
  sortByMediumWords: (settings: RequestSettings) => searchSource(settings, 'medium', sorted),
  sortByOneFrequentWord: (settings: RequestSettings) => searchSource(settings, 'oneFrequent', sorted),
  sortByThreeFrequentWords: (settings: RequestSettings) => searchSource(settings, 'threeFrequent', sorted),
  sortByFourFrequentWords: (settings: RequestSettings) => searchSource(settings, 'fourFrequent', sorted),
  filterRareWord: (settings: RequestSettings) => searchSource(settings, 'rare', filtered),
  filterMixedWords: (settings: RequestSettings) => searchSource(settings, 'mixed', filtered),
  filterMediumWords: (settings: RequestSettings) => searchSource(settings, 'medium', filtered),
  filterOneFrequentWord: (settings: RequestSettings) => searchSource(settings, 'oneFrequent', filtered),
  filterFrequentWords: (settings: RequestSettings) => searchSource(settings, 'frequent', filtered),
  filterFourFrequentWords: (settings: RequestSettings) => searchSource(settings, 'fourFrequent', filtered),
  readTextsByKey: ({ rowCount }: RequestSettings) => keysSource(rowCount),
  matchRareWord: (settings: RequestSettings) => searchSource(settings, 'rare', matched),
  matchMixedWords: (settings: RequestSettings) => searchSource(settings, 'mixed', matched),
  matchFrequentWords: (settings: RequestSettings) => searchSource(settings, 'frequent', matched),
  insertPlainText: (settings: RequestSettings) => insertSource(settings, 'plain_single'),
  insertIndexedText: (settings: RequestSettings) => insertSource(settings, 'indexed_single'),
} satisfies Readonly<Record<string, (settings: RequestSettings) => RequestSource>>;

function sorted(words: string): object {
  return { sort: { body: words } };
}

function filtered(words: string): object {
  return { sort: { body: words }, filter: { kind: searchedKind } };
}

/** Reads as many rows as a search returns, by their keys. */
function keysSource(rowCount: number): RequestSource {
  return {
    path,
    next() {
      const first = nextNumber();
      const ids = Array.from({ length: searchLimit }, (_, at) => (first * 7 + at * 7_919) % rowCount);
      return JSON.stringify({ find: { filter: { id: { $in: ids } }, options: { limit: searchLimit } } });
    },
  };
}

function matched(words: string): object {
  return { filter: { body: { $match: words } } };
}

const wordsOfRow = 40;
let texts: Texts | undefined;

/** Inserts rows one by one, with ascending ids from `rowCount`. */
function insertSource({ rowCount }: RequestSettings, table: string): RequestSource {
  return {
    path: `/v1/${textTable.keyspace}/${table}`,
    next() {
      texts ??= makeTexts(wordsOfRow);
      const id = rowCount + nextNumber();
      return JSON.stringify({ insertOne: { document: { id, body: texts.textOf(id), kind: kindOf(id) } } });
    },
  };
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
