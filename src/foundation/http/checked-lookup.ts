// Looks names up so that the address that was checked is the one that is connected to.
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressPolicy } from './address-policy.js';

/** The policy denies the address; nothing was connected. */
export class AddressDenied extends Error {
  constructor(host: string, reason: string) {
    super(`${host} is ${reason}`);
  }
}

/** The `lookup` of a connection: gives only addresses that the policy allows, AddressDenied when none is left. */
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
 * Checks a host that is an address already, which is connected to without a look-up. IPv6 without brackets.
 * @throws AddressDenied
 */
export function checkLiteral(policy: AddressPolicy, host: string): void {
  if (isIP(host) === 0) return;
  const reason = policy(host);
  if (reason !== undefined) throw new AddressDenied(host, reason);
}

/**
 * The addresses of a host that the policy allows, to connect to and no others.
 * @throws AddressDenied when none is left, or the error of the look-up
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

/** The address of a host, for protocols that take addresses only. Rejects with AddressDenied or as the look-up does. */
export type ResolveAddress = (host: string) => Promise<string>;

/** Gives only what the policy allows; an address stands for itself. */
export function createResolveAddress(policy: AddressPolicy): ResolveAddress {
  const look = checkedLookup(policy);
  return (host) =>
    new Promise((resolve, reject) => {
      checkLiteral(policy, host); // throws into the promise
      if (isIP(host) !== 0) resolve(host);
      else {
        look(host, { all: false }, (error, address) => {
          if (error === null && typeof address === 'string') resolve(address);
          else reject(error);
        });
      }
    });
}
