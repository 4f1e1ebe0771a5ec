// What the views of one table or collection are given.
import type { Item } from './schema.js';

/** What the parts of the view need. */
export interface ItemProps {
  readonly keyspace: string;
  readonly item: Item;
  /** The definition has changed. */
  readonly onChanged: () => void;
}
