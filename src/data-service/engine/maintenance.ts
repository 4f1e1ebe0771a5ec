// Maintenance of a storage while it serves requests.

/** The kinds of maintenance; the engine defines what each does. */
export type MaintenanceAction = 'flush' | 'compact' | 'cleanup' | 'repair';

/** An action and its keyspace and tables. */
export interface MaintenanceTask {
  readonly action: MaintenanceAction;
  /** Empty for all keyspaces. */
  readonly keyspace: string;
  /** Names within the keyspace; empty for all tables. */
  readonly tables: readonly string[];
}

/** The result of a task, as text for users. */
export interface MaintenanceReport {
  readonly state: 'success' | 'error' | 'cancelled';
  readonly detail: string;
}

/**
 * Runs a task in small steps, so that reads and writes continue in between, to its end or to the next step after
 * `signal` is aborted. Rejects as the methods of engines do.
 */
export type Maintain = (task: MaintenanceTask, signal: AbortSignal) => Promise<MaintenanceReport>;
