// Users of the storage: an engine for each, with the user's rights.
import type { CheckedEngine } from './checked-engine.js';

/** Who sends a request. */
export interface StorageUser {
  /** A hash of the others: equal for the same user with the same password. */
  readonly key: string;
  readonly username: string;
  readonly password: string;
}

/** The users of a storage that has its own. */
export interface StorageUsers {
  /** Whether the user is known already, so that `run` does not have to log in first. */
  isKnown(user: StorageUser): boolean;
  /**
   * Runs work on the engine with the rights of a user. All engines have one schema. Rejects with an EngineError if the
   * user cannot be logged in (`unauthenticated`, `notPermitted`, `unavailable`, `unreachable`), otherwise as the work
   * does.
   */
  run<Result>(user: StorageUser, work: (engine: CheckedEngine) => Promise<Result>): Promise<Result>;
  /** Called behind the last request. */
  close(): Promise<void>;
}
