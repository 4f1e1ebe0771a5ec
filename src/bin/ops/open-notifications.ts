// Opens the parts that send notices about alerts and events.
import { createAddressPolicy } from '../../foundation/http/address-policy.js';
import { createResolveAddress } from '../../foundation/http/checked-lookup.js';
import { createOpenConnection } from '../../foundation/http/open-connection.js';
import { createSendRequest } from '../../foundation/http/send-request.js';
import { summaryOf } from '../../ops-service/alerts/alert.js';
import { Notifications } from '../../ops-service/notifications/notifications.js';
import type { OpenJudging } from './open-judging.js';
import type { SharedParts } from './open-shared-parts.js';

/** The time limit of one attempt to deliver a notice. */
const deliveryTimeoutMs = 10_000;

/** The notifications about alerts and events of all clusters. */
export function openNotifications(shared: SharedParts, { rules, alerts }: OpenJudging): Notifications {
  const { config, clock, events, clusters } = shared;
  const policy = createAddressPolicy({ deny: config.denyAddress, allow: config.allowAddress });
  const notifications = new Notifications({
    ...shared,
    surroundings: {
      sendRequest: createSendRequest(policy),
      connect: createOpenConnection(policy),
      resolve: createResolveAddress(policy),
      timeoutMs: deliveryTimeoutMs,
      consoleUrl: config.consoleUrl,
      nowMs: () => clock.nowMs(),
    },
    retryHours: config.notifyRetryHours,
    currentAlert: (clusterId, id) => alerts.find(clusterId, id),
    currentRule: (clusterId, id) => {
      const rule = rules.find(clusterId, id);
      return rule === undefined ? undefined : summaryOf(rule);
    },
    hasRule: (clusterId, id) => rules.find(clusterId, id) !== undefined,
    measuresDownNodes: (clusterId) => clusters.measuresDownNodes(clusterId),
    isNodeDown: (clusterId, node) => clusters.isNodeDown(clusterId, node),
  });
  events.subscribe(notifications.pipeline.accept);
  return notifications;
}
