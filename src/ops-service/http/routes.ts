// All routes of the operations service, and the checks that every request passes.
import type { PortAddresses } from '../../foundation/http/web-pages.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import { admit } from '../access/gate.js';
import type { ClusterRegistry } from '../clusters/registry.js';
import { type ActionRouteParts, actionRoutes } from './action-routes.js';
import { type AlertParts, alertRoutes } from './alert-routes.js';
import { type AlertSummaryParts, alertSummaryRoute } from './alert-summary-route.js';
import { channelRoutes } from './channel-routes.js';
import { type ClusterParts, clusterRoutes } from './cluster-routes.js';
import { type ConsoleParts, consoleRoutes } from './console-routes.js';
import { type DataRouteParts, dataRoutes } from './data-routes.js';
import { embeddingKeyRoutes } from './embedding-key-routes.js';
import { type EventParts, eventRoutes } from './event-routes.js';
import { createGuard } from './guard.js';
import { kindRoutes } from './kind-routes.js';
import { type LoginParts, loginRoutes } from './login-routes.js';
import { type MetricParts, metricRoutes } from './metric-routes.js';
import { type NativeQueryParts, nativeQueryRoutes } from './native-query-routes.js';
import { type NotificationRouteParts, notificationRoutes } from './notification-routes.js';
import { type OpenApiNaming, openApiRoute } from './openapi.js';
import { type PreviewParts, previewRoutes } from './preview-route.js';
import { type ProcessParts, processRoutes } from './process-routes.js';
import type { Route } from './route.js';
import { createRouter, type Router, wordsOfPaths } from './router.js';
import { type RuleParts, ruleRoutes } from './rule-routes.js';
import { type StreamParts, streamRoutes } from './stream-routes.js';

/** All parts that the routes use. */
export interface OpsParts
  extends ProcessParts,
    EventParts,
    NativeQueryParts,
    StreamParts,
    LoginParts,
    NotificationRouteParts,
    ActionRouteParts,
    ClusterParts,
    DataRouteParts,
    ConsoleParts,
    RuleParts,
    PreviewParts,
    AlertParts,
    AlertSummaryParts,
    MetricParts,
    OpenApiNaming {
  readonly clusters: ClusterRegistry;
}

/** The addresses and the token of the port. */
export interface OpsPortOptions extends PortAddresses {
  /** The token of the data service. */
  readonly token: string | undefined;
  /** A UUID for each internal error. */
  readonly newId: () => string;
  readonly logger: Logger;
}

function allRoutes(parts: OpsParts): readonly Route[] {
  const routes: readonly Route[] = [
    ...processRoutes(parts),
    ...loginRoutes(parts),
    ...dataRoutes(parts),
    alertSummaryRoute(parts),
    ...consoleRoutes(parts),
    ...kindRoutes(),
    ...clusterRoutes(parts, () => wordsOfPaths(routes)),
    ...eventRoutes(parts),
    ...streamRoutes(parts),
    ...ruleRoutes(parts),
    ...previewRoutes(parts),
    ...alertRoutes(parts),
    ...metricRoutes(parts),
    ...nativeQueryRoutes(parts),
    ...actionRoutes(parts),
    ...notificationRoutes(parts),
    ...channelRoutes(parts),
    ...embeddingKeyRoutes(parts),
    openApiRoute(() => routes, parts),
  ];
  return routes;
}

/** The router behind the guard: `answerHead` refuses requests for other hosts, `answer` handles all others. */
export function createOpsRoutes(parts: OpsParts, options: OpsPortOptions): Router {
  const { token, newId, logger } = options;
  const routes = allRoutes(parts);
  const guard = createGuard(options);
  const router = createRouter(routes, {
    cluster: (id) => parts.clusters.get(id),
    admit: (head, access) => admit(head, access, { ...parts, token }),
    recorded: () => parts.store.recorded(),
    clock: parts.clock,
    newId,
    logger,
  });
  return { ...router, answerHead: (head) => guard(head) ?? router.answerHead(head) };
}
