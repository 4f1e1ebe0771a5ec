// Looks up names so that a connection uses the address that was checked.
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressPolicy } from './address-policy.js';

/** The policy denies the address; no connection was made. */
export class AddressDenied extends Error {
  constructor(host: string, reason: string) {
    super(`${host} is ${reason}`);
  }
}

/** The `lookup` of a connection: returns only addresses that the policy allows; AddressDenied if there are none. */
export function checkedLookup(policy: AddressPolicy): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const allowed = found.filter(({ address }) => policy(address) === undefined);
      const [first] = allowed;
      if (first === undefined) {
        callback(new AddressDenied(host, policy(found[0]?.address ?? '') ?? 'nowhere'), []);
      } else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * Checks a host that is an address, which is connected to without a look-up. IPv6 without brackets.
 * @throws AddressDenied
 */
export function checkLiteral(policy: AddressPolicy, host: string): void {
  if (isIP(host) === 0) return;
  const reason = policy(host);
  if (reason !== undefined) throw new AddressDenied(host, reason);
}

/**
 * The addresses of a host that the policy allows. Connect only to these.
 * @throws AddressDenied when there are none, or the error of the look-up
 */
export function allowedAddresses(policy: AddressPolicy, host: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    if (isIP(host) !== 0) {
      checkLiteral(policy, host);
      resolve([host]);
      return;
    }
    checkedLookup(policy)(host, { all: true }, (error, found) => {
      if (error !== null) reject(error);
      else resolve(Array.isArray(found) ? found.map(({ address }) => address) : [found]);
    });
  });
}

/**
 * The address of a host, for protocols that accept only addresses. Rejects with AddressDenied or the error of the
 * look-up.
 */
export type ResolveAddress = (host: string) => Promise<string>;

/** Returns only addresses that the policy allows; a host that is an address is returned unchanged. */
export function createResolveAddress(policy: AddressPolicy): ResolveAddress {
  const look = checkedLookup(policy);
  return (host) =>
    new Promise((resolve, reject) => {
      checkLiteral(policy, host); // rejects the promise
      if (isIP(host) !== 0) resolve(host);
      else {
        look(host, { all: false }, (error, address) => {
          if (error === null && typeof address === 'string') resolve(address);
          else reject(error);
        });
      }
    });
}
