// Parses the options of createCollection (wire: createCollection).
import { vectorMetrics } from '../../descriptions/vector-metrics.js';
import {
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  stringifyJson,
} from '../../foundation/json/json-value.js';
import { parseIndexing } from '../documents/indexing.js';
import { apiError } from '../errors/api-error.js';
import {
  invalidFieldValue,
  refuseUnknownMembers,
  showJson,
  structureMismatch,
} from '../errors/request-problems.js';
import { InvalidAnalyzer } from '../text-analysis/analyzer.js';
import { parseAnalyzer } from '../text-analysis/parse-analyzer.js';
import type { CollectionSettings, DefaultId } from './collection-settings.js';
import { type CheckEmbeddingService, parseEmbeddingService } from './embedding-service.js';
import { type SourceModel, sourceModels, type VectorMetric } from './vector-index.js';

/** The greatest dimension of a collection without a service. */
const maxDimension = 4_096;
const at = 'command.options';
const defaultIds: readonly DefaultId[] = ['objectId', 'uuid', 'uuidv6', 'uuidv7'];

/** A reranking service by name. */
export interface NamedReranker {
  readonly provider: string;
  readonly modelName: string;
}

/** What the options are checked with. */
export interface CollectionContext {
  readonly checkEmbeddingService: CheckEmbeddingService;
  /** The service of a collection that names none; undefined if none can be used: then it has none. */
  readonly defaultRerank: NamedReranker | undefined;
  /** @throws ApiError for a service that the server does not offer */
  readonly checkReranker: (service: Partial<NamedReranker>) => NamedReranker;
}

/** The settings; those that were not sent are absent from `given`. */
export interface ParsedSettings {
  readonly settings: CollectionSettings;
  /** Whether the options have them: an existing collection keeps its own otherwise. */
  readonly given: { readonly lexical: boolean; readonly rerank: boolean };
}

/**
 * Parses the member `options`; null counts as absent.
 * @throws ApiError scope SCHEMA, or of the request
 */
export function parseCollectionSettings(
  json: JsonValue | undefined,
  context: CollectionContext,
): ParsedSettings {
  const options = objectOrNone(json, at);
  refuseUnknown(options, ['defaultId', 'vector', 'indexing', 'lexical', 'rerank'], 'options');
  const defaultId = parseDefaultId(options.get('defaultId'));
  const vector = parseVector(options.get('vector'), context);
  const indexing = parseIndexingOption(options.get('indexing'));
  const lexical = parseLexical(options.get('lexical'));
  const rerank = parseRerank(options.get('rerank'), context);
  const usedRerank = rerank === undefined ? context.defaultRerank : rerank;
  return {
    settings: {
      ...(defaultId === undefined ? {} : { defaultId }),
      ...(vector === undefined ? {} : { vector }),
      ...(indexing === undefined ? {} : { indexing }),
      ...(lexical === null ? {} : { lexical: lexical ?? { analyzer: '"standard"' } }),
      ...(usedRerank === null || usedRerank === undefined ? {} : { rerank: usedRerank }),
    },
    given: { lexical: lexical !== undefined, rerank: rerank !== undefined },
  };
}

function objectOrNone(json: JsonValue | undefined, place: string): JsonObject {
  if (json === undefined || json === null) return new Map();
  if (isJsonObject(json)) return json;
  throw structureMismatch(place, 'an object', json, '{}');
}

function refuseUnknown(json: JsonObject, known: readonly string[], place: string): void {
  const unknown = [...json.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw apiError('request', 'INVALID_CREATE_COLLECTION_FIELD', { unknown, place, known });
}

function invalid(problem: string): Error {
  return apiError('schema', 'INVALID_CREATE_COLLECTION_OPTIONS', { problem });
}

function parseDefaultId(json: JsonValue | undefined): DefaultId | undefined {
  const given = objectOrNone(json, `${at}.defaultId`);
  refuseUnknown(given, ['type'], 'options.defaultId');
  const type = given.get('type') ?? null;
  if (type === null) return undefined;
  const known = defaultIds.find((each) => each === type);
  if (known === undefined)
    throw invalidFieldValue(`${at}.defaultId.type`, type, `it must be one of ${defaultIds.join(', ')}`);
  return known;
}

function parseVector(json: JsonValue | undefined, context: CollectionContext): CollectionSettings['vector'] {
  if (json === undefined || json === null) return undefined;
  const given = objectOrNone(json, `${at}.vector`);
  refuseUnknown(
    given,
    ['dimension', 'size', 'metric', 'function', 'sourceModel', 'service'],
    'options.vector',
  );
  const dimension = parseDimension(given.get('dimension') ?? given.get('size'));
  const sourceModel = choiceOf<SourceModel>(
    given.get('sourceModel'),
    'sourceModel',
    Object.keys(sourceModels),
  );
  const metric = choiceOf<VectorMetric>(
    given.get('metric') ?? given.get('function'),
    'metric',
    vectorMetrics,
  );
  const kept = {
    metric: metric ?? sourceModels[sourceModel ?? 'other'],
    sourceModel: sourceModel ?? 'other',
  } as const;
  const service = given.get('service') ?? null;
  if (service === null) {
    if (dimension === undefined) throw invalid('the option "vector" needs "dimension", or a "service"');
    if (dimension > maxDimension)
      throw apiError('schema', 'VECTOR_SEARCH_TOO_BIG_VALUE', { length: dimension, maxLength: maxDimension });
    return { dimension, ...kept };
  }
  const requested = parseEmbeddingService(service, `${at}.vector.service`);
  const checked = context.checkEmbeddingService('$vector', requested, dimension);
  return { dimension: checked.dimension, ...kept, service: checked.service };
}

function parseDimension(json: JsonValue | undefined): number | undefined {
  if (json === undefined || json === null) return undefined;
  const dimension = json instanceof JsonNumber ? Number(json.text) : Number.NaN;
  if (!Number.isInteger(dimension))
    throw structureMismatch(`${at}.vector.dimension`, 'a whole number', json, '1024');
  if (dimension <= 0) throw invalidFieldValue(`${at}.vector.dimension`, json, 'it must be greater than 0');
  return dimension;
}

function choiceOf<Choice extends string>(
  json: JsonValue | undefined,
  name: string,
  choices: readonly string[],
): Choice | undefined {
  if (json === undefined || json === null) return undefined;
  const found = choices.find((choice) => choice === json);
  if (found === undefined)
    throw invalidFieldValue(`${at}.vector.${name}`, json, `it must be one of ${choices.join(', ')}`);
  return found as Choice; // one of its names
}

function parseIndexingOption(json: JsonValue | undefined): CollectionSettings['indexing'] {
  if (json !== undefined && json !== null && isJsonObject(json))
    refuseUnknown(json, ['allow', 'deny'], 'options.indexing');
  return parseIndexing(json);
}

/** Undefined if it is absent, null if it is switched off. */
function parseLexical(json: JsonValue | undefined): CollectionSettings['lexical'] | null {
  if (json === undefined || json === null) return undefined;
  const given = objectOrNone(json, `${at}.lexical`);
  refuseUnknownMembers(given, `${at}.lexical`, ['enabled', 'analyzer']);
  const analyzer = given.get('analyzer') ?? null;
  const isEmpty = analyzer === null || (isJsonObject(analyzer) && analyzer.size === 0);
  if (!isEnabled(given, 'lexical')) {
    if (!isEmpty) throw invalid('"lexical" must not have an analyzer if it is not enabled');
    return null;
  }
  if (isEmpty) return { analyzer: '"standard"' };
  if (typeof analyzer !== 'string' && !isJsonObject(analyzer))
    throw invalid(`"lexical.analyzer" must be a string or an object, but is ${showJson(analyzer)}`);
  try {
    return { analyzer: parseAnalyzer(withoutNulls(analyzer)).definition };
  } catch (error) {
    if (!(error instanceof InvalidAnalyzer)) throw error;
    throw invalid(`the analyzer is not valid: ${error.message}`);
  }
}

function withoutNulls(analyzer: string | JsonObject): string | JsonObject {
  return typeof analyzer === 'string'
    ? analyzer
    : new Map([...analyzer].filter(([, value]) => value !== null));
}

function isEnabled(given: JsonObject, option: string): boolean {
  const enabled = given.get('enabled') ?? null;
  if (enabled === null) throw invalid(`"${option}" needs "enabled": true or false`);
  if (typeof enabled !== 'boolean')
    throw structureMismatch(`${at}.${option}.enabled`, 'true or false', enabled, 'true');
  return enabled;
}
function parseRerank(
  json: JsonValue | undefined,
  context: CollectionContext,
): CollectionSettings['rerank'] | null {
  if (json === undefined || json === null) return undefined;
  const given = objectOrNone(json, `${at}.rerank`);
  refuseUnknownMembers(given, `${at}.rerank`, ['enabled', 'service']);
  const service = objectOrNone(given.get('service'), `${at}.rerank.service`);
  refuseUnknownMembers(service, `${at}.rerank.service`, [
    'provider',
    'modelName',
    'authentication',
    'parameters',
  ]);
  if (!isEnabled(given, 'rerank')) {
    if (service.size > 0) throw invalid('"rerank" must not have a service if it is not enabled');
    return null;
  }
  if (service.size === 0) {
    if (context.defaultRerank !== undefined) return context.defaultRerank;
    throw invalid(
      'this server has no reranking provider that can be used; the file of --providers-file enables one',
    );
  }
  return context.checkReranker(parseNamedReranker(service));
}

/** The names of a reranking service; no provider takes credentials or parameters from a definition. */
export function parseNamedReranker(service: JsonObject): Partial<NamedReranker> {
  const textOf = (name: 'provider' | 'modelName'): Partial<NamedReranker> => {
    const value = service.get(name) ?? null;
    if (value === null) return {};
    if (typeof value !== 'string') throw invalid(`"${name}" of the reranking service must be a string`);
    return { [name]: value };
  };
  for (const name of ['authentication', 'parameters']) {
    const value = service.get(name) ?? null;
    const isEmpty = value === null || (isJsonObject(value) && value.size === 0);
    if (!isEmpty) throw invalid(`a reranking service takes no "${name}", but it has ${stringifyJson(value)}`);
  }
  return { ...textOf('provider'), ...textOf('modelName') };
}
