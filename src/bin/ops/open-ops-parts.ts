// Opens the parts of the operations service: tables, events, clusters, routes, and the work of each second.
import { engines } from '../../foundation/config/engines/registry.js';
import type { Config } from '../../foundation/config/options.js';
import {
  type DataProblem,
  type Health,
  type HealthStatus,
  noteProblem,
} from '../../foundation/http/health.js';
import { hostOfAuthority } from '../../foundation/http/hosts.js';
import type { PortAddresses } from '../../foundation/http/web-pages.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import { waitAtMost } from '../../foundation/wait-at-most.js';
import type { KnownUsers } from '../../ops-service/access/users.js';
import { RequestQueue } from '../../ops-service/actions/request-queue.js';
import { RecentChanges } from '../../ops-service/alerts/recent-changes.js';
import type { ArchiveFigures } from '../../ops-service/clusters/archive-watch.js';
import { forgetNodes } from '../../ops-service/clusters/cassandra/node-memory.js';
import { ClusterRepository } from '../../ops-service/clusters/cluster-repository.js';
import type { FollowFigures } from '../../ops-service/clusters/follow-watch.js';
import type { LocalCluster } from '../../ops-service/clusters/local-cluster.js';
import type { SchemaNews } from '../../ops-service/clusters/schema-news.js';
import type { EventLog } from '../../ops-service/events/event-log.js';
import type { ConsoleFacts } from '../../ops-service/http/ops-parts.js';
import { createOpsRoutes } from '../../ops-service/http/routes.js';
import type { Notifications } from '../../ops-service/notifications/notifications.js';
import { findConsoleFiles } from './find-console-files.js';
import { finishInterrupted } from './finish-interrupted.js';
import { openCassandraCluster, tryCassandraConnection } from './open-cassandra-cluster.js';
import { openJudging } from './open-judging.js';
import { openNotifications } from './open-notifications.js';
import { openSharedParts, type SharedParts } from './open-shared-parts.js';
import type { OpsThreadData } from './ops-messages.js';
import { opsMigrations } from './ops-migrations.js';
import type { OpsSurroundings } from './ops-surroundings.js';

/** The operations service without its port. */
export interface OpenOpsParts extends ReturnType<typeof createOpsRoutes> {
  readonly local: LocalCluster;
  readonly events: EventLog;
  countReply(status: number): void;
  setHealth(status: HealthStatus): void;
  noteDataProblem(noted: DataProblem): void;
  noteArchive(figures: ArchiveFigures): void;
  noteFollow(figures: FollowFigures): void;
  schemaChanged(news: SchemaNews): void;
  /**
   * Replaces the users of the configuration: sessions and streams of removed or changed users end.
   * @throws OpsError when there were users and none are left; then nothing changes
   */
  renewUsers(users: KnownUsers): void;
  /** Called every second. */
  tick(): void;
  /** Resolves when all work that the ticks started has ended. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The time to wait for nodes that do not answer and for long steps of actions. After it the end of the service is
 * recorded without them, and the next start finds an action interrupted. Together with the second for notices, this is
 * less than the time after which the thread is terminated.
 */
const settleMs = 1000;

/** Opens the file and the parts. @throws DatabaseFailure */
export function openOpsParts(surroundings: OpsSurroundings): OpenOpsParts {
  const layers = openLayers(surroundings);
  const { store, events, clusters, local, requests, notifications } = layers;
  const { dataService, data, logger } = surroundings;
  const { config } = data;
  const health: Health = { status: 'starting', problems: new Map() };
  const replies = new Map<number, number>();
  const routes = createOpsRoutes(
    {
      ...layers,
      health,
      dataService,
      archiveFacts: config,
      pid: process.pid,
      version: data.version,
      isSecure: data.tls !== undefined,
      ...factsOfConsole(config),
      metricsAccess: config,
      figures: () => figuresOf(surroundings, layers, replies),
    },
    {
      ...portOf(data),
      ...{ token: config.token, newId: layers.newId, logger, whyReadOnly: whyReadOnly(config) },
    },
  );
  return {
    ...routes,
    local,
    events,
    countReply: (status) => void replies.set(status, (replies.get(status) ?? 0) + 1),
    setHealth: (status) => {
      if (status === 'ready') record(layers, 'serviceStarted', `Colonnade ${data.version} started`);
      health.status = status;
      // Programs do not get the terminal's signals, and a second signal ends this process before `close` could stop
      // them.
      if (status === 'stopping') void requests.close();
    },
    noteDataProblem: (noted) => noteDataProblem(noted, health, local),
    noteArchive: (figures) => local.archive.note(figures),
    noteFollow: (figures) => local.follow.note(figures),
    schemaChanged: ({ message, sender = dataClient, ...names }) => {
      local.names = names;
      events.append('local', { action: 'schemaChanged', level: 'INFO', message, caller: sender });
    },
    renewUsers: (users) => layers.sessions.replaceUsers(users),
    tick: () => tickAll(layers.ticks, logger),
    settled: async () => {
      await layers.judging.settled();
      await notifications.pipeline.settled();
    },
    close: async () => {
      await waitAtMost(settleMs, Promise.all([layers.judging.settled(), requests.close(), clusters.close()]));
      if (health.status !== 'starting') record(layers, 'serviceStopped', `Colonnade ${data.version} stopped`);
      await notifications.close();
      store.close();
    },
  };
}

/** What the page of metrics shows of the operations service itself. */
function figuresOf(
  surroundings: OpsSurroundings,
  { store, notifications }: ReturnType<typeof openLayers>,
  replies: ReadonlyMap<number, number>,
) {
  return {
    connections: surroundings.connectionCount(),
    replies,
    waitingRecordings: store.waitingCount,
    lostRecordings: store.losses,
    unfollowedAlerts: notifications.pipeline.unfollowedCount,
    turns: surroundings.turns(),
  };
}

/** Notes it for health replies, and for the state of the node of `local`. */
function noteDataProblem({ part, problem }: DataProblem, health: Health, { storage }: LocalCluster): void {
  noteProblem(health, part, problem);
  storage.note(outageOf(health));
}

/** Why the storage of this server does not work; undefined if it does. */
function outageOf({ problems }: Health): string | undefined {
  const unreachable = problems.get('storage');
  if (unreachable === undefined) return problems.get('data');
  return `the Cassandra cluster of this server cannot be reached: ${unreachable}`;
}

function portOf({ config: { opsHost, allowedHosts, consoleUrl }, tls }: OpsThreadData): PortAddresses {
  const own = { ownHosts: [opsHost, ...allowedHosts], isSecure: tls !== undefined };
  if (consoleUrl === undefined) return own;
  const { origin, host } = new URL(consoleUrl);
  return { ...own, ownHosts: [...own.ownHosts, hostOfAuthority(host) ?? host], publicOrigin: origin };
}

/** Why a follower refuses changes; undefined for other servers. */
function whyReadOnly({ follow }: Config): string | undefined {
  if (follow === undefined) return undefined;
  return (
    `this server follows the archive ${follow}: rules, channels, silences, clusters and keys are changed at the ` +
    'server that writes it, and are here when this one is promoted'
  );
}

/** All parts, in the order of their dependencies. */
function openLayers(surroundings: OpsSurroundings) {
  const shared = openSharedParts(surroundings);
  const { store, events, clusters } = shared;
  const judging = openJudging(shared, (clusterId, ruleId) =>
    notifications.pipeline.ruleChanged(clusterId, ruleId),
  );
  const { rules, alerts, series } = judging;
  const notifications: Notifications = openNotifications(shared, judging);
  // After the notifications, which must get the events about actions that the end of the last process interrupted.
  const requests = new RequestQueue(shared);
  const forgetCluster = (id: string) => {
    for (const part of [alerts, rules, series, notifications, requests]) part.forgetCluster(id);
    forgetNodes(store, id);
  };
  const clusterRepository = new ClusterRepository({
    store,
    events,
    registry: clusters,
    makeCluster: (config) => openCassandraCluster(config, shared),
    tryConnection: (config) => tryCassandraConnection(config, shared),
    forgetCluster,
  });
  finishInterrupted({ ...shared, migrations: opsMigrations, rules, notifications, forgetCluster });
  const recentChanges = new RecentChanges(events);
  /** The functions to call every second, in this order. */
  const ticks: readonly (() => void)[] = [
    () => store.tick(),
    () => shared.sessions.tick(),
    () => events.tick(),
    () => clusters.tick(),
    ...judging.ticks,
    passOnProblem(shared),
    () => requests.tick(),
    () => notifications.tick(),
    () => shared.streams.tick(),
  ];
  return {
    ...shared,
    ...{ clusterRepository, judging, rules, alerts, series, requests, notifications, recentChanges, ticks },
  };
}

/** Also reports to the data port whether the file can be written. */
function passOnProblem({ store, dataService, logger }: SharedParts): () => void {
  let known = store.problem;
  return () => {
    if (store.problem === known) return;
    known = store.problem;
    dataService
      .call('noteOpsProblem', known)
      .catch((err) => logger.error({ err }, 'a problem could not be reported to the data port'));
  };
}

function factsOfConsole({ dialect, engine, collections, token, consoleUrl = '' }: Config) {
  const { hasUsers } = engines[engine].capabilities;
  const needsToken = token !== undefined;
  const consoleFacts: ConsoleFacts = {
    dialect,
    engine,
    hasCollections: collections === 'on',
    hasTextIndexes: dialect === 'extended',
    hasClusterUsers: hasUsers,
    needsToken,
    consoleUrl,
  };
  return { consoleFiles: findConsoleFiles(), consoleFacts };
}

function record(
  { events }: { readonly events: EventLog },
  action: 'serviceStarted' | 'serviceStopped',
  message: string,
): void {
  events.append('local', { action, level: 'INFO', message });
}

function tickAll(ticks: readonly (() => void)[], logger: Logger): void {
  for (const tick of ticks) {
    try {
      tick();
    } catch (err) {
      // The other parts must continue.
      logger.error({ err }, 'a part of the operations service failed in its tick');
    }
  }
}

/** Commands of the data service have no login, and the engine does not get their address. */
const dataClient = { user: '', address: '127.0.0.1' };
