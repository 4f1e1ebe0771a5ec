// All routes of the operations service, and the checks that every request passes.
import type { PortAddresses } from '../../foundation/http/web-pages.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import { admit } from '../access/gate.js';
import { actionRoutes } from './action-routes.js';
import { alertRoutes } from './alert-routes.js';
import { alertSummaryRoute } from './alert-summary-route.js';
import { archiveRoutes } from './archive-routes.js';
import { channelRoutes } from './channel-routes.js';
import { clusterRoutes } from './cluster-routes.js';
import { consoleRoutes } from './console-routes.js';
import { dataRoutes } from './data-routes.js';
import { embeddingKeyRoutes } from './embedding-key-routes.js';
import { eventRoutes } from './event-routes.js';
import { createGuard } from './guard.js';
import { kindRoutes } from './kind-routes.js';
import { loginRoutes } from './login-routes.js';
import { metricRoutes } from './metric-routes.js';
import { nativeQueryRoute } from './native-query-route.js';
import { notificationRoutes } from './notification-routes.js';
import { openApiRoute } from './openapi.js';
import type { OpsParts } from './ops-parts.js';
import { previewRoute } from './preview-route.js';
import { processRoutes } from './process-routes.js';
import { promoteRoutes } from './promote-routes.js';
import type { Route } from './route.js';
import { createRouter, type Router, wordsOfPaths } from './router.js';
import { ruleRoutes } from './rule-routes.js';
import { streamRoutes } from './stream-routes.js';

/** The addresses and the token of the port. */
export interface OpsPortOptions extends PortAddresses {
  /** The token of the data service. */
  readonly token: string | undefined;
  /** Why no request may change anything, as a sentence; undefined if they may. */
  readonly whyReadOnly?: string | undefined;
  /** A UUID for each internal error. */
  readonly newId: () => string;
  readonly logger: Logger;
}

function allRoutes(parts: OpsParts): readonly Route[] {
  const routes: readonly Route[] = [
    ...processRoutes(parts),
    ...promoteRoutes(parts),
    ...archiveRoutes(parts),
    ...loginRoutes(parts),
    ...dataRoutes(parts),
    alertSummaryRoute(parts),
    ...consoleRoutes(parts),
    ...kindRoutes(),
    ...clusterRoutes(parts, () => wordsOfPaths(routes)),
    ...eventRoutes(parts),
    ...streamRoutes(parts),
    ...ruleRoutes(parts),
    previewRoute(parts),
    ...alertRoutes(parts),
    ...metricRoutes(parts),
    nativeQueryRoute(parts),
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
  const { token, newId, logger, whyReadOnly } = options;
  const routes = allRoutes(parts);
  const guard = createGuard(options);
  const router = createRouter(routes, {
    cluster: (id) => parts.clusters.get(id),
    admit: (head, access) => admit(head, access, { ...parts, token }),
    recorded: () => parts.store.recorded(),
    clock: parts.clock,
    newId,
    logger,
    whyReadOnly,
  });
  return { ...router, answerHead: (head) => guard(head) ?? router.answerHead(head) };
}
