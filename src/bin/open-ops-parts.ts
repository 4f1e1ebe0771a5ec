// Puts the parts of the operations service together: tables, events, clusters, routes, and what happens every second.
import { randomUUID } from 'node:crypto';
import { hostname, release, type } from 'node:os';
import { join } from 'node:path';
import { createAddressPolicy } from '../foundation/http/address-policy.js';
import type { Health, HealthStatus } from '../foundation/http/health.js';
import { createOpenConnection } from '../foundation/http/open-connection.js';
import { createSendRequest } from '../foundation/http/send-request.js';
import type { Clock } from '../foundation/telemetry/clock.js';
import type { Logger } from '../foundation/telemetry/logger.js';
import type { DataServiceLink } from '../ops-service/clusters/data-service-link.js';
import { LocalCluster } from '../ops-service/clusters/local-cluster.js';
import { ClusterRegistry } from '../ops-service/clusters/registry.js';
import { EventLog } from '../ops-service/events/event-log.js';
import { eventMigrations } from '../ops-service/events/event-tables.js';
import { createOpsRoutes } from '../ops-service/http/routes.js';
import { notificationMigrations } from '../ops-service/notifications/notification-tables.js';
import { Notifications } from '../ops-service/notifications/notifications.js';
import type { Migration } from '../ops-service/store/migration.js';
import { openStore } from '../ops-service/store/open-store.js';
import type { Store } from '../ops-service/store/store.js';
import type { OpsThreadData, SchemaNews } from './ops-messages.js';

/** The tables of all layers. */
const migrations: readonly Migration[] = [...eventMigrations, ...notificationMigrations];

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
      metricsAccess: config,
      figures: () => ({ connections: parts.connections(), replies }),
    },
    {
      ownHosts: [config.opsHost, ...config.allowedHosts],
      token: config.token,
      newId: randomUUID,
      logger,
    },
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
function openLayers({ data, clock, logger }: OpsSurroundings) {
  const store = openStore(join(data.opsDir, 'ops.db'), migrations, logger);
  const events = new EventLog(store, clock, logger);
  const facts = { hostname: hostname(), os: `${type()} ${release()}`, version: data.version };
  const local = new LocalCluster(facts, clock);
  const clusters = new ClusterRegistry(local);
  const notifications = openNotifications({ data, clock, logger }, { store, events, clusters });
  /** What happens every second, in this order. */
  const ticks: readonly (() => void)[] = [
    () => store.flush(),
    () => events.tick(),
    () => notifications.tick(),
  ];
  return { store, events, local, clusters, notifications, ticks };
}

/** Notices of alerts and events of all clusters. */
function openNotifications(
  { data, clock, logger }: Omit<OpsSurroundings, 'dataService'>,
  layers: { readonly store: Store; readonly events: EventLog; readonly clusters: ClusterRegistry },
): Notifications {
  const { store, events, clusters } = layers;
  const policy = createAddressPolicy({ deny: data.config.denyAddress, allow: data.config.allowAddress });
  const notifications = new Notifications({
    store,
    clock,
    logger,
    random: Math.random,
    newId: randomUUID,
    surroundings: {
      sendRequest: createSendRequest(policy),
      connect: createOpenConnection(policy),
      timeoutMs: deliveryTimeoutMs,
    },
    retryHours: data.config.notifyRetryHours,
    appendEvent: (clusterId, event) => void events.append(clusterId, event),
    currentAlert: () => undefined,
    isNodeDown: (clusterId, node) =>
      clusters.find(clusterId)?.nodes.some(({ address, state }) => address === node && state === 'down') ??
      false,
  });
  events.subscribe((clusterId, event) => notifications.pipeline.acceptEvent(clusterId, event));
  return notifications;
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

/** For one attempt to deliver a notice. */
const deliveryTimeoutMs = 10_000;

/** Commands of the data service carry no login, and their address does not reach the engine. */
const dataClient = { user: '', address: '127.0.0.1' };
