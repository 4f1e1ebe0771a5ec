// findAndRerank (wire: findAndRerank): the documents of a search by vector and of one by words, in the order of a
// reranking provider.
import {
  isJsonObject,
  JsonNumber,
  type JsonText,
  type JsonValue,
} from '../../../foundation/json/json-value.js';
import { double, float } from '../../column-types/floats.js';
import { parseFieldPath } from '../../documents/field-path.js';
import { InvalidPath, type Path } from '../../documents/path.js';
import { comparedValue, compareValues, isReservedName, valueAt } from '../../documents/values.js';
import type { Engine } from '../../engine/engine.js';
import { ApiError, apiError } from '../../errors/api-error.js';
import { invalidFieldValue, structureMismatch } from '../../errors/request-problems.js';
import type { RowValues } from '../../query/read.js';
import { similarityColumn } from '../../query/vector-search.js';
import type { Collection } from '../../schema/collection.js';
import { type NamedReranker, parseNamedReranker } from '../../schema/parse-collection-settings.js';
import { type CollectionContext, collectionCommand } from '../command.js';
import type { Reply } from '../reply.js';
import { anything, flag, object, optionalInteger, optionalText, options } from '../shape.js';
import {
  type DocumentRead,
  documentsText,
  type FoundDocuments,
  parseDocumentRead,
  readDocumentRows,
  readWithVector,
  sortVectorStatus,
  textsOfRead,
  wholeDocumentOf,
} from './document-read.js';
import { type HybridLimits, type HybridSort, parseHybridLimits, parseHybridSort } from './hybrid-sort.js';
import { filterClause } from './shapes.js';

const usualLimit = 10;
/** The number that reciprocal rank fusion adds to each rank. */
const rankOffset = 60;

interface RerankPlan {
  readonly collection: Collection;
  readonly byVector: DocumentRead;
  readonly byWords: DocumentRead | undefined;
  readonly limits: HybridLimits;
  readonly limit: number;
  readonly service: NamedReranker;
  readonly query: string;
  /** Where the passages are. */
  readonly passagePath: Path;
  readonly includeScores: boolean;
  readonly includeSortVector: boolean;
  readonly command: object;
}

/** A document with its places in both searches, from 1. */
interface Found {
  readonly row: RowValues;
  readonly id: JsonValue;
  readonly passage: string;
  readonly similarity: number;
  readonly vectorRank: number | undefined;
  readonly wordsRank: number | undefined;
  readonly fusionScore: number;
  /** The score that the reranking provider gave. */
  readonly score: number;
}

/** The documents that have a passage, in order. */
interface FoundByBoth {
  readonly documents: readonly Found[];
  readonly columns: FoundDocuments['columns'];
}

/** findAndRerank on a collection. */
export const findAndRerank = collectionCommand({
  name: 'findAndRerank',
  help: 'Searches by `$vector` or `$vectorize` and by `$lexical` with the same filter, and returns the documents of both in the order of a reranking provider, which compares a text (`rerankQuery`, or that of `$vectorize`) with a field of each document (`rerankOn`, or `$vectorize`). Documents without this field are left out.',
  kind: 'read',
  shape: object({
    filter: filterClause,
    projection: anything('an object of paths and 1 or 0'),
    sort: anything(
      '`{"$hybrid": "text"}`, or in place of the text an object with `$vectorize`, `$vector` and `$lexical`',
    ),
    options: options({
      limit: optionalInteger(1),
      hybridLimits: anything('a number from 1 to 100, or `{"$vector": …, "$lexical": …}`; absent means 50'),
      rerankQuery: optionalText,
      rerankOn: optionalText,
      includeScores: flag,
      includeSortVector: flag,
      rerank: anything('an object with `provider` and `modelName`; absent means that of the collection'),
    }),
  }),
  plan: (command, context): RerankPlan => {
    const { filter, projection, sort, options: given } = command;
    const { collection } = context;
    const hybrid = parseHybridSort(sort);
    refuseSearches(hybrid, collection);
    const limits = parseHybridLimits(given.hybridLimits);
    const service = rerankingService(given.rerank, context);
    const query = queryText(given.rerankQuery, hybrid);
    const passagePath = parsePassagePath(given.rerankOn, hybrid);
    const needsReserved = isReservedName(passagePath[0] ?? '');
    const part = (value: readonly (readonly [string, JsonValue])[]): DocumentRead => {
      const read = parseDocumentRead({ filter, projection, sort: new Map(value) }, collection);
      return needsReserved ? { ...read, projection: { ...read.projection, needsReserved } } : read;
    };
    return {
      collection,
      byVector: part([vectorSort(hybrid)]),
      byWords: hybrid.lexical === undefined ? undefined : part([['$lexical', hybrid.lexical]]),
      limits,
      limit: given.limit ?? usualLimit,
      service,
      query,
      passagePath,
      includeScores: given.includeScores,
      includeSortVector: given.includeSortVector,
      command,
    };
  },
  textsToEmbed: ({ byVector }) => textsOfRead(byVector),
  withEmbeddings: (plan, [vector]) => ({ ...plan, byVector: readWithVector(plan.byVector, vector) }),
  execute: (plan, engine) => searchBoth(plan, engine),
  passagesToRank: ({ documents }, { service, query }) => ({
    service,
    query,
    passages: documents.map(({ passage, fusionScore }) => ({ text: passage, fusionScore })),
  }),
  withScores: ({ documents, columns }, scores, { limit }) => {
    const scored = documents.map((found, at) => ({ ...found, score: scores[at] ?? 0 }));
    return { documents: scored.sort(byScore).slice(0, limit), columns };
  },
  respond: (found, plan): Reply => {
    const { columns } = found;
    const rows = found.documents.map(({ row }) => row);
    const documents = documentsText({ rows, columns, next: null }, plan.byVector);
    const scores = found.documents.map(scoresText).join(',');
    return {
      data: `{"documents":[${documents}],"nextPageState":null}`,
      status: [
        ...(plan.includeScores ? [['documentResponses', `[${scores}]`] as const] : []),
        ...(plan.includeSortVector ? sortVectorStatus(plan.byVector, true) : []),
      ],
    };
  },
});

/** In the order of the public API. */
function refuseSearches(hybrid: HybridSort, { collection, keyspace, name: table }: Collection): void {
  const { vector, lexical } = collection;
  const place = { keyspace, table };
  if (vector === undefined) throw apiError('sort', 'UNSUPPORTED_VECTOR_SORT_FOR_COLLECTION', place);
  if (hybrid.vectorize !== undefined && vector.service === undefined && hybrid.vector === undefined)
    throw apiError('sort', 'UNSUPPORTED_VECTORIZE_SORT_FOR_COLLECTION', place);
  if (hybrid.lexical !== undefined && lexical === undefined)
    throw apiError('schema', 'LEXICAL_NOT_ENABLED_FOR_COLLECTION', place);
}

/** The collection's service, or the one of the command. */
function rerankingService(
  override: JsonValue | undefined,
  { collection, rerankers }: CollectionContext,
): NamedReranker {
  if (override === undefined || override === null) {
    const { rerank } = collection.collection;
    if (rerank === undefined) throw apiError('request', 'UNSUPPORTED_RERANKING_COMMAND', {});
    return rerank;
  }
  if (!isJsonObject(override))
    throw structureMismatch(
      'command.options.rerank',
      'an object',
      override,
      '{"provider": "…", "modelName": "…"}',
    );
  try {
    return rerankers.checkReranker(parseNamedReranker(override));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'INVALID_CREATE_COLLECTION_OPTIONS') throw error;
    throw apiError('request', 'INVALID_RERANK_OVERRIDE', { problem: problemOf(override) });
  }
}

function problemOf(override: JsonValue): string {
  const isEmpty = override !== null && isJsonObject(override) && override.size === 0;
  return isEmpty ? 'it is empty' : 'this server offers no such service; findRerankingProviders lists them';
}

function queryText(given: string | undefined, { vectorize }: HybridSort): string {
  const text = (given ?? '').trim() === '' ? vectorize : given;
  if (text === undefined) throw apiError('request', 'MISSING_RERANK_QUERY_TEXT', {});
  return text;
}

function parsePassagePath(given: string | undefined, { vectorize }: HybridSort): Path {
  const at = 'command.options.rerankOn';
  if (given === undefined) {
    if (vectorize !== undefined) return ['$vectorize'];
    throw invalidFieldValue(at, null, 'without a text for "$vectorize" it must name the field to rank by');
  }
  try {
    return parseFieldPath(given);
  } catch (error) {
    if (!(error instanceof InvalidPath)) throw error;
    throw invalidFieldValue(at, given, error.message);
  }
}

function vectorSort({ vectorize, vector }: HybridSort): readonly [string, JsonValue] {
  if (vectorize !== undefined && vector === undefined) return ['$vectorize', vectorize];
  if (vector !== undefined) return ['$vector', vector];
  throw apiError('sort', 'SORT_CLAUSE_INVALID', {
    problem: '"$hybrid" needs a text, "$vectorize" or "$vector"',
  });
}

async function searchBoth(plan: RerankPlan, engine: Engine): Promise<FoundByBoth> {
  const { byVector, byWords, limits, command } = plan;
  const near = await readDocumentRows(byVector, { limit: limits.vector, command }, engine);
  const { columns } = near;
  const found = new Map<string, Omit<Found, 'fusionScore' | 'score'>>();
  const similarityPlace = columns.indexOf(similarityColumn);
  for (const [at, row] of near.rows.entries())
    note(found, row, columns, plan, { similarity: Number(row[similarityPlace]), vectorRank: at + 1 });
  if (byWords !== undefined) {
    const worded = await readDocumentRows(byWords, { limit: limits.lexical, command }, engine);
    for (const [at, row] of worded.rows.entries())
      note(found, row, worded.columns, plan, { wordsRank: at + 1 });
  }
  const documents = [...found.values()].map((one) => {
    const fusionScore = shareOf(one.vectorRank) + shareOf(one.wordsRank);
    return { ...one, fusionScore, score: fusionScore };
  });
  return { documents, columns };
}

/** Adds what one search knows of a document, if it has a passage. */
function note(
  found: Map<string, Omit<Found, 'fusionScore' | 'score'>>,
  row: RowValues,
  columns: FoundDocuments['columns'],
  { collection, passagePath }: RerankPlan,
  known: { readonly similarity?: number; readonly vectorRank?: number; readonly wordsRank?: number },
): void {
  const whole = wholeDocumentOf(row, columns, collection);
  const id = whole.get('_id') ?? null;
  const key = JSON.stringify(keyOf(id));
  const before = found.get(key);
  const passage = before?.passage ?? passageOf(valueAt(whole, passagePath), passagePath);
  if (passage.trim() === '') return;
  const base = { row, id, passage, similarity: 0, vectorRank: undefined, wordsRank: undefined };
  found.set(key, { ...base, ...before, ...known });
}

/** A scalar as a text; empty if there is none. @throws ApiError for another value */
function passageOf(value: JsonValue | undefined, path: Path): string {
  const compared = value === undefined ? undefined : comparedValue(value);
  switch (compared?.kind) {
    case undefined:
    case 'null':
      return '';
    case 'string':
    case 'number':
    case 'date':
      return compared.text;
    case 'boolean':
      return String(compared.value);
    case 'object':
    case 'array':
      throw invalidFieldValue(
        'command.options.rerankOn',
        path.join('.'),
        `a document has an ${compared.kind} there, which is not a text to rank by`,
      );
  }
}

/** A form of the id that JSON writes; equal ids have equal forms. */
function keyOf(id: JsonValue): unknown {
  if (id instanceof Map) return [...id].map(([name, value]) => [name, keyOf(value)]);
  return id instanceof JsonNumber ? { number: id.text } : id;
}

function shareOf(rank: number | undefined): number {
  return rank === undefined ? 0 : 1 / (rankOffset + rank);
}

function byScore(left: Found, right: Found): number {
  return right.score - left.score || right.fusionScore - left.fusionScore || compareValues(left.id, right.id);
}

function scoresText({ similarity, vectorRank, wordsRank, fusionScore, score }: Found): JsonText {
  const members = [
    `"$rerank":${double.serialize(score)}`,
    `"$vector":${float.serialize(similarity)}`,
    `"$vectorRank":${vectorRank ?? null}`,
    `"$bm25Rank":${wordsRank ?? null}`,
    `"$rrf":${double.serialize(fusionScore)}`,
  ];
  return `{"scores":{${members.join(',')}}}`;
}
