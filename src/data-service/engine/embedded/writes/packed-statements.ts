// Statements in one piece of memory, which threads between their maker and the writer pass on without looking at it.
import { deserialize, serialize } from 'node:v8';
import type { WriteStatement } from '../statements/write-statements.js';

/** What `packStatements` gives. */
export type PackedStatements = Uint8Array;

/** Packs statements; `unpackStatements` gives them back. */
export function packStatements(statements: readonly WriteStatement[]): PackedStatements {
  return serialize(statements);
}

/** The statements that were packed. */
export function unpackStatements(packed: PackedStatements): readonly WriteStatement[] {
  return deserialize(packed) as readonly WriteStatement[]; // `packStatements` of the same release made it
}
