// Refuses requests from web pages of other addresses: the operations port serves only its own pages, and programs.
import { isForForeignHost } from '../../foundation/http/hosts.js';
import type { HeadHandler, RequestHead } from '../../foundation/http/http-handler.js';
import {
  isFromBrowser,
  isFromForeignPage,
  isJsonType,
  type PortAddresses,
} from '../../foundation/http/web-pages.js';
import { hasSessionCookie } from '../access/gate.js';
import { OpsError } from '../errors/ops-error.js';
import { errorReply } from './error-reply.js';
import { announcesBody } from './read-request.js';

/**
 * Refuses requests whose `Host` is not of this port, and what a browser sends for a page of another address, with 403;
 * and bodies that browsers send for any page without asking the server first, with 415.
 */
export function createGuard(port: PortAddresses): HeadHandler {
  return (head) => {
    if (isForForeignHost(head, port.ownHosts)) {
      const given = JSON.stringify(head.header('host') ?? '');
      const message = `the host ${given} is not accepted; --allowed-hosts and --console-url add names`;
      return errorReply(new OpsError('ForeignHost', message));
    }
    if (isFromForeignPage(head, port)) return errorReply(new OpsError('ForeignOrigin', foreignPage(head)));
    if (isSendableByAnyPage(head)) return errorReply(new OpsError('UnsupportedMediaType', jsonOnly));
    return undefined;
  };
}

const jsonOnly = 'with a session cookie or from a browser, the body must be JSON: send application/json';

function foreignPage(head: RequestHead): string {
  const origin = head.header('origin');
  const page = origin === undefined ? '' : `: this one is of ${JSON.stringify(origin)}`;
  return `requests of web pages of other addresses are refused${page}; --console-url names the address of a proxy`;
}

/** Programs without a cookie may send JSON under any type that is read as JSON. */
function isSendableByAnyPage(head: RequestHead): boolean {
  const isBrowser = isFromBrowser(head) || hasSessionCookie(head);
  return isBrowser && announcesBody(head) && !isJsonType(head.header('content-type'));
}
