// What SQLite stores in one cell.

/** A value as SQLite stores it. `bigint` where a column's integers may pass 2^53. */
export type SqlValue = null | number | bigint | string | Uint8Array;
