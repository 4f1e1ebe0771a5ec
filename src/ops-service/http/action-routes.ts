// The routes of actions: they start, list and cancel them.
import * as v from 'valibot';
import { requestReply } from '../../descriptions/operations-replies.js';
import type { ActionTask } from '../actions/action-request.js';
import type { RequestQueue } from '../actions/request-queue.js';
import { actionNames, type Cluster } from '../clusters/cluster.js';
import { closedObject } from '../errors/closed-object.js';
import type { ErrorDetail } from '../errors/ops-error.js';
import { unknownName } from '../errors/unknown-name.js';
import { badRequest } from '../errors/validation.js';
import type { OpsParts } from './ops-parts.js';
import { needCluster, type Route } from './route.js';

const requestSchema = v.strictObject({ ...requestReply.entries, action: v.picklist(actionNames) });

const nameSchema = v.pipe(v.string(), v.minLength(1, 'must not be empty'));
const tablesSchema = v.optional(v.array(nameSchema), []);

const sleepMessage = 'must be seconds from 0 to 86400';
const bulkSchema = closedObject({
  action: v.picklist(actionNames),
  ips: v.optional(v.array(v.string()), []),
  keyspace: v.optional(nameSchema),
  tables: tablesSchema,
  is_rolling: v.optional(v.boolean(), true),
  sleep: v.optional(v.pipe(v.number(), v.minValue(0, sleepMessage), v.maxValue(86_400, sleepMessage)), 60),
});

export function actionRoutes({ requests }: OpsParts): readonly Route[] {
  return [...askingRoutes(requests), ...followingRoutes(requests)];
}

function askingRoutes(requests: RequestQueue): readonly Route[] {
  const one: Route<v.GenericSchema, typeof tablesSchema> = {
    method: 'POST',
    path: '/{cluster_id}/ops/{action}/{ip}/{ks}',
    summary:
      'Runs compact, cleanup, flush or repair on a node; the body lists tables, none means all of the keyspace.',
    access: 'operator',
    body: tablesSchema,
    reply: v.string(),
    answer: ({ params, body, caller }, cluster) => {
      const known = needCluster(cluster);
      const { action, ip = '', ks = '' } = params;
      const name = actionNames.find((candidate) => candidate === action);
      if (name === undefined) throw unknownName('action', action ?? '', actionNames);
      const task = {
        action: name,
        keyspace: ks,
        tables: [...new Set(body)],
        nodes: [ip],
        isRolling: true,
        sleepSeconds: 0,
      };
      checkNames(task, known);
      return requests.add(known.id, task, caller);
    },
  };
  const bulk: Route<v.GenericSchema, typeof bulkSchema> = {
    method: 'POST',
    path: '/{cluster_id}/ops',
    summary:
      'Runs an action on several nodes (ips; none means all) for all keyspaces, or for one keyspace or tables of ' +
      'it: one after another with sleep seconds in between, stopping at the first that fails; with is_rolling ' +
      'false all at once.',
    access: 'operator',
    body: bulkSchema,
    reply: v.string(),
    answer: ({ body, caller }, cluster) => {
      const known = needCluster(cluster);
      const addresses = new Set(known.nodes.map(({ address }) => address));
      const nodes = [...(body.ips.length > 0 ? new Set(body.ips) : addresses)];
      const problems = nodes.flatMap((node, at): ErrorDetail[] =>
        addresses.has(node) ? [] : [{ path: `ips.${at}`, message: 'is not a node of the cluster' }],
      );
      problems.push(...scopeProblems(body, known));
      if (problems.length > 0) throw badRequest(problems);
      const { action, keyspace = '', is_rolling: isRolling, sleep: sleepSeconds } = body;
      const task = { action, keyspace, tables: [...new Set(body.tables)], nodes, isRolling, sleepSeconds };
      return requests.add(known.id, task, caller);
    },
  };
  return [one, bulk];
}

function followingRoutes(requests: RequestQueue): readonly Route[] {
  const list: Route = {
    method: 'GET',
    path: '/{cluster_id}/requests',
    summary: 'The requests for actions, newest first.',
    access: 'viewer',
    reply: v.array(requestSchema),
    answer: ({ params }) => requests.list(params['cluster_id'] ?? ''),
  };
  const status: Route = {
    method: 'GET',
    path: '/request/{request_id}/status',
    summary: 'How far a request is, node by node.',
    access: 'viewer',
    reply: requestSchema,
    answer: ({ params }) => requests.get(params['request_id'] ?? ''),
  };
  const cancel: Route = {
    method: 'POST',
    path: '/request/{request_id}/cancel',
    summary: 'Starts no further node; what runs on local stops at its next step.',
    access: 'operator',
    reply: v.null(),
    answer: ({ params }) => requests.cancel(params['request_id'] ?? ''),
  };
  return [list, status, cancel];
}

/** Names are passed to programs and storages, so only existing names are accepted. */
function checkNames({ keyspace, tables, nodes }: ActionTask, cluster: Cluster): void {
  const addresses = cluster.nodes.map(({ address }) => address);
  const unknown = nodes.find((node) => !addresses.includes(node));
  if (unknown !== undefined) throw unknownName('node', unknown, addresses);
  if (!cluster.keyspaces.includes(keyspace)) throw unknownName('keyspace', keyspace, cluster.keyspaces);
  const problems = tableProblems(keyspace, tables, cluster).map(({ at, message }) => ({
    path: `${at}`,
    message,
  }));
  if (problems.length > 0) throw badRequest(problems);
}

/** What is wrong with the keyspace and the tables in a body. */
function scopeProblems(
  { keyspace, tables }: v.InferOutput<typeof bulkSchema>,
  cluster: Cluster,
): readonly ErrorDetail[] {
  if (keyspace === undefined)
    return tables.length === 0 ? [] : [{ path: 'tables', message: 'requires keyspace' }];
  if (!cluster.keyspaces.includes(keyspace))
    return [{ path: 'keyspace', message: `${JSON.stringify(keyspace)} is not a keyspace of the cluster` }];
  return tableProblems(keyspace, tables, cluster).map(({ at, message }) => ({
    path: `tables.${at}`,
    message,
  }));
}

function tableProblems(keyspace: string, tables: readonly string[], cluster: Cluster) {
  const known = new Set(cluster.tables);
  return tables.flatMap((table, at) =>
    known.has(`${keyspace}.${table}`)
      ? []
      : [{ at, message: `${JSON.stringify(table)} is not a table of the keyspace` }],
  );
}
