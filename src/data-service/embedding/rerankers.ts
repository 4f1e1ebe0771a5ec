// The reranking services that collections can name.
import { apiError } from '../errors/api-error.js';
import type { CollectionContext, NamedReranker } from '../schema/parse-collection-settings.js';

/** What createCollection and findAndRerank need of reranking services. */
export type Rerankers = Pick<CollectionContext, 'defaultRerank' | 'checkReranker'>;

/** Orders by the ranks of both searches, without any network. */
export const rankFusion: NamedReranker = { provider: 'colonnade', modelName: 'reciprocal-rank-fusion' };

/** Whether two names are of one service. */
export function isSameReranker(left: NamedReranker, right: NamedReranker): boolean {
  return left.provider === right.provider && left.modelName === right.modelName;
}

const known: readonly NamedReranker[] = [rankFusion];

/** The services of this server. */
export const rerankers: Rerankers = {
  defaultRerank: rankFusion,
  checkReranker: ({ provider, modelName }) => {
    const problem = (text: string) =>
      apiError('schema', 'INVALID_CREATE_COLLECTION_OPTIONS', { problem: text });
    const providers = [...new Set(known.map((each) => each.provider))].join(', ');
    if (provider === undefined) throw problem(`the reranking service needs "provider": ${providers}`);
    const models = known.filter((each) => each.provider === provider);
    if (models.length === 0)
      throw problem(`the reranking provider "${provider}" is not known; the providers are ${providers}`);
    const names = models.map((each) => each.modelName).join(', ');
    if (modelName === undefined) throw problem(`the reranking service needs "modelName": ${names}`);
    const found = models.find((each) => each.modelName === modelName);
    if (found === undefined)
      throw problem(`the model "${modelName}" is not known; the models of ${provider} are ${names}`);
    return found;
  },
};
