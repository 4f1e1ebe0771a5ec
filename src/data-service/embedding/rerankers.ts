// The reranking services that collections can name: their checks, and the default.
import { apiError } from '../errors/api-error.js';
import type { CollectionContext } from '../schema/parse-collection-settings.js';
import { defaultOffer, modelNamed, type RerankingCatalogue, whyNotOffered } from './catalogue.js';

/** What createCollection and findAndRerank need of reranking services. */
export type Rerankers = Pick<CollectionContext, 'defaultRerank' | 'checkReranker'>;

/** The services of a server. */
export function makeRerankers({ known, offered, region }: RerankingCatalogue): Rerankers {
  const refuse = (problem: string) => apiError('schema', 'INVALID_CREATE_COLLECTION_OPTIONS', { problem });
  const preset = defaultOffer(offered);
  return {
    defaultRerank: preset && { provider: preset.provider, modelName: preset.model.name },
    checkReranker: ({ provider, modelName }) => {
      const names = `the providers are ${[...offered.keys()].join(', ')}`;
      if (provider === undefined) throw refuse(`the reranking service needs "provider"; ${names}`);
      const found = known.get(provider);
      if (found === undefined) throw refuse(`the reranking provider "${provider}" is not known; ${names}`);
      const problem = whyNotOffered(found.entry, region);
      if (problem !== undefined)
        throw refuse(`the reranking provider "${provider}" cannot be used: ${problem}`);
      const models = `the models of ${provider} are ${found.entry.models.map(({ name }) => name).join(', ')}`;
      if (modelName === undefined) throw refuse(`the reranking service needs "modelName"; ${models}`);
      const model = modelNamed(found.entry, modelName);
      if (model === undefined) throw refuse(`the reranking model "${modelName}" is not known; ${models}`);
      const facts = { provider, model: modelName, more: model.statusMessage ?? '' };
      if (model.status === 'DEPRECATED') throw apiError('schema', 'DEPRECATED_AI_MODEL', facts);
      if (model.status === 'END_OF_LIFE') throw apiError('schema', 'END_OF_LIFE_AI_MODEL', facts);
      return { provider, modelName };
    },
  };
}
