// The traits of most types in Cassandra; other types override members.
import type { TypeTraits } from './column-type.js';

/** Allowed in keys, filters, ranges and indexes for all operators, and in new columns; not a text, never empty. */
export const ordinaryTraits: TypeTraits = {
  key: true,
  filterable: true,
  range: true,
  mayBeEmpty: false,
  index: 'servesRanges',
  text: false,
  searchable: false,
  matchable: true,
  creatable: true,
};
