// findRerankingProviders (wire: findRerankingProviders).
import type { JsonText } from '../../foundation/json/json-value.js';
import { describeRerankers } from '../embedding/describe-providers.js';
import { apiError } from '../errors/api-error.js';
import { databaseCommand } from './command.js';
import { filterModelStatus, wantedStatuses } from './find-embedding-providers.js';
import { object } from './shape.js';

export const findRerankingProviders = databaseCommand({
  name: 'findRerankingProviders',
  help: 'Lists the reranking providers of this server, with their models. Without collections there are none, and the strict dialect does not have the command.',
  kind: 'list',
  shape: object({ options: filterModelStatus }),
  plan: ({ options }, { dialect, hasCollections, rerankingCatalogue }): JsonText => {
    if (!hasCollections && dialect === 'strict')
      throw apiError('schema', 'RERANKING_FEATURE_NOT_ENABLED', {});
    const statuses = wantedStatuses(options);
    return hasCollections ? describeRerankers(rerankingCatalogue, statuses) : '{}';
  },
  execute: async (plan) => plan,
  respond: (providers) => ({ status: [['rerankingProviders', providers]] }),
});
