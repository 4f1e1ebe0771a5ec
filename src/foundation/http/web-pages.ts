// Whether a browser sent a request, and for a page of which address. Pages cannot change the headers that say so.
import { hostInUrl, hostOfAuthority, hostOfOrigin, isLoopbackHost } from './hosts.js';
import type { RequestHead } from './http-handler.js';

/** The addresses of a port, as browsers know them. */
export interface PortAddresses {
  /** The names of the port in addition to those of loopback: lower case, IPv6 without brackets. */
  readonly ownHosts: readonly string[];
  /** Whether the port uses TLS. */
  readonly isSecure: boolean;
  /** The origin of the address that people use, perhaps of a proxy: `https://ops.example`. */
  readonly publicOrigin?: string | undefined;
}

/**
 * Whether a browser sent the request. Browsers send one of these headers with every request that could change
 * something (Fetch §3.2, Fetch Metadata §3); programs send none of them, except those that pass on what a browser sent.
 */
export function isFromBrowser(head: RequestHead): boolean {
  return head.header('origin') !== undefined || head.header('sec-fetch-site') !== undefined;
}

/**
 * Whether a page of another address than this port sent the request: another scheme, host or port. A person who follows
 * a link is admitted, because the page with the link does not get the reply. `Host` has been checked.
 */
export function isFromForeignPage(head: RequestHead, port: PortAddresses): boolean {
  const site = head.header('sec-fetch-site');
  const origin = head.header('origin');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return !isFollowedLink(head);
  return origin !== undefined && !isOwnOrigin(origin, head, port);
}

/** Whether the content type is `application/json`, which pages of other addresses cannot send without asking first. */
export function isJsonType(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType);
}

/** Whether the reply is shown to a person in place of the page with the link; frames are not. */
function isFollowedLink(head: RequestHead): boolean {
  const isReading = head.method === 'GET' && head.header('origin') === undefined;
  return (
    isReading && head.header('sec-fetch-mode') === 'navigate' && head.header('sec-fetch-dest') === 'document'
  );
}

function isOwnOrigin(origin: string, head: RequestHead, port: PortAddresses): boolean {
  if (port.publicOrigin !== undefined && isSame(origin, port.publicOrigin)) return true;
  const host = hostOfOrigin(origin);
  if (host === undefined || !(isLoopbackHost(host) || port.ownHosts.includes(host))) return false;
  // The browser compared the whole address: that of a proxy in front of this port, which may have another scheme and
  // may send another `Host`.
  if (head.header('sec-fetch-site') === 'same-origin') return true;
  return ownAddresses(head.header('host') ?? '', port).some((own) => isSame(origin, own));
}

/** The addresses at which a browser may have reached the port with this `Host`. */
function ownAddresses(authority: string, { ownHosts, isSecure }: PortAddresses): readonly string[] {
  const direct = `${isSecure ? 'https' : 'http'}://${authority}`;
  // A proxy may speak TLS to the browser and none to this port.
  if (!isLoopbackHost(hostOfAuthority(authority) ?? '')) return [direct, `https://${authority}`];
  // A proxy on this machine may send its own `Host`; browsers know it by one of the names, at the port of the scheme.
  const names = ownHosts.filter((host) => !isLoopbackHost(host)).map(hostInUrl);
  return [direct, ...names.flatMap((name) => [`https://${name}`, `http://${name}`])];
}

/** Whether two addresses have the same scheme, host and port, in any form: ports of schemes, forms of IPv6, case. */
function isSame(first: string, second: string): boolean {
  return URL.canParse(first) && URL.canParse(second) && new URL(first).origin === new URL(second).origin;
}
