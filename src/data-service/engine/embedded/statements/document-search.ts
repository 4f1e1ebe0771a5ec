// How a filter on documents uses index entries: the conditions that must all be true, each as parts of the entries.
import { conjunctsOf } from '../../../documents/document-filter.js';
import { type EntrySeek, seekOf } from '../../../documents/filter-entries.js';
import { type Filter, requiredDocumentsOf, requiredOf } from '../../../query/filter.js';
import type { ReadPlan } from '../../../query/read.js';
import { entriesOf } from '../file/engine-state.js';

/** A read of documents. */
export interface DocumentSearch {
  /** Conditions that must all be true; without any, every document is compared. */
  readonly seeks: readonly EntrySeek[];
  /** Whether the conditions are the whole filter. */
  readonly isWhole: boolean;
}

/** The search for a plan without order; undefined if it is not on documents, or if its filter has the keys of rows. */
export function documentSearch({
  filter,
  order,
  table,
}: Pick<ReadPlan, 'filter' | 'order' | 'table'>): DocumentSearch | undefined {
  const required = requiredDocumentsOf(filter);
  if (
    order !== null ||
    required.length === 0 ||
    requiredOf(filter).some(({ operator }) => isPoint(operator.name))
  )
    return undefined;
  if (entriesOf(table)?.isBuilding === true) return { seeks: [], isWhole: false };
  const conditions = required.flatMap((one) => conjunctsOf(one.filter));
  const seeks = conditions.flatMap((condition) => seekOf(condition) ?? []);
  const isWhole = seeks.length === conditions.length && isOnlyDocuments(filter);
  return { seeks: seeks.filter((seek) => seek !== undefined), isWhole };
}

function isPoint(name: string): boolean {
  return name === '$eq' || name === '$in';
}

function isOnlyDocuments(filter: Filter): boolean {
  if (filter.kind === 'and') return filter.filters.every(isOnlyDocuments);
  return filter.kind === 'document';
}
