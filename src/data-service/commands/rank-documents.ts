// Passages of commands get scores: chooses the reranking provider and the secret, and names what fails.
import { modelNamed, type RerankingCatalogue, whyNotOffered } from '../embedding/catalogue.js';
import { credentialInHeaders, type ReadHeader } from '../embedding/find-credential.js';
import { type KeyUser, rerankingKeyName, whyNotFor } from '../embedding/key-use.js';
import type { Credential, CutTexts, StoredKey } from '../embedding/provider.js';
import { ProviderFailure } from '../embedding/provider-failure.js';
import { rankPassages } from '../embedding/rank-passages.js';
import { makeRerankers, type Rerankers } from '../embedding/rerankers.js';
import type { Passage } from '../embedding/reranking-provider.js';
import type { BatchEffects } from '../embedding/run-batches.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import type { NamedReranker } from '../schema/parse-collection-settings.js';
import { type CutByModel, CutsByModel } from './cuts-by-model.js';

/** Passages to rank; plain data. */
export interface PassagesToRank {
  readonly service: NamedReranker;
  readonly query: string;
  readonly passages: readonly Passage[];
}

/** What passages got; plain data. */
export interface RankedPassages {
  /** One per passage, in their order. */
  readonly scores: readonly number[];
  /** One if the model did not read all passages to their end. */
  readonly cuts: readonly CutByModel[];
}

/** Rejects with an ApiError. */
export type RankPassages = (wanted: PassagesToRank) => Promise<RankedPassages>;

/** Ranks the passages of commands. */
export interface Reranker {
  readonly catalogue: RerankingCatalogue;
  /** The checks of services in definitions and options. */
  readonly services: Rerankers;
  /** For one command; `header` returns the headers of its request. */
  rankPassagesFor(header: ReadHeader): RankPassages;
}

/** What a reranker needs. */
export interface RerankerOptions {
  readonly catalogue: RerankingCatalogue;
  readonly findKey: (name: string) => StoredKey | undefined;
  readonly effects: BatchEffects;
}

/** A reranker of this thread. */
export function makeReranker(options: RerankerOptions): Reranker {
  return {
    catalogue: options.catalogue,
    services: makeRerankers(options.catalogue),
    rankPassagesFor: (header) => async (wanted) =>
      wanted.passages.length === 0 ? { scores: [], cuts: [] } : rank(wanted, header, options),
  };
}

async function rank(
  { service, query, passages }: PassagesToRank,
  header: ReadHeader,
  { catalogue, findKey, effects }: RerankerOptions,
): Promise<RankedPassages> {
  const { provider: name, modelName } = service;
  const known = catalogue.known.get(name);
  const model = known && modelNamed(known.entry, modelName);
  const isOffered = known !== undefined && whyNotOffered(known.entry, catalogue.region) === undefined;
  if (!isOffered || model === undefined)
    throw apiError('schema', 'RERANKING_SERVICE_TYPE_UNAVAILABLE', { provider: name, model: modelName });
  const { provider, entry } = known;
  if (model.status === 'END_OF_LIFE') {
    const more = model.statusMessage ?? '';
    throw apiError('schema', 'END_OF_LIFE_AI_MODEL', { provider: name, model: modelName, more });
  }
  const stored = entry.authentication.sharedSecret ? storedFor({ name, entry }, findKey) : undefined;
  const credential = credentialInHeaders(entry, header) ?? stored;
  const cuts = new CutsByModel();
  const onCut = (cut: CutTexts) => cuts.add(name, modelName, cut);
  try {
    const task = { provider, entry, model, credential, query, passages, onCut };
    return { scores: await rankPassages(task, effects), cuts: cuts.all };
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    throw toRerankingError(error, { provider: name, model: modelName });
  }
}

/** The stored key for a reranking provider; its entry may be for others only. */
function storedFor(provider: KeyUser, findKey: RerankerOptions['findKey']): Credential | undefined {
  const name = rerankingKeyName(provider.name);
  const key = findKey(name);
  return key === undefined || whyNotFor(name, key, provider) !== undefined ? undefined : key.secrets;
}

function toRerankingError(
  { problem: kind, message: problem }: ProviderFailure,
  asked: { readonly provider: string; readonly model: string },
): ApiError {
  const facts = { ...asked, problem };
  switch (kind) {
    case 'keysMissing':
      return apiError('schema', 'RERANKING_PROVIDER_AUTHENTICATION_KEY_NOT_PROVIDED', facts);
    case 'clientError':
      return apiError('schema', 'RERANKING_PROVIDER_CLIENT_ERROR', facts);
    case 'rateLimited':
      return apiError('schema', 'RERANKING_PROVIDER_RATE_LIMITED', facts);
    case 'serverError':
    case 'unreachable':
    case 'badHostName':
      return apiError('schema', 'RERANKING_PROVIDER_SERVER_ERROR', facts);
    case 'timeout':
      return apiError('reranking', 'RERANKING_PROVIDER_TIMEOUT', facts);
    case 'unexpectedResponse':
    case 'unreadableResponse':
    case 'unwritableRequest':
      return apiError('schema', 'RERANKING_PROVIDER_UNEXPECTED_RESPONSE', facts);
  }
}
