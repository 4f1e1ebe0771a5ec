// How the tables of the operations file come to be: each layer lists its own steps, the store runs each of them once.

/** A step that a file of an earlier version has not seen. Steps are never changed once released, only added. */
export interface Migration {
  /** Unique and lasting: `events-1`. */
  readonly name: string;
  /** Statements that make or change tables. */
  readonly sql: string;
}
