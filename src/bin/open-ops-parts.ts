// Puts the parts of the operations service together: tables, events, clusters, routes, and what happens every second.
import { randomUUID } from 'node:crypto';
import { hostname, release, type } from 'node:os';
import { join } from 'node:path';
import type { Health, HealthStatus } from '../foundation/http/health.js';
import type { Clock } from '../foundation/telemetry/clock.js';
import type { Logger } from '../foundation/telemetry/logger.js';
import { sessionMigrations } from '../ops-service/access/sessions.js';
import { ClusterBook, clusterMigrations } from '../ops-service/clusters/cluster-book.js';
import type { ClusterConfig } from '../ops-service/clusters/cluster-config.js';
import type { DataServiceLink } from '../ops-service/clusters/data-service-link.js';
import { LocalCluster } from '../ops-service/clusters/local-cluster.js';
import { ClusterRegistry } from '../ops-service/clusters/registry.js';
import { UnreachedCluster } from '../ops-service/clusters/unreached-cluster.js';
import { EventLog } from '../ops-service/events/event-log.js';
import { eventMigrations } from '../ops-service/events/event-tables.js';
import { EventStreams } from '../ops-service/http/event-streams.js';
import { createOpsRoutes } from '../ops-service/http/routes.js';
import type { AlertSource } from '../ops-service/http/stream-routes.js';
import { notificationMigrations } from '../ops-service/notifications/notification-tables.js';
import type { Migration } from '../ops-service/store/migration.js';
import { openStore } from '../ops-service/store/open-store.js';
import { openAccess } from './open-access.js';
import { openNotifications } from './open-notifications.js';
import type { OpsThreadData, SchemaNews } from './ops-messages.js';

/** The tables of all layers. */
const migrations: readonly Migration[] = [
  ...eventMigrations,
  ...sessionMigrations,
  ...clusterMigrations,
  ...notificationMigrations,
];

/** What the parts stand on. */
export interface OpsSurroundings {
  readonly data: OpsThreadData;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataService: DataServiceLink;
}

/** The operations service without its port. */
export interface OpenOpsParts extends ReturnType<typeof createOpsRoutes> {
  readonly local: LocalCluster;
  readonly events: EventLog;
  /** Whoever listens says how many connections there are. */
  connections: () => number;
  countReply(status: number): void;
  setHealth(status: HealthStatus): void;
  schemaChanged(news: SchemaNews): void;
  /** Called every second. */
  tick(): void;
  close(): Promise<void>;
}

/** Opens the file and puts the parts together. @throws DatabaseFailure */
export function openOpsParts(surroundings: OpsSurroundings): OpenOpsParts {
  const layers = openLayers(surroundings);
  const { store, events, clusters, local, notifications } = layers;
  const { dataService, data, logger } = surroundings;
  const { config } = data;
  const health: Health = { status: 'starting' };
  const replies = new Map<number, number>();
  const routes = createOpsRoutes(
    {
      ...layers,
      health,
      dataService,
      pid: process.pid,
      version: data.version,
      isSecure: data.tls !== undefined,
      metricsAccess: config,
      figures: () => ({ connections: parts.connections(), replies }),
    },
    { ownHosts: [config.opsHost, ...config.allowedHosts], token: config.token, newId: randomUUID, logger },
  );
  const parts: OpenOpsParts = {
    ...routes,
    local,
    events,
    connections: () => 0,
    countReply: (status) => void replies.set(status, (replies.get(status) ?? 0) + 1),
    setHealth: (status) => {
      if (status === 'ready') record(layers, 'serviceStarted', `Colonnade ${data.version} started`);
      health.status = status;
    },
    schemaChanged: ({ message, tables }) => {
      local.tables = tables;
      events.append('local', { action: 'schemaChanged', level: 'INFO', message, caller: dataClient });
    },
    tick: () => tickAll(layers.ticks, logger),
    close: async () => {
      await clusters.close();
      if (health.status !== 'starting') record(layers, 'serviceStopped', `Colonnade ${data.version} stopped`);
      await notifications.close();
      store.close();
    },
  };
  return parts;
}

/** The parts that do the work, each upon those before it. */
function openLayers({ data, clock, logger, dataService }: OpsSurroundings) {
  const store = openStore(join(data.opsDir, 'ops.db'), migrations, logger);
  const events = new EventLog(store, clock, logger);
  const access = openAccess(data.config, store, clock);
  const facts = { hostname: hostname(), os: `${type()} ${release()}`, version: data.version };
  const local = new LocalCluster(facts, clock, dataService);
  const clusters = new ClusterRegistry(local, logger);
  const makeCluster = (config: ClusterConfig) => new UnreachedCluster(config);
  const clusterBook = new ClusterBook({ store, events, registry: clusters, makeCluster });
  const alerts: AlertSource = { list: () => [], subscribe: () => () => {} };
  const notifications = openNotifications(
    { config: data.config, clock, logger },
    { store, events, clusters },
  );
  clusters.onRemove((id) => notifications.forgetCluster(id));
  const streams = new EventStreams(clock);
  access.sessions.onEnd((session) => streams.endSession(session));
  /** What happens every second, in this order. */
  const ticks: readonly (() => void)[] = [
    () => store.flush(),
    () => access.sessions.tick(),
    () => events.tick(),
    () => notifications.tick(),
    () => streams.tick(),
  ];
  return { store, events, ...access, local, clusters, clusterBook, alerts, notifications, streams, ticks };
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
      // The other parts must go on.
      logger.error({ err }, 'a part of the operations service failed in its tick');
    }
  }
}

/** Commands of the data service carry no login, and their address does not reach the engine. */
const dataClient = { user: '', address: '127.0.0.1' };
