// What the engine of the main thread does for engines of other threads.

import type { NearestWanted, PackedFinds } from './vectors/vector-messages.js';
import type { PackedStatements } from './writes/packed-statements.js';

/** Statements for a table as it was when they were made. */
export interface GuestWrite {
  readonly tableId: number;
  readonly version: number;
  readonly packed: PackedStatements;
}

/** What the engine of the main thread does for a guest. Everything is plain data; all reject with an EngineError. */
export interface EngineHost {
  write(write: GuestWrite): Promise<void>;
  /** The nearest rows by an index; null where it is not there yet. `isAgain`: see `VectorIndexes.findNearest`. */
  findNearest(search: {
    readonly nearest: NearestWanted;
    readonly isAgain: boolean;
  }): Promise<PackedFinds | null>;
  /** How often the schema has changed, those changes included that are under way where `afterChanges` asks so. */
  schemaGeneration(wanted: { readonly afterChanges: boolean }): Promise<number>;
}
