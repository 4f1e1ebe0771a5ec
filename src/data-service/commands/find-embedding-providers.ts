// findEmbeddingProviders (wire: findEmbeddingProviders response).
import { isJsonObject, type JsonText, type JsonValue } from '../../foundation/json/json-value.js';
import { describeProviders } from '../embedding/describe-providers.js';
import { type ModelStatus, modelStatuses } from '../embedding/provider.js';
import { invalidFieldValue, refuseUnknownMembers, structureMismatch } from '../errors/request-problems.js';
import { databaseCommand } from './command.js';
import { anything, object } from './shape.js';

const at = 'command.options';

/** The options of the commands that list providers. */
export const filterModelStatus = anything(
  `an object with "filterModelStatus": ${modelStatuses.join(', ')}, or "" for all models; without it the reply has supported models only`,
);

export const findEmbeddingProviders = databaseCommand({
  name: 'findEmbeddingProviders',
  help: 'Lists the embedding providers of this server, with their models and parameters.',
  kind: 'list',
  shape: object({ options: filterModelStatus }),
  plan: ({ options }, { catalogue }): JsonText => describeProviders(catalogue, wantedStatuses(options)),
  execute: async (plan) => plan,
  respond: (providers) => ({ status: [['embeddingProviders', providers]] }),
});

/**
 * Without options the supported ones; with options and no status, all.
 * @throws ApiError for options of another form, or an unknown status
 */
export function wantedStatuses(options: JsonValue | undefined): readonly ModelStatus[] {
  if (options === undefined || options === null) return ['SUPPORTED'];
  if (!isJsonObject(options))
    throw structureMismatch(at, 'an object', options, '{"filterModelStatus": "SUPPORTED"}');
  refuseUnknownMembers(options, at, ['filterModelStatus']);
  const wanted = options.get('filterModelStatus') ?? '';
  if (wanted === '') return modelStatuses;
  const status = modelStatuses.find((known) => typeof wanted === 'string' && known === wanted.toUpperCase());
  if (status !== undefined) return [status];
  throw invalidFieldValue(`${at}.filterModelStatus`, wanted, `it must be one of ${modelStatuses.join(', ')}`);
}
