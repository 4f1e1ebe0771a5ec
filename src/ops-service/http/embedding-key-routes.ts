// The routes of the key store of the data service: names can be read, secrets only written.
import * as v from 'valibot';
import { localAddress } from '../clusters/local-cluster.js';
import { namedValues } from '../errors/named-values.js';
import { OpsError } from '../errors/ops-error.js';
import { badRequest } from '../errors/validation.js';
import type { Caller } from '../events/event.js';
import type { OpsParts } from './ops-parts.js';
import type { Route } from './route.js';

const path = '/{cluster_id}/embedding-keys';
/** The key store itself checks the members of an entry. */
const secretsSchema = namedValues(v.string(), v.unknown(), 100);
/** The secrets that it accepts, for the documentation. */
const secretText = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,8192}$/));
const providers = v.optional(v.array(v.string()));
const shownSecretsSchema = v.union([
  v.strictObject({ providerKey: secretText, providers }),
  v.strictObject({ accessId: secretText, secretKey: secretText, providers }),
]);
const entrySchema = v.strictObject({ name: v.string(), secrets: v.array(v.string()), providers });

/** The routes of the key store. */
export function embeddingKeyRoutes(parts: OpsParts): readonly Route[] {
  return [...readingRoutes(parts), ...changingRoutes(parts)];
}

function readingRoutes({ dataService }: OpsParts): readonly Route[] {
  const list: Route = {
    method: 'GET',
    path,
    summary: 'The names in the key store of the data service.',
    access: 'viewer',
    reply: v.array(v.string()),
    answer: async ({ params }) => {
      demandLocal(params);
      return (await dataService.call('listKeys', undefined)).map(({ name }) => name);
    },
  };
  const get: Route = {
    method: 'GET',
    path: `${path}/{key_name}`,
    summary:
      'Which secrets an entry of the key store has, and for which providers; never the secrets themselves.',
    access: 'viewer',
    reply: entrySchema,
    answer: async ({ params }) => {
      const name = demandLocal(params);
      const entry = (await dataService.call('listKeys', undefined)).find((one) => one.name === name);
      return entry ?? noSuchKey(name);
    },
  };
  return [list, get];
}

function changingRoutes({ dataService, events }: OpsParts): readonly Route[] {
  const record = (message: string, caller: Caller) => {
    const event = {
      action: 'keyStoreChanged',
      level: 'INFO',
      targetNode: localAddress,
      success: true,
    } as const;
    events.append('local', { ...event, message, caller });
  };
  const put: Route<v.GenericSchema, typeof secretsSchema> = {
    method: 'PUT',
    path: `${path}/{key_name}`,
    summary:
      'Adds or replaces an entry: {"providerKey"}, or {"accessId","secretKey"} for bedrock; {"providers"} to bind it.',
    access: 'operator',
    body: secretsSchema,
    documentedBody: shownSecretsSchema,
    reply: v.null(),
    answer: async ({ params, body, caller }) => {
      const name = demandLocal(params);
      const problems = await dataService.call('putKey', { name, secrets: body });
      if (problems.length > 0) throw badRequest(problems);
      record(`stored the embedding key ${name}`, caller);
    },
  };
  const remove: Route = {
    method: 'DELETE',
    path: `${path}/{key_name}`,
    summary: 'Removes an entry; columns that refer to it can embed no texts from then on.',
    access: 'operator',
    reply: v.null(),
    answer: async ({ params, caller }) => {
      const name = demandLocal(params);
      if (!(await dataService.call('deleteKey', name))) noSuchKey(name);
      record(`deleted the embedding key ${name}`, caller);
    },
  };
  return [put, remove];
}

/** The name in the path. @throws OpsError `NotFound` for a cluster other than `local` */
function demandLocal(params: Readonly<Record<string, string>>): string {
  if (params['cluster_id'] === 'local') return params['key_name'] ?? '';
  throw new OpsError('NotFound', 'the key store belongs to the cluster local');
}

function noSuchKey(name: string): never {
  throw new OpsError('NotFound', `the key store has no entry ${JSON.stringify(name)}`);
}
