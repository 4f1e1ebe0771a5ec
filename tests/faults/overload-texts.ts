// Attacks on text indexes: searches for many frequent words, and texts with very long lists or very many words.
import type { Attack, AttackPlace } from './overload-attack.js';
import type { Outcome } from './overload-client.js';
import { commandBytes } from './overload-reads.js';
import { frequentWords, type OverloadTable } from './overload-tables.js';

/** The largest text with a text index. In characters. */
const largestText = 4_194_304;
/** A body of about 1.8 MB. */
const differentWords = 200_000;
const textsOfWriter = 4;

/** The attacks on text indexes. */
export const textAttacks: readonly Attack[] = [
  {
    name: 'search-frequent-words',
    help: 'sorts by 100 words that every text has',
    connections: 64,
    tables: ['texts'],
    begin: (place) => again(place, 'texts', { find: { sort: { content: frequentWords.join(' ') } } }),
  },
  {
    name: 'match-frequent-words',
    help: '$match of 100 such words with a filter that no row passes',
    connections: 16,
    tables: ['texts'],
    begin: (place) => {
      const match = { content: { $match: frequentWords.join(' ') } };
      return again(place, 'texts', { find: { filter: { $and: [match, { number: -1 }] } } });
    },
  },
  {
    name: 'write-one-word',
    help: 'texts of 4 MB that repeat a word',
    connections: 4,
    tables: ['texts'],
    begin: (place) => writeTexts(place, (number) => `w0 word${number} `.padEnd(largestText, 'w1 ')),
  },
  {
    name: 'write-different-words',
    help: 'texts with 200,000 words that no other text has',
    connections: 4,
    tables: ['texts'],
    begin: (place) =>
      writeTexts(place, (number) => {
        const start = (place.connection * textsOfWriter + (number % textsOfWriter)) * differentWords;
        return Array.from({ length: differentWords }, (_, at) => `d${(start + at).toString(36)}`).join(' ');
      }),
  },
];

/** Each writer replaces a few rows again and again, so that the old words have to be removed as well. */
function writeTexts(
  place: AttackPlace,
  textOf: (number: number) => string,
): () => Promise<readonly Outcome[]> {
  let number = 0;
  return async () => {
    number += 1;
    const id = -1 - place.connection * textsOfWriter - (number % textsOfWriter);
    const update = { $set: { content: textOf(number) } };
    return [await place.exchange(...commandBytes('texts', { updateOne: { filter: { id }, update } }))];
  };
}

function again(place: AttackPlace, table: OverloadTable, command: object): () => Promise<readonly Outcome[]> {
  const request = commandBytes(table, command);
  return async () => [await place.exchange(...request)];
}
