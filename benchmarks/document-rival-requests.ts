// The requests of `bench:documents` to PocketBase: the same documents, with a field for each member.
import { cities, documentText, groups, randomNumber, wordOf } from './document-requests.js';
import { nextNumber, type RequestSettings, type RequestSource } from './request-source.js';

/** The collections; `sku` has an index in the one that is read, as its users would give it. */
export const rivalCollections = { read: 'read_documents', write: 'written_documents' } as const;

const pathOf = (name: string) => `/api/collections/${name}/records`;
const readPath = pathOf(rivalCollections.read);
const pageOfFilter = (filter: string, perPage: number) =>
  `${readPath}?skipTotal=1&perPage=${perPage}&filter=${encodeURIComponent(filter)}`;

/** The kinds of requests by name. */
export const documentRivalKinds = {
  fillPocketBase: () => fillSource(),
  insertPocketBase: ({ connection }: RequestSettings) => insertSource(connection),
  findPocketBaseById: ({ rowCount }: RequestSettings) =>
    getSource(() => `${readPath}/document-${randomNumber(rowCount)}`),
  findPocketBaseByPath: ({ rowCount }: RequestSettings) =>
    getSource(() => pageOfFilter(`sku='SKU-${randomNumber(rowCount)}'`, 1)),
  incrementPocketBase: ({ rowCount }: RequestSettings): RequestSource => ({
    path: () => `${readPath}/document-${randomNumber(rowCount)}`,
    method: 'PATCH',
    next: () => '{"visits+":1}',
  }),
  pagePocketBaseByCity: (settings: RequestSettings) =>
    pageSource(settings, (number) => `address.city='city ${number % cities}'`),
  pagePocketBaseByScore: (settings: RequestSettings) =>
    pageSource(settings, (number) => `score>=${(number % 1_000_003) / 1_000_003}`),
  pagePocketBaseByTag: (settings: RequestSettings) =>
    pageSource(settings, (number) => `tags~'"${wordOf(number)}"'`),
  pagePocketBaseByExists: (settings: RequestSettings) => pageSource(settings, () => "note!=''"),
  pagePocketBaseByTwo: (settings: RequestSettings) =>
    pageSource(settings, (number) => `address.city='city ${number % cities}'&&group=${number % groups}`),
  pagePocketBaseByTwoFrequent: (settings: RequestSettings) =>
    pageSource(settings, (number) => `status='new'&&score<${(number % 1_000_003) / 1_000_003}`),
} satisfies Readonly<Record<string, (settings: RequestSettings) => RequestSource>>;

function getSource(path: () => string): RequestSource {
  return { path, method: 'GET', next: () => '' };
}

function pageSource({ rowCount }: RequestSettings, filterOf: (number: number) => string): RequestSource {
  return getSource(() => pageOfFilter(filterOf(randomNumber(rowCount)), 50));
}

/** One document a request: a request with several needs a setting that is off at first. */
function fillSource(): RequestSource {
  return { path: readPath, next: () => recordText(nextNumber()) };
}

function insertSource(connection: number): RequestSource {
  const run = Math.floor(Math.random() * 2 ** 40).toString(36);
  let number = 0;
  return {
    path: pathOf(rivalCollections.write),
    next() {
      number += 1;
      return recordText(Math.floor(Math.random() * 2 ** 31), `${run}-${connection}-${number}`);
    },
  };
}

/** The names of ids and dates are others. */
function recordText(number: number, id?: string): string {
  return documentText(number, id)
    .replace('{"_id":', '{"id":')
    .replace(/\{"\$date":(\d+)\}/, (_, time: string) => `"${new Date(Number(time)).toISOString()}"`);
}
