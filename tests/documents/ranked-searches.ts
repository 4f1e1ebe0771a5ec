// Searches by vector, by words and by both, as the model of collections ranks them: exactly, over all documents. Where
// scores are equal, any order is right.
import assert from 'node:assert/strict';
import {
  isJsonArray,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../src/foundation/json/json-value.js';
import { scores, type TextRows } from '../text/text-model.js';
import { memberOf, type State } from './model-collection.js';
import { keyOf, type Members, nodeText, order } from './model-value.js';

/** Scores of documents by their keys; higher is better. */
export type Scores = ReadonlyMap<string, number>;

/** Scores are sums of floats in another order. */
const tolerance = 1e-6;
const rankOffset = 60;

/** The similarity of the documents that have a vector, of a collection with the metric euclidean. */
export function vectorScores(documents: readonly Members[], search: JsonValue): Scores {
  const wanted = numbersOf(search);
  return new Map(
    documents.flatMap((document) => {
      const vector = document.get('$vector') ?? null;
      if (!isJsonArray(vector)) return [];
      const distance = numbersOf(vector).reduce((sum, each, at) => sum + (each - (wanted[at] ?? 0)) ** 2, 0);
      return [[keyOfDocument(document), 1 / (1 + distance)] as const];
    }),
  );
}

/** The BM25 of the documents with all words; the statistics are those of all texts. */
export function wordScores(state: State, documents: readonly Members[], search: string): Scores {
  const all = [...state.values()];
  const rows: TextRows = new Map(
    all.map((document, at) => {
      const text = document.get('$lexical') ?? null;
      return [at, typeof text === 'string' ? text : null] as const;
    }),
  );
  const matching = new Set(documents.map(keyOfDocument));
  const scored = [...scores(rows, search)].map(
    ([at, score]) => [keyOfDocument(all[at] ?? new Map()), score] as const,
  );
  return new Map(scored.filter(([key]) => matching.has(key)));
}

/** @throws AssertionError if these are not the best documents, best first */
export function checkBest(found: readonly Members[], expected: Scores, limit: number, state: State): void {
  const keys = found.map(keyOfDocument);
  assert.equal(new Set(keys).size, Math.min(limit, expected.size), 'documents in the reply');
  assert.equal(keys.length, new Set(keys).size, 'a document is there twice');
  for (const [at, document] of found.entries()) {
    const similarity = document.get('$similarity');
    const rest = new Map([...document].filter(([name]) => name !== '$similarity'));
    const key = keyOfDocument(document);
    assert.equal(nodeText(rest), nodeText(state.get(key) ?? null));
    assert.ok(isRank(at + 1, key, expected), `${key} is not at place ${at + 1}`);
    if (similarity instanceof JsonNumber)
      assert.ok(Math.abs(Number(similarity.text) - (expected.get(key) ?? 0)) < tolerance, similarity.text);
  }
}

/** What a reranked search looks for. */
export interface BothSearches {
  readonly byVector: Scores;
  readonly byWords: Scores;
  readonly limits: { readonly vector: number; readonly words: number };
  readonly limit: number;
  /** The member whose text decides whether a document can be ranked. */
  readonly passage: string;
}

/** @throws AssertionError if these are not the documents of both searches by reciprocal rank fusion */
export function checkFused(reply: JsonObject, both: BothSearches, state: State): void {
  const documents = (memberOf(reply, 'data')?.get('documents') ?? []) as readonly Members[];
  const responses = (memberOf(reply, 'status')?.get('documentResponses') ?? []) as readonly JsonObject[];
  assert.equal(responses.length, documents.length);
  let [before, beforeId]: [number, JsonValue] = [Number.POSITIVE_INFINITY, null];
  const [vectorRanks, wordRanks] = [new Set<number>(), new Set<number>()];
  for (const [at, document] of documents.entries()) {
    const key = keyOfDocument(document);
    assert.equal(nodeText(document), nodeText(state.get(key) ?? null));
    const shown = memberOf(responses[at] ?? new Map(), 'scores') ?? new Map();
    const numberAt = (name: string) => {
      const value = shown.get(name) ?? null;
      return value instanceof JsonNumber ? Number(value.text) : undefined;
    };
    const ranks = [numberAt('$vectorRank'), numberAt('$bm25Rank')];
    checkRank(ranks[0], key, both.byVector, both.limits.vector, vectorRanks);
    checkRank(ranks[1], key, both.byWords, both.limits.words, wordRanks);
    const fused = ranks.reduce<number>(
      (sum, rank) => sum + (rank === undefined ? 0 : 1 / (rankOffset + rank)),
      0,
    );
    const similarity = ranks[0] === undefined ? 0 : (both.byVector.get(key) ?? 0);
    assert.ok(Math.abs((numberAt('$vector') ?? -1) - similarity) < tolerance, `$vector of ${key}`);
    for (const name of ['$rrf', '$rerank'])
      assert.ok(Math.abs((numberAt(name) ?? 0) - fused) < 1e-12, `${name} of ${key}`);
    const id = document.get('_id') ?? null;
    assert.ok(fused < before || (fused === before && order(beforeId, id) < 0), `the place of ${key}`);
    [before, beforeId] = [fused, id];
  }
  checkCount(documents.length, both, state);
}

function checkRank(
  rank: number | undefined,
  key: string,
  scored: Scores,
  limit: number,
  taken: Set<number>,
): void {
  if (rank === undefined) {
    assert.ok(!isSurelyFound(key, scored, limit), `${key} has no rank`);
    return;
  }
  assert.ok(rank <= limit && !taken.has(rank) && isRank(rank, key, scored), `the rank ${rank} of ${key}`);
  taken.add(rank);
}

function checkCount(count: number, both: BothSearches, state: State): void {
  const { byVector, byWords, limits, limit, passage } = both;
  const withPassage = [...state].filter(([, document]) => {
    const text = document.get(passage) ?? null;
    return typeof text === 'string' && text.trim() !== '';
  });
  const sure = withPassage.filter(
    ([key]) => isSurelyFound(key, byVector, limits.vector) || isSurelyFound(key, byWords, limits.words),
  );
  const possible = withPassage.filter(([key]) => byVector.has(key) || byWords.has(key));
  assert.ok(count >= Math.min(limit, sure.length), `${count} documents, at least ${sure.length}`);
  assert.ok(count <= Math.min(limit, possible.length), `${count} documents, at most ${possible.length}`);
}

/** Whether a document can have a rank, from 1. */
function isRank(rank: number, key: string, scored: Scores): boolean {
  const own = scored.get(key);
  if (own === undefined) return false;
  const others = [...scored.values()];
  const better = others.filter((each) => each > own + tolerance).length;
  const asGood = others.filter((each) => each >= own - tolerance).length;
  return better < rank && rank <= asGood;
}

/** Whether so many best documents contain this one in every order of equal scores. */
function isSurelyFound(key: string, scored: Scores, limit: number): boolean {
  const own = scored.get(key);
  return own !== undefined && [...scored.values()].filter((each) => each >= own - tolerance).length <= limit;
}

function keyOfDocument(document: Members): string {
  return keyOf(document.get('_id') ?? null);
}

function numbersOf(vector: JsonValue): readonly number[] {
  if (!isJsonArray(vector)) return [];
  return vector.map((each) => (each instanceof JsonNumber ? Number(each.text) : Number.NaN));
}
