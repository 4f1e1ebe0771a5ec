// The data of the pictures and of some tests: what the console loads as samples, and an empty keyspace.

/** Sends a command to the data port. */
export type Send = (path: string, body: object) => Promise<unknown>;

const service = { provider: 'colonnade', modelName: 'hashed-ngrams' };

const books = [
  [
    'Great Expectations',
    'Charles Dickens',
    '1861-08-03',
    9.99,
    'An orphan rises in the world and learns its price',
  ],
  ['Middlemarch', 'George Eliot', '1871-12-01', 12.5, 'The hopes and marriages of a provincial town'],
  ['Moby-Dick', 'Herman Melville', '1851-10-18', 11, 'A captain hunts a white whale across the oceans'],
  ['Twenty Thousand Leagues', 'Jules Verne', '1870-03-20', 8.75, 'A voyage below the oceans in a submarine'],
  ['The War of the Worlds', 'H. G. Wells', '1898-01-01', 7.25, 'Machines from Mars land in England'],
  ['Frankenstein', 'Mary Shelley', '1818-01-01', 6.9, 'A student makes a creature and abandons it'],
  ['Dracula', 'Bram Stoker', '1897-05-26', 8.2, 'A count travels to England by night'],
  [
    'Pride and Prejudice',
    'Jane Austen',
    '1813-01-28',
    7.8,
    'First impressions are wrong, and love corrects them',
  ],
  ['The Time Machine', 'H. G. Wells', '1895-05-07', 6.5, 'A traveller sees the last days of the Earth'],
  ['Walden', 'Henry David Thoreau', '1854-08-09', 9.1, 'Two years in a cabin beside a pond'],
  ['Treasure Island', 'R. L. Stevenson', '1883-11-14', 7, 'A map, a ship, pirates and a young cabin boy'],
  [
    'The Origin of Species',
    'Charles Darwin',
    '1859-11-24',
    14,
    'How natural selection makes the kinds of life',
  ],
] as const;

const recipes = [
  ['Tomato soup', 35, ['vegan', 'soup'], 'Roast tomatoes with garlic, blend with stock and basil'],
  ['Pancakes', 20, ['breakfast', 'sweet'], 'Whisk eggs, milk and flour, fry thin cakes in butter'],
  ['Mushroom risotto', 45, ['rice', 'vegetarian'], 'Stir rice with stock and mushrooms until it is creamy'],
  ['Lentil curry', 40, ['vegan', 'spicy'], 'Simmer red lentils with ginger, chili and coconut milk'],
  ['Apple pie', 80, ['sweet', 'baking'], 'Bake apples with cinnamon under a crust of dough'],
  ['Greek salad', 15, ['salad', 'vegetarian'], 'Cut cucumber, tomatoes and olives, add feta'],
] as const;

/** Creates `sample_books`, `sample_recipes` and the keyspace `empty`. */
export async function fillWithSamples(send: Send): Promise<void> {
  const space = '/default_keyspace';
  const columns = { title: 'text', author: 'text', published: 'date', price: 'decimal', about: 'text' };
  const vector = { type: 'vector', service };
  const definition = { columns: { ...columns, about_vector: vector }, primaryKey: 'title' };
  await send('', { createKeyspace: { name: 'empty' } });
  await send(space, { createTable: { name: 'sample_books', definition } });
  const table = `${space}/sample_books`;
  await send(table, { createIndex: { name: 'books_by_author', definition: { column: 'author' } } });
  await send(table, {
    createVectorIndex: { name: 'books_by_vector', definition: { column: 'about_vector' } },
  });
  const rows = books.map(([title, author, published, price, about]) => ({
    ...{ title, author, published, price, about },
    about_vector: about,
  }));
  await send(table, { insertMany: { documents: rows } });
  const options = { vector: { service }, lexical: { enabled: true, analyzer: 'standard' } };
  await send(space, { createCollection: { name: 'sample_recipes', options } });
  const documents = recipes.map(([name, minutes, tags, text], at) => {
    return { _id: at + 1, name, minutes, tags, text, rating: { stars: 5 }, $vectorize: text, $lexical: text };
  });
  await send(`${space}/sample_recipes`, { insertMany: { documents } });
}
