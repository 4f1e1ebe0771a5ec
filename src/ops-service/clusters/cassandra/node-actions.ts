// The interface of ways to run an action on a node of a Cassandra cluster.
import type { NodeAction, NodeActionOutcome } from '../cluster.js';

/** A way to run actions. */
export interface NodeActions {
  /** Runs an action until it ends. Never rejects: failures are outcomes. */
  run(action: NodeAction, signal: AbortSignal): Promise<NodeActionOutcome>;
}

/** The stored part of an action's output, in bytes. */
export const maxDetailBytes = 65_536;

/** Actions run for at most six hours. */
export const actionTimeoutMs = 6 * 3600 * 1000;
