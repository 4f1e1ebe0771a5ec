// What operators can ask of a storage: to put it in order while it serves requests.

/** What is done; the meaning of each is the engine's. */
export type MaintenanceAction = 'flush' | 'compact' | 'cleanup' | 'repair';

/** An action and what it is about. */
export interface MaintenanceTask {
  readonly action: MaintenanceAction;
  /** Empty: all keyspaces. */
  readonly keyspace: string;
  /** Names within the keyspace; empty: all of them. */
  readonly tables: readonly string[];
}

/** How it ended, in words for people. */
export interface MaintenanceReport {
  readonly state: 'success' | 'error' | 'cancelled';
  readonly detail: string;
}

/**
 * Runs a task in small steps, so that reads and writes continue in between, up to its end or to the next step after
 * `signal` is aborted. Rejects as the methods of engines do.
 */
export type Maintain = (task: MaintenanceTask, signal: AbortSignal) => Promise<MaintenanceReport>;
