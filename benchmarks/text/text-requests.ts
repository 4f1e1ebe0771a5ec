// The searches of `bench:text`.
import { nextNumber, type RequestSettings, type RequestSource } from '../request-source.js';
import { makeTexts, rareToken, type Texts, wordOfRank } from './text-data.js';

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
  insertPlainText: (settings: RequestSettings) => insertSource(settings, 'plain_single'),
  insertIndexedText: (settings: RequestSettings) => insertSource(settings, 'indexed_single'),
} satisfies Readonly<Record<string, (settings: RequestSettings) => RequestSource>>;

function sorted(words: string): object {
  return { sort: { body: words } };
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
      return JSON.stringify({ insertOne: { document: { id, body: texts.textOf(id) } } });
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
