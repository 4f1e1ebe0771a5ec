// What stores keyspaces, tables and rows. `checked-engine.ts` enforces the sentences written here.
import type { ReadOutcome, ReadPlan } from '../query/read.js';
import type { ChangePlan, DeletePlan, InsertPlan } from '../query/write.js';
import type { Schema } from '../schema/keyspace.js';
import type { SchemaChange } from '../schema/schema-change.js';
import type { EngineError } from './engine-error.js';
import type { Maintain } from './maintenance.js';
import type { RunNative } from './native-result.js';

/**
 * Rules for every method: a promise that rejects does so with an EngineError, or with something else for a fault of
 * the engine itself. Plans are not modified. A plan for a table that is gone or changed is refused with
 * `schemaChanged`. After `close` everything is refused with `closed`.
 */
export interface Engine {
  /** For people: nothing branches on it. */
  readonly name: string;
  /**
   * The schema as of now: it holds every change that was acknowledged. With `afterChanges` it waits for those under
   * way: a read can meet a change before its acknowledgement, and a plan made again must know it.
   */
  readSchema(afterChanges?: boolean): Promise<Schema>;
  /** All of it or nothing; changes are carried out in the order of the calls. */
  changeSchema(change: SchemaChange): Promise<void>;
  /** One outcome per row, in order. A row is stored wholly or not at all, and durably once it is acknowledged. */
  insertRows(plan: InsertPlan): Promise<InsertOutcome>;
  /**
   * May leave filter and order undone and says so; rows acknowledged before the call are seen. Rejects with
   * OutdatedPosition for a position of an order in which the rows no longer come.
   */
  readRows(plan: ReadPlan): Promise<ReadOutcome>;
  changeRow(plan: ChangePlan): Promise<void>;
  /** All matching rows or none. */
  deleteRows(plan: DeletePlan): Promise<void>;
  /** Absent where the storage has no query language of its own: `native-query/` then makes plans of statements. */
  readonly runNative?: RunNative;
  /** Absent where the storage has operators and tools of its own. */
  readonly maintain?: Maintain;
  /** Finishes what was accepted, then releases everything. Calling it again does nothing. */
  close(): Promise<void>;
}

/** What became of the rows of an insert, in their order. */
export interface InsertOutcome {
  /** null: stored. */
  readonly rows: readonly (EngineError | null)[];
}
