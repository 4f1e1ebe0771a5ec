// The requests of `bench:documents`: documents of 20 members and 1 KB, found by any of their paths.
import { fillSource, insertManyOf, type RequestSettings, type RequestSource } from './request-source.js';

/** The collections of the benchmark: one that is read, one that is written. */
export const documentCollections = { read: 'read_documents', write: 'written_documents' } as const;

const keyspace = '/v1/default_keyspace';
const readPath = `${keyspace}/${documentCollections.read}`;
const writePath = `${keyspace}/${documentCollections.write}`;
/** How many different cities documents have. */
export const cities = 300;
/** And how many groups. */
export const groups = 50;
const words = Array.from({ length: 2_000 }, (_, at) => mixed(at, 99).toString(36));

/** The kinds of requests by name. */
export const documentRequestKinds = {
  fillDocuments: () => fillSource(readPath, documentText),
  insertDocument: (settings: RequestSettings) => insertSource(settings),
  insertDocuments: (settings: RequestSettings) => insertManySource(settings),
  findDocumentById: (settings: RequestSettings) =>
    findOneSource(settings, (number) => `{"_id":"document-${number}"}`),
  findDocumentByPath: (settings: RequestSettings) =>
    findOneSource(settings, (number) => `{"sku":"SKU-${number}"}`),
  incrementDocument: (settings: RequestSettings) => incrementSource(settings),
  pageByCity: (settings: RequestSettings) =>
    pageSource(settings, (number) => `{"address.city":"city ${number % cities}"}`),
  pageByScore: (settings: RequestSettings) =>
    pageSource(settings, (number) => `{"score":{"$gte":${fraction(number)}}}`),
  pageByTag: (settings: RequestSettings) => pageSource(settings, (number) => `{"tags":"${wordOf(number)}"}`),
  pageByExists: (settings: RequestSettings) => pageSource(settings, () => '{"note":{"$exists":true}}'),
  pageBySize: (settings: RequestSettings) => pageSource(settings, () => '{"tags":{"$size":5}}'),
  pageByTwo: (settings: RequestSettings) =>
    pageSource(settings, (number) => `{"address.city":"city ${number % cities}","group":${number % groups}}`),
  pageByTwoFrequent: (settings: RequestSettings) =>
    pageSource(settings, (number) => `{"status":"new","score":{"$lt":${fraction(number)}}}`),
} satisfies Readonly<Record<string, (settings: RequestSettings) => RequestSource>>;

function insertSource({ connection }: RequestSettings): RequestSource {
  const run = Math.floor(Math.random() * 2 ** 40).toString(36);
  let number = 0;
  return {
    path: writePath,
    next: () => {
      number += 1;
      const text = documentText(Math.floor(Math.random() * 2 ** 31), `${run}-${connection}-${number}`);
      return `{"insertOne":{"document":${text}}}`;
    },
  };
}

function insertManySource(settings: RequestSettings): RequestSource {
  const run = Math.floor(Math.random() * 2 ** 40).toString(36);
  let number = 0;
  return {
    path: writePath,
    next: () =>
      insertManyOf(() => {
        number += 1;
        return documentText(randomNumber(2 ** 31), `${run}-${settings.connection}-${number}`);
      }),
  };
}

function findOneSource({ rowCount }: RequestSettings, filterOf: (number: number) => string): RequestSource {
  return { path: readPath, next: () => `{"findOne":{"filter":${filterOf(randomNumber(rowCount))}}}` };
}

function incrementSource({ rowCount }: RequestSettings): RequestSource {
  return {
    path: readPath,
    next: () =>
      `{"findOneAndUpdate":{"filter":{"_id":"document-${randomNumber(rowCount)}"},"update":{"$inc":{"visits":1}}}}`,
  };
}

function pageSource({ rowCount }: RequestSettings, filterOf: (number: number) => string): RequestSource {
  return { path: readPath, next: () => `{"find":{"filter":${filterOf(randomNumber(rowCount))}}}` };
}

/** A number from 0. */
export function randomNumber(below: number): number {
  return Math.floor(Math.random() * below);
}

/** The document of a number; the same number always has the same one. */
export function documentText(number: number, id = `document-${number}`): string {
  const value = (at: number) => mixed(number, at);
  const word = (at: number) => wordOf(value(at));
  const tags = Array.from({ length: 2 + (value(1) % 4) }, (_, at) => word(20 + at));
  return JSON.stringify({
    _id: id,
    name: `${word(2)} ${word(3)}`,
    email: `${value(4).toString(36)}@example.com`,
    age: value(5) % 90,
    score: fraction(value(6)),
    active: value(7) % 2 === 0,
    created: { $date: 1_600_000_000_000 + value(8) },
    tags,
    address: {
      street: `${word(9)} ${value(9) % 999}`,
      city: `city ${value(10) % cities}`,
      zip: String(value(10) % 99_999),
    },
    status: ['new', 'open', 'done'][value(11) % 3],
    price: (value(12) % 1_000_000) / 100,
    quantity: value(13) % 1_000,
    sku: `SKU-${number}`,
    owner: value(14).toString(36),
    group: value(15) % groups,
    rank: value(16) % 1_000_000,
    language: `l${value(17) % 20}`,
    ...(value(18) % 1_000 === 0 ? { note: word(18) } : { flag: value(18) % 10 === 0 }),
    visits: value(19) % 100_000,
    text: Array.from({ length: 70 }, (_, at) => word(40 + at)).join(' '),
  });
}

/** A word of the texts of documents. */
export function wordOf(number: number): string {
  return words[number % words.length] ?? '';
}

function fraction(number: number): number {
  return (number % 1_000_003) / 1_000_003;
}

/** A number below 2^32 that depends on two others only. */
function mixed(row: number, at: number): number {
  let hash = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(at + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}
