// Opens TCP connections for protocols other than HTTP, to addresses that were checked.
import { connect, type Socket } from 'node:net';
import type { AddressPolicy } from './address-policy.js';
import { checkedLookup, checkLiteral } from './checked-lookup.js';

/** Connects to a host, IPv6 without brackets; rejects with the reason. */
export type OpenConnection = (host: string, port: number, signal: AbortSignal) => Promise<Socket>;

/** Connects only to addresses that the policy allows; rejects with AddressDenied before anything is sent. */
export function createOpenConnection(policy: AddressPolicy): OpenConnection {
  const lookup = checkedLookup(policy);
  return (host, port, signal) =>
    new Promise((resolve, reject) => {
      checkLiteral(policy, host); // rejects the promise
      signal.throwIfAborted();
      const socket = connect({ host, port, lookup });
      const abort = () => void socket.destroy(new Error('the connection was cancelled'));
      const settle = () => signal.removeEventListener('abort', abort);
      signal.addEventListener('abort', abort, { once: true });
      socket.once('error', (error) => {
        settle();
        reject(error);
      });
      socket.once('connect', () => {
        settle();
        socket.removeAllListeners('error');
        resolve(socket);
      });
    });
}
