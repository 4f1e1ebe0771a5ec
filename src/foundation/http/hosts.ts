// Host names in addresses, URLs and headers, and whether a request is for a host of this server.
import { BlockList, isIP } from 'node:net';
import type { RequestHead } from './http-handler.js';

const loopback = new BlockList();
loopback.addAddress('::1', 'ipv6');
const allAddresses = new BlockList();
allAddresses.addAddress('::', 'ipv6');

/**
 * Whether a host (IPv6 without brackets, lower case) can be reached from this machine only: localhost,
 * 127.0.0.0/8, ::1.
 */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost') return true;
  const family = isIP(host);
  if (family === 4) return host.startsWith('127.');
  return family === 6 && loopback.check(host, 'ipv6');
}

/**
 * Whether one port on both hosts would be the same port of an address. Names and addresses are compared as they are
 * written; localhost can be 127.0.0.1 or ::1.
 */
export function shareAddresses(host: string, other: string): boolean {
  if (host === other) return true;
  const hosts = [host, other];
  if (hosts.some((one) => isIP(one) === 6 && allAddresses.check(one, 'ipv6'))) return true; // also those of IPv4
  if (hosts.includes('0.0.0.0')) return hosts.every((one) => isIP(one) !== 6);
  return hosts.includes('localhost') && hosts.every(mayBeLocalhost);
}

function mayBeLocalhost(host: string): boolean {
  return ['localhost', '127.0.0.1'].includes(host) || (isIP(host) === 6 && loopback.check(host, 'ipv6'));
}

/** The host in the form for URLs: IPv6 addresses in brackets. */
export function hostInUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** The host under which a program on the same machine reaches a server that listens there. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return isIP(host) === 6 && allAddresses.check(host, 'ipv6') ? '::1' : host;
}

/** The host of a `Host` header, lower case, IPv6 without brackets; undefined when it is malformed. */
export function hostOfAuthority(authority: string): string | undefined {
  const match = /^(?:\[([^\]@/]+)\]|([^:@/\s[\]]+))(?::\d*)?$/.exec(authority);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

/** The host of an `Origin` header; undefined for `null` and everything that is not an http or https origin. */
export function hostOfOrigin(origin: string): string | undefined {
  const match = /^https?:\/\/(.*)$/i.exec(origin);
  return match?.[1] === undefined ? undefined : hostOfAuthority(match[1]);
}

/** The header that was read last, with its host. Nearly all requests have the same one. */
let latest: { readonly authority: string; readonly host: string | undefined } = {
  authority: '',
  host: undefined,
};

/**
 * Whether a request is for a host that is neither loopback nor one of this server, or names none. Another site can make
 * its name resolve to this machine; browsers then treat this server as that site.
 */
export function isForForeignHost(head: RequestHead, ownHosts: readonly string[]): boolean {
  const authority = head.header('host') ?? '';
  if (authority !== latest.authority) latest = { authority, host: hostOfAuthority(authority) };
  const { host } = latest;
  return host === undefined || !(isLoopbackHost(host) || ownHosts.includes(host));
}
