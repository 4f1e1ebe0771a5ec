// Checks on a separate socket whether a Cassandra node answers, independently of the state that a driver has of it.
import { connect } from 'node:net';
import type { AddressPolicy } from '../http/address-policy.js';
import { checkedLookup, checkLiteral } from '../http/checked-lookup.js';

/** Protocol version 4, no flags, stream 1, OPTIONS, no body: every node answers it, before any login. */
const optionsFrame = Buffer.from([4, 0, 0, 1, 5, 0, 0, 0, 0]);

/** Where a node listens for CQL. */
export interface NodeAddress {
  /** IP address or host name, IPv6 without brackets. */
  readonly address: string;
  readonly port: number;
}

/** Why a probe failed, in a few words; undefined when the node answered. */
export type ProbeResult = string | undefined;

/**
 * Connects if the policy allows it, sends CQL's OPTIONS and waits for the first byte of any answer. Takes at most
 * `timeoutMs` in all; never rejects. A process that hangs still accepts connections, because its kernel does; without
 * an answer the probe fails.
 */
export async function probeNode(
  node: NodeAddress,
  timeoutMs: number,
  policy?: AddressPolicy,
): Promise<ProbeResult> {
  try {
    if (policy !== undefined) checkLiteral(policy, node.address);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return new Promise((resolve) => {
    const lookup = policy === undefined ? {} : { lookup: checkedLookup(policy) };
    const socket = connect({ host: node.address, port: node.port, ...lookup });
    const settle = (result: ProbeResult) => {
      clearTimeout(timeout);
      socket.destroy();
      resolve(result);
    };
    const timeout = setTimeout(() => settle(`no answer within ${timeoutMs} ms`), timeoutMs);
    socket.once('connect', () => socket.write(optionsFrame));
    // The first byte of a reply has the highest bit set (CQL binary protocol v4 §2.1); other servers do not.
    socket.once('data', (reply: Buffer) =>
      settle((reply[0] ?? 0) & 0x80 ? undefined : 'the answer is not CQL'),
    );
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
    socket.once('close', () => settle('the connection was closed'));
  });
}
