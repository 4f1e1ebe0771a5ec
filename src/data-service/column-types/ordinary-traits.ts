// What Cassandra allows of most types; a type that differs says in what.
import type { TypeTraits } from './column-type.js';

/** Key column, filters and range filters, an index of full use, creatable; no text, no empty value. */
export const ordinaryTraits: TypeTraits = {
  key: true,
  filterable: true,
  range: true,
  mayBeEmpty: false,
  index: 'servesRanges',
  text: false,
  creatable: true,
};
