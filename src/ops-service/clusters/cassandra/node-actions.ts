// How an action is run on a node of a Cassandra cluster: the ways differ, what comes of it does not.
import type { NodeAction, NodeActionOutcome } from '../cluster.js';

/** A way to run actions. */
export interface NodeActions {
  /** Runs to its end. Never rejects: whatever goes wrong is an outcome. */
  run(action: NodeAction, signal: AbortSignal): Promise<NodeActionOutcome>;
}

/** What of an action's words is kept. */
export const maxDetailBytes = 65_536;

/** Actions run for at most six hours. */
export const actionTimeoutMs = 6 * 3600 * 1000;
