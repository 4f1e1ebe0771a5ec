// What the main thread and the check process say to each other.

/** What the process is started with. */
export interface CheckSettings {
  readonly path: string;
}

/** A column as the file has it. */
export interface CheckedColumn {
  /** As in the file: `c3`. */
  readonly sqlName: string;
  /** As users know it. */
  readonly name: string;
  readonly typeName: string;
}

/** Structure: pages, indexes and constraints of a table. Rows: the values of some rows. */
export type CheckRequest =
  | { readonly kind: 'structure'; readonly table: string }
  | {
      readonly kind: 'rows';
      readonly table: string;
      readonly columns: readonly CheckedColumn[];
      /** How many of the columns, which come first, are the key. */
      readonly keyCount: number;
      readonly after: number;
      readonly count: number;
    };

/** What is wrong. */
export interface CheckReply {
  /** In SQLite's words for the structure, in ours for rows. */
  readonly problems: readonly string[];
  /** The last row looked at; null behind the last one. */
  readonly last: number | null;
  /** Rows looked at. */
  readonly rows: number;
  /** The check itself failed. */
  readonly failure?: string;
}
