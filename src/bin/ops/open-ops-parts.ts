// Opens the parts of the operations service: tables, events, clusters, routes, and the work of each second.
import { randomBytes, randomUUID } from 'node:crypto';
import { hostname, release, type } from 'node:os';
import { engines } from '../../foundation/config/engines/registry.js';
import type { Config } from '../../foundation/config/options.js';
import { type Health, type HealthStatus, noteProblem } from '../../foundation/http/health.js';
import { hostOfAuthority } from '../../foundation/http/hosts.js';
import type { PortAddresses } from '../../foundation/http/web-pages.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import { waitAtMost } from '../../foundation/wait-at-most.js';
import { LoginThrottle } from '../../ops-service/access/login-throttle.js';
import { type SessionParts, Sessions } from '../../ops-service/access/sessions.js';
import { type KnownUsers, Users, usersOf } from '../../ops-service/access/users.js';
import { RequestQueue } from '../../ops-service/actions/request-queue.js';
import { RecentChanges } from '../../ops-service/alerts/recent-changes.js';
import { forgetNodes } from '../../ops-service/clusters/cassandra/node-memory.js';
import { ClusterRepository } from '../../ops-service/clusters/cluster-repository.js';
import { LocalCluster, type LocalFacts } from '../../ops-service/clusters/local-cluster.js';
import { ClusterRegistry } from '../../ops-service/clusters/registry.js';
import type { SchemaNews } from '../../ops-service/clusters/schema-news.js';
import type { AppendEvent } from '../../ops-service/events/event.js';
import { EventLog } from '../../ops-service/events/event-log.js';
import type { ConsoleFacts } from '../../ops-service/http/console-routes.js';
import { EventStreams } from '../../ops-service/http/event-streams.js';
import { createOpsRoutes } from '../../ops-service/http/routes.js';
import { findMetricKey } from '../../ops-service/metrics/metric-keys.js';
import type { Notifications } from '../../ops-service/notifications/notifications.js';
import { openStore } from '../../ops-service/store/open-store.js';
import type { Store } from '../../ops-service/store/store.js';
import { findConsoleFiles } from './find-console-files.js';
import { finishInterrupted } from './finish-interrupted.js';
import { openCassandraCluster, tryCassandraConnection } from './open-cassandra-cluster.js';
import { openJudging, openLocalMetrics } from './open-judging.js';
import { openNotifications } from './open-notifications.js';
import { type OpsThreadData, opsFile } from './ops-messages.js';
import { opsMigrations } from './ops-migrations.js';
import type { OpsSurroundings } from './ops-surroundings.js';

/** The operations service without its port. */
export interface OpenOpsParts extends ReturnType<typeof createOpsRoutes> {
  readonly local: LocalCluster;
  readonly events: EventLog;
  countReply(status: number): void;
  setHealth(status: HealthStatus): void;
  noteDataProblem(problem: string | undefined): void;
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
      pid: process.pid,
      version: data.version,
      isSecure: data.tls !== undefined,
      ...factsOfConsole(config),
      metricsAccess: config,
      figures: () => ({
        connections: surroundings.connectionCount(),
        replies,
        waitingRecordings: store.waitingCount,
        lostRecordings: store.losses,
        unfollowedAlerts: notifications.pipeline.unfollowedCount,
        turns: surroundings.turns(),
      }),
    },
    { ...portOf(data), token: config.token, newId: randomUUID, logger },
  );
  const parts: OpenOpsParts = {
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
    noteDataProblem: (problem) => noteProblem(health, 'data', problem),
    schemaChanged: ({ message, sender = dataClient, ...names }) => {
      local.names = names;
      events.append('local', { action: 'schemaChanged', level: 'INFO', message, caller: sender });
    },
    renewUsers: (users) => renewUsers(users, layers),
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
  return parts;
}

function portOf({ config: { opsHost, allowedHosts, consoleUrl }, tls }: OpsThreadData): PortAddresses {
  const own = { ownHosts: [opsHost, ...allowedHosts], isSecure: tls !== undefined };
  if (consoleUrl === undefined) return own;
  const { origin, host } = new URL(consoleUrl);
  return { ...own, ownHosts: [...own.ownHosts, hostOfAuthority(host) ?? host], publicOrigin: origin };
}

function renewUsers(known: KnownUsers, { users, sessions, streams }: ReturnType<typeof openLayers>): void {
  const wasOpen = users.isEmpty;
  sessions.endOf(users.replace(known));
  if (wasOpen && !users.isEmpty) streams.endSession(undefined);
}

/** Access to the port: the configured users, and the stored sessions. */
function openAccess(config: Config, parts: Pick<SessionParts, 'store' | 'clock' | 'onEnd'>) {
  const users = new Users(usersOf(config));
  const newId = () => randomBytes(32).toString('hex');
  return {
    users,
    sessions: new Sessions({ ...parts, users, newId }),
    loginThrottle: new LoginThrottle(parts.clock),
  };
}

/** The parts that the others need: the file, events, access, clusters. */
function openBase(surroundings: OpsSurroundings) {
  const { data, clock, logger, dataService } = surroundings;
  const store = openStore(opsFile(data.opsDir), opsMigrations, logger);
  const events = new EventLog(store, clock, logger);
  const streams = new EventStreams(clock);
  const onEnd = (session: string) => streams.endSession(session);
  const access = openAccess(data.config, { store, clock, onEnd });
  const local = new LocalCluster(factsOf(data), clock, openLocalMetrics(surroundings), dataService);
  const clusters = new ClusterRegistry(local, logger);
  return { store, events, streams, ...access, local, clusters };
}

/** The other parts, in the order of their dependencies. */
function openLayers(surroundings: OpsSurroundings) {
  const { data, clock, logger } = surroundings;
  const base = openBase(surroundings);
  const { store, events, clusters } = base;
  const appendEvent: AppendEvent = (clusterId, event) => events.append(clusterId, event);
  const around = { config: data.config, clock, logger, store, appendEvent };
  const judging = openJudging(surroundings, {
    store,
    events,
    clusters,
    newId: randomUUID,
    onRuleChange: (clusterId, ruleId) => notifications.pipeline.ruleChanged(clusterId, ruleId),
  });
  const { rules, alerts, series } = judging;
  const notifications: Notifications = openNotifications(
    { config: data.config, clock, logger, noteWork: surroundings.noteWork },
    { store, events, clusters, rules, alerts },
  );
  // After the notifications, which must get the events about actions that the end of the last process interrupted.
  const requests = new RequestQueue({ ...around, clusters, newId: randomUUID });
  const forgetCluster = (id: string) => {
    for (const part of [alerts, rules, series, notifications, requests]) part.forgetCluster(id);
    forgetNodes(store, id);
  };
  const clusterRepository = new ClusterRepository({
    store,
    events,
    registry: clusters,
    makeCluster: (config) => openCassandraCluster(config, around),
    tryConnection: (config) => tryCassandraConnection(config, around),
    forgetCluster,
  });
  finishInterrupted({ ...around, migrations: opsMigrations, clusters, rules, notifications, forgetCluster });
  const recentChanges = new RecentChanges(events);
  /** The functions to call every second, in this order. */
  const ticks: readonly (() => void)[] = [
    () => store.tick(),
    () => base.sessions.tick(),
    () => events.tick(),
    () => clusters.tick(),
    ...judging.ticks,
    passOnProblem(store, surroundings),
    () => requests.tick(),
    () => notifications.tick(),
    () => base.streams.tick(),
  ];
  return {
    ...base,
    clusterRepository,
    clock,
    judging,
    rules,
    alerts,
    series,
    requests,
    notifications,
    recentChanges,
    ticks,
  };
}

/** Also reports to the data port whether the file can be written. */
function passOnProblem(store: Store, { dataService, logger }: OpsSurroundings): () => void {
  let known = store.problem;
  return () => {
    if (store.problem === known) return;
    known = store.problem;
    dataService
      .call('noteOpsProblem', known)
      .catch((err) => logger.error({ err }, 'a problem could not be reported to the data port'));
  };
}

function factsOf({ version }: OpsThreadData): LocalFacts {
  const metricSource = (key: string) => findMetricKey(key)?.local;
  return { hostname: hostname(), os: `${type()} ${release()}`, version, metricSource };
}

function factsOfConsole({ dialect, engine, collections, token, consoleUrl = '' }: Config) {
  const { hasDocuments, hasTextIndexes, hasUsers } = engines[engine].capabilities;
  const needsToken = token !== undefined;
  const consoleFacts: ConsoleFacts = {
    dialect,
    engine,
    canHaveCollections: hasDocuments,
    hasCollections: hasDocuments && collections === 'on',
    hasTextIndexes: hasTextIndexes && dialect === 'extended',
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
