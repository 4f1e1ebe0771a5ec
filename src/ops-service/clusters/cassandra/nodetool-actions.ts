// Runs actions by nodetool. Its argument vector comes from the start options or the config file, never over HTTP.
import { runProgram } from '../../../foundation/processes/run-program.js';
import type { NodeAction, NodeActionOutcome } from '../cluster.js';
import { actionTimeoutMs, maxDetailBytes, type NodeActions } from './node-actions.js';

/** How nodetool is called. */
export interface NodetoolCall {
  /** The program and its first arguments; `{host}` and `{port}` stand for those of the node. */
  readonly words: readonly string[];
  /** Where the JMX of a node listens, by the node's address; default: that address and `port`. */
  readonly places: Readonly<Record<string, { readonly host: string; readonly port: number }>>;
  readonly port: number;
}

/** Names go behind `--`, so that none of them is taken for an option; whoever calls has checked that they exist. */
export function nodetoolActions(call: NodetoolCall): NodeActions {
  return {
    async run(action: NodeAction, signal: AbortSignal): Promise<NodeActionOutcome> {
      const words = [
        ...nodetoolWords(call, action.node),
        action.action,
        '--',
        action.keyspace,
        ...action.tables,
      ];
      const end = await runProgram(words, {
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

function nodetoolWords({ words, places, port }: NodetoolCall, address: string): readonly string[] {
  const place = places[address] ?? { host: address, port };
  return words.map((word) => word.replaceAll('{host}', place.host).replaceAll('{port}', String(place.port)));
}
