// findRerankingProviders. No provider is offered: only document collections are reranked.
import { apiError } from '../errors/api-error.js';
import { databaseCommand } from './command.js';
import { filterModelStatus, wantedStatuses } from './find-embedding-providers.js';
import { object } from './shape.js';

export const findRerankingProviders = databaseCommand({
  name: 'findRerankingProviders',
  help: 'Lists the reranking providers: none. Not available in the strict dialect.',
  kind: 'list',
  shape: object({ options: filterModelStatus }),
  plan: ({ options }, { dialect }) => {
    if (dialect === 'strict') throw apiError('schema', 'RERANKING_FEATURE_NOT_ENABLED', {});
    return wantedStatuses(options);
  },
  execute: async () => undefined,
  respond: () => ({ status: [['rerankingProviders', '{}']] }),
});
