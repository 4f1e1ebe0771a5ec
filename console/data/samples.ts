// Data to begin with: a table and a collection, both with a search for similar texts that needs no key and no network.
// They use a local model if the server has one; else the search compares letters and words.
import { exactNumber, type Json, type JsonObject } from '../json/exact-json.js';
import type { EmbeddingChoice } from './choose-embedding.js';
import type { Command } from './command.js';

/** What can be created with its data. */
export interface Sample {
  readonly kind: 'table' | 'collection';
  readonly name: string;
  readonly summary: string;
  commands(keyspace: string, service: EmbeddingChoice['service']): readonly Command[];
}

const books: readonly (readonly [
  title: string,
  author: string,
  published: string,
  price: string,
  about: string,
])[] = [
  [
    'Great Expectations',
    'Charles Dickens',
    '1861-08-03',
    '9.99',
    'An orphan rises in the world and learns what it costs',
  ],
  ['Middlemarch', 'George Eliot', '1871-12-01', '12.50', 'The hopes and marriages of a provincial town'],
  ['Moby-Dick', 'Herman Melville', '1851-10-18', '11.00', 'A captain hunts a white whale across the oceans'],
  [
    'Twenty Thousand Leagues Under the Seas',
    'Jules Verne',
    '1870-03-20',
    '8.75',
    'A voyage below the oceans in a submarine',
  ],
  ['The War of the Worlds', 'H. G. Wells', '1898-01-01', '7.25', 'Machines from Mars land in England'],
  [
    'Frankenstein',
    'Mary Shelley',
    '1818-01-01',
    '6.90',
    'A student of science makes a creature and abandons it',
  ],
  ['Dracula', 'Bram Stoker', '1897-05-26', '8.20', 'A count from the mountains travels to England by night'],
  [
    'Pride and Prejudice',
    'Jane Austen',
    '1813-01-28',
    '7.80',
    'First impressions are wrong, and love corrects them',
  ],
  ['The Time Machine', 'H. G. Wells', '1895-05-07', '6.50', 'A traveller sees the last days of the Earth'],
  ['Walden', 'Henry David Thoreau', '1854-08-09', '9.10', 'Two years in a cabin beside a pond'],
  [
    'Treasure Island',
    'Robert Louis Stevenson',
    '1883-11-14',
    '7.00',
    'A map, a ship, pirates and a young cabin boy',
  ],
  [
    'The Origin of Species',
    'Charles Darwin',
    '1859-11-24',
    '14.00',
    'How natural selection makes the kinds of life',
  ],
];

const booksTable: Sample = {
  kind: 'table',
  name: 'sample_books',
  summary: 'A table of 12 books with typed columns, and a search for similar texts.',
  commands: (keyspace, service) => {
    const target = { keyspace, name: booksTable.name, kind: 'table' } as const;
    const columns = {
      title: 'text',
      author: 'text',
      published: 'date',
      price: 'decimal',
      about: 'text',
      about_vector: { type: 'vector', service },
    };
    const documents = books.map(([title, author, published, price, about]) => ({
      ...{ title, author, published, about },
      price: exactNumber(price),
      about_vector: about,
    }));
    return [
      {
        target: { keyspace },
        name: 'createTable',
        body: { name: booksTable.name, definition: { columns, primaryKey: 'title' } },
      },
      indexCommand(target, 'createIndex', `${booksTable.name}_author`, 'author'),
      indexCommand(target, 'createVectorIndex', `${booksTable.name}_about`, 'about_vector'),
      { target, name: 'insertMany', body: { documents } },
    ];
  },
};

const recipes: readonly (readonly [name: string, minutes: number, tags: readonly Json[], text: string])[] = [
  ['Tomato soup', 35, ['vegan', 'soup'], 'Roast tomatoes with garlic, blend with stock and basil'],
  ['Pancakes', 20, ['breakfast', 'sweet'], 'Whisk eggs, milk and flour, fry thin cakes in butter'],
  ['Mushroom risotto', 45, ['rice', 'vegetarian'], 'Stir rice with stock and mushrooms until it is creamy'],
  ['Lentil curry', 40, ['vegan', 'spicy'], 'Simmer red lentils with ginger, chili and coconut milk'],
  ['Apple pie', 80, ['sweet', 'baking'], 'Bake apples with cinnamon under a crust of butter dough'],
  ['Greek salad', 15, ['salad', 'vegetarian'], 'Cut cucumber, tomatoes and olives, add feta and oregano'],
  ['Chicken noodle soup', 60, ['soup'], 'Cook chicken with carrots, add noodles and parsley'],
  ['Banana bread', 70, ['sweet', 'baking', 'breakfast'], 'Mash ripe bananas into batter and bake a loaf'],
];

const recipesCollection: Sample = {
  kind: 'collection',
  name: 'sample_recipes',
  summary:
    'A collection of 8 recipes as JSON documents, with a search for similar texts (it compares letters and words).',
  commands: (keyspace, service) => {
    const documents = recipes.map(([name, minutes, tags, text], at) => ({
      ...{ _id: at + 1, name, minutes, tags, text },
      rating: { stars: 3 + (at % 3), votes: 10 * (at + 1) },
      $vectorize: text,
    }));
    return [
      {
        target: { keyspace },
        name: 'createCollection',
        body: { name: recipesCollection.name, options: { vector: { service } } },
      },
      {
        target: { keyspace, name: recipesCollection.name, kind: 'collection' },
        name: 'insertMany',
        body: { documents },
      },
    ];
  },
};

export const samples: readonly Sample[] = [booksTable, recipesCollection];

function indexCommand(target: Command['target'], command: string, name: string, column: string): Command {
  const body: JsonObject = { name, definition: { column } };
  return { target, name: command, body };
}
