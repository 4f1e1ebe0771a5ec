// The terms of random documents and the look-ups of random filters: every document that matches is found.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { indexingTest, parseIndexing } from '../../src/data-service/documents/indexing.js';
import { matchesDocument } from '../../src/data-service/documents/match-filter.js';
import {
  type ClauseContext,
  parseDocumentFilter,
} from '../../src/data-service/documents/parse-document-filter.js';
import { type DocumentRules, readDocument } from '../../src/data-service/documents/read-document.js';
import {
  documentTerms,
  lexicalTerms,
} from '../../src/data-service/engine/cassandra/documents/document-terms.js';
import { lookupsOf, mostOfRange } from '../../src/data-service/engine/cassandra/documents/filter-lookups.js';
import { ApiError } from '../../src/data-service/errors/api-error.js';
import { analyzerOf } from '../../src/data-service/text-analysis/parse-analyzer.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import { newSeed, seededRandom } from '../seeded-random.js';
import { RandomClauses, type RandomSettings } from './random-documents.js';

const analyzer = analyzerOf('"standard"');
const limits = { maxDepth: 100, maxNumberLength: 1_000 };

describe('look-ups of filters on documents', () => {
  it('find every document that matches', (test) => {
    const seed = newSeed();
    test.diagnostic(`seed ${seed}`);
    const counts = { matches: 0, lookedUp: 0, missed: 0 };
    for (let at = 0; at < 25; at += 1) compareScenario(seed + at, counts);
    test.diagnostic(JSON.stringify(counts));
    assert.ok(counts.lookedUp > 300 && counts.missed > counts.lookedUp);
  });
});

interface Counts {
  matches: number;
  lookedUp: number;
  /** Documents that are not looked up, because they do not match. */
  missed: number;
}

function compareScenario(seed: number, counts: Counts): void {
  const random = seededRandom(seed);
  const listed = {
    kind: random.pick(['allow', 'deny'] as const),
    paths: random.some(['a', 'n', 'o.p', 'tags', 'items'], 3),
  };
  const settings: RandomSettings = { hasVector: false, indexing: random.oneIn(3) ? listed : undefined };
  const clauses = new RandomClauses(random, settings);
  const json = settings.indexing && parse(JSON.stringify({ [listed.kind]: listed.paths }));
  const indexing = parseIndexing(json);
  const isIndexed = indexingTest(indexing);
  const rules: DocumentRules = { keyspace: 'k', table: 'c', lexical: true, isIndexed };
  const sent = Array.from({ length: 40 }, () => parse(clauses.document()));
  const documents = sent.flatMap((each) => documentOf(each, rules) ?? []);
  const terms = documents.map((document) => {
    const text = document.get('$lexical');
    const ofText = typeof text === 'string' ? lexicalTerms(text, analyzer) : [];
    return new Set([...documentTerms(document, isIndexed), ...ofText]);
  });
  const context: ClauseContext = { keyspace: 'k', table: 'c', lexical: 'enabled', indexing };
  for (let at = 0; at < 60; at += 1) {
    const text = clauses.filter();
    const filter = acceptedOnly(() => parseDocumentFilter(parse(text), context).filter);
    const lookups = filter && lookupsOf(filter, { most: mostOfRange, analyzer });
    if (filter === undefined || lookups === undefined) continue;
    for (const [place, document] of documents.entries()) {
      const isFound = lookups.some((lookup) => lookup.every((term) => terms[place]?.has(term)));
      if (isFound) counts.lookedUp += 1;
      else counts.missed += 1;
      if (!matchesDocument(filter, document, analyzer)) continue;
      counts.matches += 1;
      assert.ok(isFound, `seed ${seed}: ${text} does not find ${JSON.stringify([...document])}`);
    }
  }
}

function documentOf(json: JsonValue, rules: DocumentRules): JsonObject | undefined {
  if (json === null || !isJsonObject(json)) return undefined;
  return acceptedOnly(() => readDocument(json, rules).document);
}

/** Undefined for documents and filters that commands refuse. */
function acceptedOnly<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}

function parse(text: string): JsonValue {
  return parseJson(text, limits);
}
