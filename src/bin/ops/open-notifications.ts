// Opens the parts that send notices about alerts and events.
import { randomUUID } from 'node:crypto';
import type { Config } from '../../foundation/config/options.js';
import { createAddressPolicy } from '../../foundation/http/address-policy.js';
import { createResolveAddress } from '../../foundation/http/checked-lookup.js';
import { createOpenConnection } from '../../foundation/http/open-connection.js';
import { createSendRequest } from '../../foundation/http/send-request.js';
import { summaryOf } from '../../ops-service/alerts/alert.js';
import type { FiredAlerts } from '../../ops-service/alerts/fired-alerts.js';
import type { RuleRepository } from '../../ops-service/alerts/rule-repository.js';
import type { ClusterRegistry } from '../../ops-service/clusters/registry.js';
import type { EventLog } from '../../ops-service/events/event-log.js';
import { Notifications } from '../../ops-service/notifications/notifications.js';
import type { Store } from '../../ops-service/store/store.js';
import type { OpsSurroundings } from './ops-surroundings.js';

/** The time limit of one attempt to deliver a notice. */
const deliveryTimeoutMs = 10_000;

/** The notifications about alerts and events of all clusters. */
export function openNotifications(
  {
    config,
    clock,
    logger,
    noteWork,
  }: { readonly config: Config } & Pick<OpsSurroundings, 'clock' | 'logger' | 'noteWork'>,
  layers: {
    readonly store: Store;
    readonly events: EventLog;
    readonly clusters: ClusterRegistry;
    readonly rules: RuleRepository;
    readonly alerts: FiredAlerts;
  },
): Notifications {
  const { store, events, clusters, rules, alerts } = layers;
  const policy = createAddressPolicy({ deny: config.denyAddress, allow: config.allowAddress });
  const notifications = new Notifications({
    store,
    clock,
    logger,
    random: Math.random,
    newId: randomUUID,
    surroundings: {
      sendRequest: createSendRequest(policy),
      connect: createOpenConnection(policy),
      resolve: createResolveAddress(policy),
      timeoutMs: deliveryTimeoutMs,
      consoleUrl: config.consoleUrl,
      nowMs: () => clock.nowMs(),
    },
    retryHours: config.notifyRetryHours,
    noteWork,
    appendEvent: (clusterId, event) => void events.append(clusterId, event),
    currentAlert: (clusterId, id) => alerts.find(clusterId, id),
    currentRule: (clusterId, id) => {
      const rule = rules.find(clusterId, id);
      return rule === undefined ? undefined : summaryOf(rule);
    },
    hasRule: (clusterId, id) => rules.find(clusterId, id) !== undefined,
    isNodeDown: (clusterId, node) =>
      clusters.find(clusterId)?.nodes.some(({ address, state }) => address === node && state === 'down') ??
      false,
  });
  events.subscribe((appended) => notifications.pipeline.accept(appended));
  return notifications;
}
