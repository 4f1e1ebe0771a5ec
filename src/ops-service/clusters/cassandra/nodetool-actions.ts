// Runs actions with nodetool. Its argument vector comes from the start options or the config file, never over HTTP.
import type { ResolveAddress } from '../../../foundation/http/checked-lookup.js';
import { runProgram } from '../../../foundation/processes/run-program.js';
import type { NodeAction, NodeActionOutcome } from '../cluster.js';
import { actionTimeoutMs, maxDetailBytes, type NodeActions } from './node-actions.js';

/** How nodetool is called. */
export interface NodetoolCall {
  /** The program and its first arguments; `{host}` and `{port}` are replaced by those of the node. */
  readonly words: readonly string[];
  /** The JMX host and port of a node, by the node's address; default: that address and `port`. */
  readonly places: Readonly<Record<string, Place>>;
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Checks the address of a node, which gossip reported. Rejects with AddressDenied, or with the error of the look-up.
   */
  readonly resolveAddress: ResolveAddress;
}

/** Names follow `--`, so that none of them is parsed as an option; the caller has checked that they exist. */
export function nodetoolActions(call: NodetoolCall): NodeActions {
  return {
    async run(action: NodeAction, signal: AbortSignal): Promise<NodeActionOutcome> {
      const place = await placeOf(call, action.node);
      if (typeof place === 'string') return { state: 'error', detail: place };
      const words = [...nodetoolWords(call, place), action.action, '--', action.keyspace, ...action.tables];
      const end = await runProgram(words, {
        environment: call.environment,
        timeoutMs: actionTimeoutMs,
        outputBytes: maxDetailBytes,
        signal,
      });
      if (signal.aborted) {
        return {
          state: 'cancelled',
          detail: `nodetool was ended; the action may still run on ${action.node}`,
        };
      }
      if (end.exitCode === 0) return { state: 'success', detail: end.output.trim() };
      const why = end.problem ?? `nodetool ended with ${end.exitCode}`;
      return { state: 'error', detail: `${why}\n${end.output}`.trim() };
    },
  };
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/**
 * The JMX host and port of a node, or a text with the reason why the node is not connected to. Addresses from the start
 * options are not checked, all others are.
 */
async function placeOf(
  { places, port, resolveAddress }: NodetoolCall,
  node: string,
): Promise<Place | string> {
  const known = places[node];
  if (known !== undefined) return known;
  try {
    return { host: await resolveAddress(node), port };
  } catch (error) {
    return `${node} cannot be connected to: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function nodetoolWords({ words }: NodetoolCall, { host, port }: Place): readonly string[] {
  return words.map((word) => word.replaceAll('{host}', host).replaceAll('{port}', String(port)));
}
