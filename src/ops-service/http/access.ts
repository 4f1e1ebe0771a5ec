// Who may ask for what.
import { isLoopbackHost } from '../../foundation/http/hosts.js';
import type { RequestHead } from '../../foundation/http/http-handler.js';
import { isSameSecret } from '../../foundation/secrets/is-same-secret.js';
import { OpsError } from '../errors/ops-error.js';
import type { Caller } from '../events/event.js';
import type { Route } from './route.js';

/** The secrets that callers may have to show. */
export interface AccessOptions {
  /** The token of the data service; asked for before anything is changed, as long as there are no users. */
  readonly token: string | undefined;
}

/** Lets a request pass and says who asks. */
export function createAccess({ token }: AccessOptions): (head: RequestHead, route: Route) => Caller {
  return (head, route) => {
    if (
      route.access === 'operator' &&
      token !== undefined &&
      !isSameSecret(head.header('token') ?? '', token)
    ) {
      throw new OpsError('Unauthorized', 'send the token of --token in the header Token to change anything');
    }
    return { user: '', address: head.remoteAddress };
  };
}

/** Who may read the metrics of the process. */
export interface MetricsAccess {
  /** The address that is bound; on a loopback address everybody may. */
  readonly opsHost: string;
  /** Elsewhere, this as Bearer. */
  readonly metricsToken: string | undefined;
}

/** @throws OpsError `Unauthorized` */
export function demandMetricsAccess(authorization: string | undefined, access: MetricsAccess): void {
  if (isLoopbackHost(access.opsHost)) return;
  const [scheme, given] = (authorization ?? '').split(' ');
  if (access.metricsToken !== undefined && given !== undefined && scheme?.toLowerCase() === 'bearer') {
    if (isSameSecret(given, access.metricsToken)) return;
  }
  throw new OpsError('Unauthorized', 'send the token of --metrics-token as Bearer');
}
