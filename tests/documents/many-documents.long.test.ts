// Random filters on thousands of documents, so that conditions have many entries: all pages have just the documents
// that match.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScanSlices } from '../../src/data-service/engine/embedded/scans/scan.js';
import {
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import { newDataDirectory } from '../conformance/open-embedded.js';
import { type InProcessOptions, type InProcessServer, startInProcess } from '../faults/in-process-server.js';
import { newSeed, type SeededRandom, seededRandom } from '../seeded-random.js';
import { storedForm, testOf } from './document-meaning.js';
import { RandomClauses } from './random-documents.js';

const documentCount = 3_000;
const filterCount = 800;
const documentsPerInsert = 100;
/** Pages of the same filter that are read. */
const mostPages = 10;
const path = '/default_keyspace/docs';

const slices: ScanSlices = {
  walk: { first: 30, least: 5, most: 200 },
  file: { first: 50, least: 10, most: 500 },
};
const smallSizes = {
  slices,
  entrySizes: { filled: 2_000, copied: 600, deleted: 900, largestAtRest: 100_000, most: 1_000 },
} satisfies InProcessOptions;

function parse(text: JsonText): JsonValue {
  return parseJson(text, { maxDepth: 100, maxNumberLength: 1_000 });
}

/** Documents with members that are frequent, and others. */
function randomDocuments(clauses: RandomClauses): readonly JsonObject[] {
  const made: JsonObject[] = [];
  while (made.length < documentCount) {
    const at = made.length;
    const random = parse(clauses.document());
    if (random === null || !isJsonObject(random)) continue;
    const mixed = at % 7 === 0 ? '[1,2]' : at % 4;
    const frequent = parse(`{"half":${at % 2},"third":"t${at % 3}","mixed":${mixed}}`);
    assert.ok(frequent !== null && isJsonObject(frequent));
    const members = [
      ...random,
      ...frequent,
      ['_id', new JsonNumber(String(at))] as const,
      ...(at > 2_900 ? [late] : []),
    ];
    const document = storedForm(new Map(members));
    if (document !== undefined) made.push(document);
  }
  return made;
}

const late = ['late', true] as const;

function frequentCondition(random: SeededRandom): JsonText {
  return random.pick([
    `{"half":${random.below(2)}}`,
    `{"third":"t${random.below(3)}"}`,
    `{"third":{"$in":["t${random.below(3)}","t2"]}}`,
    `{"mixed":${random.below(4)}}`,
    `{"mixed":{"$gte":${random.below(4)}}}`,
    `{"half":{"$ne":${random.below(2)}}}`,
    '{"late":true}',
    '{"nowhere":1}',
    `{"$or":[{"half":${random.below(2)}},{"third":"t1"}]}`,
  ]);
}

async function insertAll({ client }: InProcessServer, documents: readonly JsonObject[]): Promise<void> {
  await client.mustSend('/default_keyspace', { createCollection: { name: 'docs' } });
  for (let at = 0; at < documents.length; at += documentsPerInsert) {
    const texts = documents.slice(at, at + documentsPerInsert).map((document) => stringifyJson(document));
    const { text } = await client.send(path, `{"insertMany":{"documents":[${texts.join(',')}]}}`);
    assert.doesNotMatch(text, /"errors"/);
  }
}

/** The numbers of the documents of the first pages, and whether these are all; undefined if it is refused. */
async function findPages(
  { client }: InProcessServer,
  filter: JsonText,
): Promise<{ readonly found: readonly number[]; readonly isAll: boolean } | undefined> {
  const found: number[] = [];
  let pageState: string | null | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const options = JSON.stringify({ pageState });
    const { body } = await client.send(
      path,
      `{"find":{"filter":${filter},"projection":{"_id":1},"options":${options}}}`,
    );
    if (body.errors !== undefined) return undefined;
    found.push(...(body.data?.documents ?? []).map(({ _id }) => Number(_id)));
    pageState = body.data?.nextPageState;
    if (pageState === null) return { found, isAll: true };
  }
  return { found, isAll: false };
}

describe('random filters on thousands of documents', () => {
  for (const [sizes, options] of [
    ['usual slices', {}],
    ['small slices and segments', smallSizes],
  ] as const)
    it(`select what the filter means, in ${sizes}`, async (test) => {
      const seed = newSeed();
      test.diagnostic(`seed ${seed}`);
      const random = seededRandom(seed);
      const clauses = new RandomClauses(random, { hasVector: false, indexing: undefined });
      const documents = randomDocuments(clauses);
      const server = await startInProcess(newDataDirectory(), options);
      try {
        await insertAll(server, documents);
        for (let count = 0; count < filterCount; count += 1) {
          const conditions = Array.from({ length: 1 + random.below(3) }, () =>
            random.chance(0.7) ? frequentCondition(random) : clauses.filter(),
          );
          const filter = `{"$and":[${conditions.join(',')}]}`;
          const matches = testOf(filter);
          const pages = await findPages(server, filter);
          assert.equal(
            pages === undefined,
            matches === undefined,
            `seed ${seed}, ${filter} is refused by one`,
          );
          if (pages === undefined || matches === undefined) continue;
          const wanted = documents.flatMap((document, at) => (matches(document) ? [at] : []));
          const found = [...pages.found].sort((left, right) => left - right);
          const expected = pages.isAll ? wanted : found.filter((at) => wanted.includes(at));
          assert.deepEqual(found, expected, `seed ${seed}, ${filter}`);
          assert.equal(new Set(found).size, found.length, `seed ${seed}, ${filter}: a document twice`);
        }
      } finally {
        await server.close();
      }
    });
});
