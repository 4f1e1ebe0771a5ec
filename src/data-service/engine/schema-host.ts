// What an engine reports to other engines of its process about the schema.

/** Asked by the engines of other threads, so that they know every change that was acknowledged. */
export interface SchemaHost {
  /** Another number for each state of the schema; `afterChanges`: waits for changes under way and includes them. */
  schemaGeneration(wanted: { readonly afterChanges: boolean }): Promise<number>;
}

/** A table by its names: plain data. */
export interface TableName {
  readonly keyspace: string;
  readonly name: string;
}

/** Which statements on rows a change of the schema blocks: reads that an index may serve, or writes. */
export type StatementKind = 'reads' | 'writes';

/** Asked by the engines of other threads that send statements of their own: changes of the schema wait for them. */
export interface ChangeHost extends SchemaHost {
  /**
   * Asked before a statement; changes that block its kind wait until `ended` resolves. Resolves to the number of the
   * present state of the schema. Rejects with an EngineError: `schemaChanged` where a change blocks it.
   */
  admit(kind: StatementKind, table: TableName, ended: Promise<void>): Promise<number>;
  /** Whether a change of the table is under way, or was within the last milliseconds. */
  wasChanged(table: TableName, withinMs: number): Promise<boolean>;
}
