// The interface of engines, which store keyspaces, tables and rows. `checked-engine.ts` enforces the rules in these
// comments.

import type { DocumentFilter } from '../documents/document-filter.js';
import type {
  DocumentChangeOutcome,
  DocumentChangePlan,
  DocumentInsertOutcome,
  DocumentInsertPlan,
} from '../query/document-write.js';
import type { ReadOutcome, ReadPlan } from '../query/read.js';
import type { ChangePlan, DeletePlan, InsertPlan } from '../query/write.js';
import type { Collection } from '../schema/collection.js';
import type { Schema } from '../schema/keyspace.js';
import type { SchemaChange } from '../schema/schema-change.js';
import type { Table } from '../schema/table.js';
import type { EngineError } from './engine-error.js';
import type { Maintain } from './maintenance.js';
import type { RunNative } from './native-result.js';

/**
 * Rules for every method: promises reject with an EngineError, or with another error for a fault of the engine itself.
 * Plans are not modified. A plan for a dropped or changed table is refused with `schemaChanged`. After `close` every
 * call is refused with `closed`.
 */
export interface Engine {
  /** For people; the server does not depend on it. */
  readonly name: string;
  /**
   * The present schema: it contains every acknowledged change. With `afterChanges` it waits for changes under way: a
   * read can be affected by a change before its acknowledgement, and a repeated plan must know it. A promise only if it
   * must wait, because every request asks for it.
   */
  readSchema(afterChanges?: boolean): Promise<Schema> | Schema;
  /**
   * The schema with every change that any server acknowledged before this call: a reply that nothing had to be changed
   * is true of it. Absent: `readSchema` is the same, because no other server changes the schema.
   */
  readLatestSchema?(): Promise<Schema>;
  /** Makes the whole change or nothing; changes are made in the order of the calls. */
  changeSchema(change: SchemaChange): Promise<void>;
  /**
   * One outcome per row, in order. A row is stored completely or not at all, and is durable once it is acknowledged.
   */
  insertRows(plan: InsertPlan): Promise<InsertOutcome>;
  /**
   * May leave filter and order undone, and reports it; sees rows acknowledged before the call. Rejects with
   * OutdatedPosition for a position in an order that is no longer available.
   */
  readRows(plan: ReadPlan): Promise<ReadOutcome>;
  changeRow(plan: ChangePlan): Promise<void>;
  /** Deletes all matching rows. If it rejects, some of them may be deleted; repeating the plan deletes the others. */
  deleteRows(plan: DeletePlan): Promise<void>;
  /** About how many rows a table or documents a collection has; absent: only reading all of them can say it. */
  estimateCount?(table: Table): Promise<number>;
  /** Writes of documents; absent: there are no collections. Their documents are read as the rows of their tables. */
  readonly documents?: DocumentWrites;
  /** Absent if the storage has no query language of its own: `native-query/` then converts statements to plans. */
  readonly runNative?: RunNative;
  /** Absent if the storage has operators and tools of its own. */
  readonly maintain?: Maintain;
  /** Finishes accepted calls, then releases everything. A second call does nothing. */
  close(): Promise<void>;
}

/** Writes of documents. Each document is written completely or not at all, and is durable once acknowledged. */
export interface DocumentWrites {
  /** One outcome per document, in order. If it rejects, none is stored. */
  insert(plan: DocumentInsertPlan): Promise<readonly DocumentInsertOutcome[]>;
  /** Compares and changes each document in one step, so that no other change is lost. */
  change(plan: DocumentChangePlan): Promise<DocumentChangeOutcome>;
  /** Deletes all documents. */
  deleteAll(collection: Collection): Promise<void>;
  /**
   * Whether a read can miss a document that matches all the time, because another command changes it meanwhile from one
   * value that matches to another. Absent: no read can.
   */
  canMiss?(collection: Collection, filter: DocumentFilter): boolean;
}

/** The outcomes of the rows of an insert, in their order. */
export interface InsertOutcome {
  /** null if the row was stored. */
  readonly rows: readonly (EngineError | null)[];
}
