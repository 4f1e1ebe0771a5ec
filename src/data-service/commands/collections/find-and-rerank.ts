// findAndRerank (wire: findAndRerank): the documents of a search by vector and of one by words, in one order.
import { isJsonObject, type JsonText, type JsonValue } from '../../../foundation/json/json-value.js';
import { compareValues } from '../../documents/values.js';
import { isSameReranker, rankFusion } from '../../embedding/rerankers.js';
import type { Engine } from '../../engine/engine.js';
import { apiError } from '../../errors/api-error.js';
import { structureMismatch } from '../../errors/request-problems.js';
import type { RowValues } from '../../query/read.js';
import { similarityColumn } from '../../query/vector-search.js';
import type { Collection } from '../../schema/collection.js';
import { parseNamedReranker } from '../../schema/parse-collection-settings.js';
import { type CollectionContext, collectionCommand } from '../command.js';
import type { Reply } from '../reply.js';
import { anything, flag, object, optionalInteger, optionalText, options } from '../shape.js';
import {
  type DocumentRead,
  documentsText,
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
/** Of reciprocal rank fusion. */
const rankOffset = 60;

interface RerankPlan {
  readonly collection: Collection;
  readonly byVector: DocumentRead;
  readonly byWords: DocumentRead | undefined;
  readonly limits: HybridLimits;
  readonly limit: number;
  readonly includeScores: boolean;
  readonly includeSortVector: boolean;
  readonly command: object;
}

/** A document with its places in both searches, from 1. */
interface Found {
  readonly row: RowValues;
  readonly id: JsonValue;
  readonly similarity: number;
  readonly vectorRank: number | undefined;
  readonly wordsRank: number | undefined;
  readonly score: number;
}

/** findAndRerank on a collection. */
export const findAndRerank = collectionCommand({
  name: 'findAndRerank',
  help: 'Searches by `$vector` or `$vectorize` and by `$lexical` with the same filter, and returns the documents of both in one order: by the sum of 1 / (60 + place) over the searches that found them.',
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
    refuseReranking(given.rerank, context);
    const part = (value: readonly (readonly [string, JsonValue])[]) =>
      parseDocumentRead({ filter, projection, sort: new Map(value) }, collection);
    const byVector = part([
      hybrid.vectorize === undefined ? ['$vector', hybrid.vector ?? null] : ['$vectorize', hybrid.vectorize],
    ]);
    return {
      collection,
      byVector,
      byWords: hybrid.lexical === undefined ? undefined : part([['$lexical', hybrid.lexical]]),
      limits,
      limit: given.limit ?? usualLimit,
      includeScores: given.includeScores,
      includeSortVector: given.includeSortVector,
      command,
    };
  },
  textsToEmbed: ({ byVector }) => textsOfRead(byVector),
  withEmbeddings: (plan, [vector]) => ({ ...plan, byVector: readWithVector(plan.byVector, vector) }),
  execute: (plan, engine) => searchBoth(plan, engine),
  respond: (found, plan): Reply => {
    const columns = [...found.columns];
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
  if (hybrid.vectorize === undefined && hybrid.vector === undefined)
    throw apiError('sort', 'SORT_CLAUSE_INVALID', {
      problem: '"$hybrid" needs a text, "$vectorize" or "$vector"',
    });
}

/** The collection's service, or the one of the command. */
function refuseReranking(
  override: JsonValue | undefined,
  { collection, rerankers }: CollectionContext,
): void {
  if (override === undefined || override === null) {
    if (collection.collection.rerank === undefined)
      throw apiError('request', 'UNSUPPORTED_RERANKING_COMMAND', {});
    return;
  }
  if (!isJsonObject(override))
    throw structureMismatch(
      'command.options.rerank',
      'an object',
      override,
      '{"provider": "…", "modelName": "…"}',
    );
  if (override.size === 0) throw apiError('request', 'INVALID_RERANK_OVERRIDE', { problem: 'it is empty' });
  const service = rerankers.checkReranker(parseNamedReranker(override));
  if (!isSameReranker(service, rankFusion)) throw new TypeError('only one reranking service is known');
}

interface FoundByBoth {
  readonly documents: readonly Found[];
  readonly columns: Awaited<ReturnType<typeof readDocumentRows>>['columns'];
}

async function searchBoth(plan: RerankPlan, engine: Engine): Promise<FoundByBoth> {
  const { byVector, byWords, limits, collection, command } = plan;
  const near = await readDocumentRows(byVector, { limit: limits.vector, command }, engine);
  const worded =
    byWords === undefined
      ? { rows: [], columns: near.columns }
      : await readDocumentRows(byWords, { limit: limits.lexical, command }, engine);
  const found = new Map<string, Found>();
  const similarityPlace = near.columns.indexOf(similarityColumn);
  for (const [at, row] of near.rows.entries()) {
    const id = idOf(row, near.columns, collection);
    const similarity = Number(row[similarityPlace]);
    found.set(JSON.stringify(keyOf(id)), {
      row,
      id,
      similarity,
      vectorRank: at + 1,
      wordsRank: undefined,
      score: shareOf(at + 1),
    });
  }
  for (const [at, row] of worded.rows.entries()) {
    const id = idOf(row, worded.columns, collection);
    const key = JSON.stringify(keyOf(id));
    const before = found.get(key);
    const score = (before?.score ?? 0) + shareOf(at + 1);
    const base = before ?? { row, id, similarity: 0, vectorRank: undefined };
    found.set(key, { ...base, wordsRank: at + 1, score });
  }
  const sorted = [...found.values()].sort(
    (left, right) => right.score - left.score || compareValues(left.id, right.id),
  );
  return { documents: sorted.slice(0, plan.limit), columns: near.columns };
}

function idOf(row: RowValues, columns: FoundByBoth['columns'], collection: Collection): JsonValue {
  return wholeDocumentOf(row, columns, collection).get('_id') ?? null;
}

/** The same for the same id, in a form that JSON writes. */
function keyOf(id: JsonValue): unknown {
  return id instanceof Map ? [...id] : id;
}

function shareOf(rank: number): number {
  return 1 / (rankOffset + rank);
}

function scoresText({ similarity, vectorRank, wordsRank, score }: Found): JsonText {
  const scores = {
    $rerank: score,
    $vector: similarity,
    $vectorRank: vectorRank ?? null,
    $bm25Rank: wordsRank ?? null,
    $rrf: score,
  };
  return `{"scores":${JSON.stringify(scores)}}`;
}
