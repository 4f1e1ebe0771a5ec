// What an engine reports to other engines of its process about the schema.

/** Asked by the engines of other threads, so that they know every change that was acknowledged. */
export interface SchemaHost {
  /** Another number for each state of the schema; `afterChanges`: waits for changes under way and includes them. */
  schemaGeneration(wanted: { readonly afterChanges: boolean }): Promise<number>;
}
