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

/**
 * Asked by the engines of other threads that send statements of their own, so that these take part in the changes of
 * the schema. Both calls for statements resolve to the number of the present state of the schema, and reject with an
 * EngineError: `schemaChanged` for statements that a change blocks.
 */
export interface ChangeHost extends SchemaHost {
  /** Asked behind a page that an index may have found. */
  admitPage(table: TableName): Promise<number>;
  /** Asked before a write; changes that block writes wait until `ended` resolves. */
  admitWrite(table: TableName, ended: Promise<void>): Promise<number>;
  /** Whether a change of the table is under way, or was within the last milliseconds. */
  wasChanged(table: TableName, withinMs: number): Promise<boolean>;
}
