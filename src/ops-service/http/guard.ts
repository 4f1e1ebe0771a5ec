// Refuses requests from web pages of other sites: the operations port answers only for its own host names.
import { isForForeignHost, isFromForeignPage, isLoopbackHost } from '../../foundation/http/hosts.js';
import type { HeadHandler } from '../../foundation/http/http-handler.js';
import { OpsError } from '../errors/ops-error.js';
import { errorReply } from './error-reply.js';

/**
 * Refuses with 403 every request whose `Host` is neither loopback nor one of `ownHosts`, and requests that a browser
 * sends for a page of another host. Hosts are in lower case, IPv6 without brackets; ports are ignored.
 */
export function createGuard(ownHosts: readonly string[]): HeadHandler {
  const isOwnHost = (host: string) => isLoopbackHost(host) || ownHosts.includes(host);
  return (head) => {
    if (isForForeignHost(head, ownHosts)) {
      const given = JSON.stringify(head.header('host') ?? '');
      const message = `the host ${given} is not accepted; --allowed-hosts adds names`;
      return errorReply(new OpsError('ForeignHost', message));
    }
    if (isFromForeignPage(head, isOwnHost)) {
      return errorReply(new OpsError('ForeignOrigin', 'requests of web pages of other hosts are refused'));
    }
    return undefined;
  };
}
