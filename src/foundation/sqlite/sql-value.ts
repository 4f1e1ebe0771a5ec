// The values that SQLite stores.

/** A value of a cell. `bigint` where integers of a column may exceed 2^53. */
export type SqlValue = null | number | bigint | string | Uint8Array;
