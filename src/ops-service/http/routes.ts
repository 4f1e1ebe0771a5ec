// All routes of the operations service, and what answers a request before and behind them.
import type { HeadHandler, HttpHandler, HttpReply, StreamReply } from '../../foundation/http/http-handler.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { ClusterRegistry } from '../clusters/registry.js';
import { type AccessOptions, createAccess } from './access.js';
import { channelRoutes } from './channel-routes.js';
import { type EventParts, eventRoutes } from './event-routes.js';
import { createGuard } from './guard.js';
import { type NotificationRouteParts, notificationRoutes } from './notification-routes.js';
import { type ProcessParts, processRoutes } from './process-routes.js';
import type { Route } from './route.js';
import { createRouter } from './router.js';

/** Everything that the routes answer from. */
export interface OpsParts extends ProcessParts, EventParts, NotificationRouteParts {
  readonly clusters: ClusterRegistry;
}

/** How the port is reached. */
export interface OpsPortOptions extends AccessOptions {
  /** The names under which it is served, beside loopback: lower case, IPv6 without brackets. */
  readonly ownHosts: readonly string[];
  /** A UUID for each fault. */
  readonly newId: () => string;
  readonly logger: Logger;
}

/** The routes. */
export function allRoutes(parts: OpsParts): readonly Route[] {
  return [
    ...processRoutes(parts),
    ...eventRoutes(parts),
    ...notificationRoutes(parts),
    ...channelRoutes(parts),
  ];
}

/** What the listener asks: `answerHead` refuses strangers, `answer` does the rest. */
export function createOpsRoutes(
  parts: OpsParts,
  options: OpsPortOptions,
): { readonly answerHead: HeadHandler; readonly answer: HttpHandler<HttpReply | StreamReply> } {
  return {
    answerHead: createGuard(options.ownHosts),
    answer: createRouter(allRoutes(parts), {
      cluster: (id) => parts.clusters.get(id),
      authorize: createAccess(options),
      newId: options.newId,
      logger: options.logger,
    }),
  };
}
