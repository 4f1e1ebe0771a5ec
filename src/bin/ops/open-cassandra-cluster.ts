// Opens a monitored Cassandra cluster from its configuration.

import type { ConnectionTrial } from '../../descriptions/operations-replies.js';
import { openSession } from '../../foundation/cassandra/open-session.js';
import { probeNode } from '../../foundation/cassandra/probe-node.js';
import type { SessionOptions } from '../../foundation/cassandra/session.js';
import { programEnvironment } from '../../foundation/config/load-config.js';
import type { Config } from '../../foundation/config/options.js';
import { type AddressPolicy, createAddressPolicy } from '../../foundation/http/address-policy.js';
import { createResolveAddress } from '../../foundation/http/checked-lookup.js';
import { createSendRequest } from '../../foundation/http/send-request.js';
import { waitAtMost } from '../../foundation/wait-at-most.js';
import { CassandraCluster } from '../../ops-service/clusters/cassandra/cassandra-cluster.js';
import { ExporterWatch } from '../../ops-service/clusters/cassandra/exporter-watch.js';
import { managementApiActions } from '../../ops-service/clusters/cassandra/management-api-actions.js';
import type { NodeActions } from '../../ops-service/clusters/cassandra/node-actions.js';
import { nodeMemory } from '../../ops-service/clusters/cassandra/node-memory.js';
import { probeIntervalMs } from '../../ops-service/clusters/cassandra/node-watch.js';
import { nodetoolActions } from '../../ops-service/clusters/cassandra/nodetool-actions.js';
import { type ClusterConfig, splitSeeds } from '../../ops-service/clusters/cluster-config.js';
import { findMetricKey, prometheusSource } from '../../ops-service/metrics/metric-keys.js';
import type { SharedParts } from './open-shared-parts.js';

/** The parts that all clusters share. */
export type ClusterSurroundings = Pick<SharedParts, 'config' | 'clock' | 'logger' | 'store' | 'appendEvent'>;

/** Less than a client waits for its reply. */
const trialTimeoutMs = 10_000;
const defaultNativePort = 9042;
const defaultJmxPort = 7199;
const defaultManagementPort = 8080;
const queryTimeoutMs = 5_000;

/** Connects once to the cluster of a configuration. */
export async function tryCassandraConnection(
  { cassandra }: ClusterConfig,
  { config }: Pick<ClusterSurroundings, 'config'>,
): Promise<ConnectionTrial> {
  const session = openSession(sessionOptionsOf(cassandra, policyOf(config)));
  try {
    let reason: string | undefined = `no connection within ${trialTimeoutMs / 1000} s`;
    const connecting = session.connect().then((problem) => {
      reason = problem;
    });
    await waitAtMost(trialTimeoutMs, connecting);
    if (reason !== undefined) return { outcome: 'failed', reason, nodes: [] };
    const nodes = session.hosts.map(({ address, dc, rack, release }) => ({
      ...{ node_ip: address, dc, rack },
      version: release,
    }));
    return { outcome: 'connected', reason: '', nodes };
  } finally {
    void session.close();
  }
}

function policyOf({ denyAddress, allowAddress }: Config): AddressPolicy {
  return createAddressPolicy({ deny: denyAddress, allow: allowAddress });
}

function sessionOptionsOf(
  {
    seed_hosts: seeds,
    native_port: port = defaultNativePort,
    username,
    password,
  }: ClusterConfig['cassandra'],
  policy: AddressPolicy,
): SessionOptions {
  const contactPoints = splitSeeds(seeds);
  return { contactPoints, port, username, password, timeoutMs: queryTimeoutMs, policy };
}

/** The cluster of a configuration; it opens no connection before its first tick. */
export function openCassandraCluster(config: ClusterConfig, around: ClusterSurroundings): CassandraCluster {
  const { id, cassandra } = config;
  const seeds = splitSeeds(cassandra.seed_hosts);
  const port = cassandra.native_port ?? defaultNativePort;
  const policy = policyOf(around.config);
  const exporters = openExporters(config, around, policy);
  return new CassandraCluster({
    id,
    seeds,
    clock: around.clock,
    logger: around.logger,
    memory: nodeMemory(around.store, id),
    appendEvent: around.appendEvent,
    session: openSession(sessionOptionsOf(cassandra, policy)),
    probe: (address) => probeNode({ address, port }, probeIntervalMs, policy),
    actions: openActions(config, around, policy),
    exporters,
    metricSource: (key) => sourceOf(key, exporters),
    loadRenderValue: async () =>
      (await import('../../data-service/column-types/render-cql-value.js')).renderCqlValue,
  });
}

/** Metrics of exporters are available if an exporter returned them recently. */
function sourceOf(key: string, exporters: ExporterWatch | undefined): string | undefined {
  const source = findMetricKey(key)?.cassandra;
  return source === prometheusSource && exporters?.gives(key) !== true ? undefined : source;
}

function openExporters(
  { id, metrics }: ClusterConfig,
  { clock, logger }: ClusterSurroundings,
  policy: AddressPolicy,
): ExporterWatch | undefined {
  if (metrics?.prometheus === undefined) return undefined;
  return new ExporterWatch({
    url: metrics.prometheus,
    sendRequest: createSendRequest(policy),
    clock,
    onProblem: (node, problem, error) =>
      logger.warn(
        { cluster: id, node, problem, ...(error === undefined ? {} : { err: error }) },
        'the Prometheus exporter of a node cannot be read; the next reading tries again',
      ),
  });
}

function openActions(
  { actions }: ClusterConfig,
  { config, clock }: ClusterSurroundings,
  policy: AddressPolicy,
): NodeActions | undefined {
  switch (actions?.kind) {
    case undefined:
      return undefined;
    case 'nodetool':
      return config.nodetool === undefined
        ? undefined
        : nodetoolActions({
            words: config.nodetool,
            places: config.nodetoolNodes ?? {},
            port: actions.port ?? defaultJmxPort,
            environment: programEnvironment(),
            resolveAddress: createResolveAddress(policy),
          });
    case 'management-api':
      return managementApiActions({
        port: actions.port ?? defaultManagementPort,
        sendRequest: createSendRequest(policy),
        clock,
        sleep,
      });
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(settle, ms);
    function settle(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', settle);
      resolve();
    }
    signal.addEventListener('abort', settle);
  });
}
