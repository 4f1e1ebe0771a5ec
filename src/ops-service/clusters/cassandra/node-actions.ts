// How an action is run on a node of a Cassandra cluster: the ways differ, the form of their outcomes does not.
import type { NodeAction, NodeActionOutcome } from '../cluster.js';

/** A way to run actions. */
export interface NodeActions {
  /** Runs to its end. Never rejects: whatever goes wrong is an outcome. */
  run(action: NodeAction, signal: AbortSignal): Promise<NodeActionOutcome>;
}

/** Bytes that are kept of an action's output. */
export const maxDetailBytes = 65_536;

/** Actions run for at most six hours. */
export const actionTimeoutMs = 6 * 3600 * 1000;
