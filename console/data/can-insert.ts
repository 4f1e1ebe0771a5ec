// Whether rows or documents can be inserted.
import { mayChange } from '../net/server-facts.js';
import { columnsOf, type Item } from './schema.js';

/** Native queries count in the rows of counters; no command inserts such a row. */
export function canInsert({ kind, definition }: Item): boolean {
  if (!mayChange()) return false;
  return (
    kind === 'collection' || columnsOf(definition).every(({ described }) => !described.uses.includes('count'))
  );
}
