// The requests of `bench:queries` that find one row by a member of a set, or by a number, both with an index.
import { fillSource, type RequestSettings, type RequestSource } from './request-source.js';

/** Each row has a number and a tag of its own, and three tags that many rows have. */
export const memberTable = {
  keyspace: 'default_keyspace',
  name: 'tagged',
  definition: {
    columns: { id: 'text', code: 'int', note: 'text', tags: { type: 'set', valueType: 'text' } },
    primaryKey: 'id',
  },
  indexedColumns: ['code', 'tags'],
} as const;

const path = `/v1/${memberTable.keyspace}/${memberTable.name}`;

/** The kinds of requests by name. */
export const memberRequestKinds = {
  fillTagged: () => fillSource(path, rowText),
  findByCode: (settings: RequestSettings) => findOne(settings, (number) => `{"code":${number}}`),
  findByTag: (settings: RequestSettings) =>
    findOne(settings, (number) => `{"tags":{"$in":["own ${number}"]}}`),
  findByTags: (settings: RequestSettings) =>
    findOne(settings, (number) => `{"tags":{"$all":["own ${number}","tag ${number % 7}"]}}`),
} satisfies Readonly<Record<string, (settings: RequestSettings) => RequestSource>>;

function findOne({ rowCount }: RequestSettings, filterOf: (number: number) => string): RequestSource {
  return {
    path,
    next: () => `{"find":{"filter":${filterOf(Math.floor(Math.random() * rowCount))}}}`,
  };
}

function rowText(number: number): string {
  const tags = [`own ${number}`, `tag ${number % 7}`, `tag ${number % 100}`, `tag ${number % 1000}`];
  return JSON.stringify({ id: `row-${number}`, code: number, note: `row number ${number}`, tags });
}
