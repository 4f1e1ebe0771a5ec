// What the operations service learns about the schema of the data service.
import type { Caller } from '../events/event.js';

/** The names of the schema of the data service. */
export interface SchemaNames {
  readonly keyspaces: readonly string[];
  /** `keyspace.table` of all tables. */
  readonly tables: readonly string[];
}

/** A change of the schema of the data service, with all names after it. */
export interface SchemaNews extends SchemaNames {
  /** A message for users: `created table ks.t`. */
  readonly message: string;
  /** Who sent the command, if the operations port passed it on; other senders are not known. */
  readonly sender?: Caller;
}
