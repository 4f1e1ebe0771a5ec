// Clients of Apache's driver that watch a cluster. The driver takes 18 MB of memory, so this file is imported late.
import driver from 'cassandra-driver';
import type { AddressPolicy } from '../http/address-policy.js';
import { hostInUrl } from '../http/hosts.js';
import { readAllTimestamps } from './driver-timestamps.js';
import type { SessionOptions } from './session.js';

const reconnectMs = 5000;

/** A client of the driver for these addresses, which does not connect by itself. */
export function newClient(
  options: SessionOptions,
  policy: AddressPolicy,
  addresses: readonly string[],
): driver.Client {
  const { username, password } = options;
  readAllTimestamps();
  const client = new driver.Client({
    contactPoints: addresses.map((address) => `${hostInUrl(address)}:${options.port}`),
    ...(username === undefined ? {} : { credentials: { username, password: password ?? '' } }),
    encoding: { useBigIntAsLong: true },
    isMetadataSyncEnabled: false,
    prepareOnAllHosts: false, // each node prepares a query at its first execution, also a node that was down before
    rePrepareOnUp: false,
    policies: {
      addressResolution: new CheckedAddresses(policy),
      loadBalancing: new EveryNode(),
      reconnection: new driver.policies.reconnection.ConstantReconnectionPolicy(reconnectMs),
      retry: new driver.policies.retry.FallthroughRetryPolicy(),
    },
    pooling: { coreConnectionsPerHost: { [driver.types.distance.local]: 1 }, warmup: false },
    protocolOptions: { port: options.port },
    socketOptions: { connectTimeout: options.timeoutMs, readTimeout: options.timeoutMs },
  });
  // The driver logs nodes that come and go; our probes decide whether a node is up.
  client.on('log', () => undefined);
  return client;
}

/** Queries go to every node of every data center: the driver sends no query to a node that its policy ignores. */
class EveryNode extends driver.policies.loadBalancing.RoundRobinPolicy {
  override getDistance(): driver.types.distance {
    return driver.types.distance.local;
  }
}

/**
 * Replaces denied addresses by one that is reserved for documentation and never answers. The driver requires a subclass
 * of its translator. Its declarations do not include that class, only subclasses: this extends one of them.
 */
class CheckedAddresses extends driver.policies.addressResolution.EC2MultiRegionTranslator {
  readonly #policy: AddressPolicy;

  constructor(policy: AddressPolicy) {
    super();
    this.#policy = policy;
  }

  override translate(address: string, port: number, callback: (endpoint: string) => void): void {
    const host = address.includes(':') ? `[${address}]` : address;
    callback(this.#policy(address) === undefined ? `${host}:${port}` : '192.0.2.1:1');
  }
}
