// The routes of clusters: their configurations and their nodes.
import * as v from 'valibot';
import {
  clusterConfigReply,
  nodeReply,
  type OpsNode,
  trialReply,
} from '../../descriptions/operations-replies.js';
import { NotBegun, WorkQueue } from '../../foundation/limits/work-queue.js';
import type { Cluster, ClusterNode } from '../clusters/cluster.js';
import { configBody, partialConfigBody } from '../clusters/cluster-config.js';
import type { ClusterRepository } from '../clusters/cluster-repository.js';
import { OpsError } from '../errors/ops-error.js';
import type { OpsParts } from './ops-parts.js';
import { needCluster, type Route } from './route.js';

/** The routes of configurations and nodes. The `reservedIds`, the first words of paths, cannot be ids of clusters. */
export function clusterRoutes(
  { clusterRepository }: OpsParts,
  reservedIds: () => ReadonlySet<string>,
): readonly Route[] {
  return [
    ...configReads(clusterRepository),
    ...configChanges(clusterRepository, reservedIds),
    trialRoute(clusterRepository),
    ...nodeRoutes(),
  ];
}

function configReads(clusterRepository: ClusterRepository): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/cluster-configs',
      summary: 'The configurations of all clusters by id; passwords are never shown.',
      access: 'viewer',
      reply: v.record(v.string(), clusterConfigReply),
      answer: () => clusterRepository.list(),
    },
    {
      method: 'GET',
      path: '/cluster-configs/{id}',
      summary: 'The configuration of one cluster.',
      access: 'viewer',
      reply: clusterConfigReply,
      answer: ({ params }) => clusterRepository.get(params['id'] ?? ''),
    },
  ];
}

function configChanges(
  clusterRepository: ClusterRepository,
  reservedIds: () => ReadonlySet<string>,
): readonly Route[] {
  const create: Route<v.GenericSchema, typeof configBody> = {
    method: 'POST',
    path: '/cluster-configs',
    summary: 'Adds a cluster to watch; the reply is its id.',
    access: 'operator',
    body: configBody,
    reply: v.string(),
    status: 201,
    answer: ({ body, caller }) => clusterRepository.create(body, reservedIds(), caller),
  };
  const replace: Route<v.GenericSchema, typeof configBody> = {
    method: 'PUT',
    path: '/cluster-configs/{id}',
    summary: 'Replaces the configuration of a cluster; an absent password is kept.',
    access: 'operator',
    body: configBody,
    reply: v.null(),
    answer: ({ params, body, caller }) => clusterRepository.replace(params['id'] ?? '', body, caller),
  };
  const merge: Route<v.GenericSchema, typeof partialConfigBody> = {
    method: 'PUT',
    path: '/cluster-configs/{id}/partial',
    summary: 'Changes some properties of the configuration of a cluster; null removes one.',
    access: 'operator',
    body: partialConfigBody,
    reply: v.null(),
    answer: ({ params, body, caller }) => clusterRepository.merge(params['id'] ?? '', body, caller),
  };
  const remove: Route = {
    method: 'DELETE',
    path: '/cluster-configs/{id}',
    summary: 'Stops watching a cluster and deletes its rules and alerts.',
    access: 'operator',
    reply: v.null(),
    answer: ({ params, caller }) => clusterRepository.remove(params['id'] ?? '', caller),
  };
  return [create, replace, merge, remove];
}

/** Trials at the same time, and those that wait: each takes ten seconds at most. */
const mostTrials = 2;
const mostWaitingTrials = 8;

function trialRoute(clusterRepository: ClusterRepository): Route<v.GenericSchema, typeof configBody> {
  const queue = new WorkQueue({ places: mostTrials, mostWaiting: mostWaitingTrials });
  return {
    method: 'POST',
    path: '/connection-tests',
    changesNothing: true,
    summary:
      'Connects once to a cluster that is not added; an absent password is that of the cluster with the id.',
    access: 'operator',
    body: configBody,
    reply: trialReply,
    answer: async ({ body, whenGone }) => {
      try {
        return await queue.run(1, () => clusterRepository.tryConnection(body), whenGone);
      } catch (error) {
        if (!(error instanceof NotBegun)) throw error;
        throw new OpsError('Unavailable', 'too many connection tests are waiting', { retryAfterSeconds: 10 });
      }
    },
  };
}

function nodeRoutes(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/{cluster_id}/nodes',
      summary: 'The nodes of a cluster.',
      access: 'viewer',
      reply: v.array(nodeReply),
      answer: (_, cluster) => needCluster(cluster).nodes.map(showNode),
    },
    {
      method: 'GET',
      path: '/{cluster_id}/nodes/{ip}',
      summary: 'One node of a cluster.',
      access: 'viewer',
      reply: nodeReply,
      answer: ({ params }, cluster) => showNode(findNode(needCluster(cluster), params['ip'] ?? '')),
    },
  ];
}

function findNode(cluster: Cluster, ip: string): ClusterNode {
  const node = cluster.nodes.find(({ address }) => address === ip);
  if (node !== undefined) return node;
  throw new OpsError('NotFound', `the cluster ${cluster.id} has no node ${JSON.stringify(ip)}`);
}

function showNode(node: ClusterNode): OpsNode {
  const { address, dc, rack, hostname, state, lastSeenMs, loadBytes, os, version } = node;
  const last_seen = lastSeenMs === null ? null : Math.floor(lastSeenMs / 1000);
  return { node_ip: address, dc, rack, hostname, state, last_seen, load: loadBytes, os, version };
}
