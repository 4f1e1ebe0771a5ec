// The look-ups of a filter on documents: terms by which the nodes find every document that can match.
import { conjunctsOf, type DocumentFilter } from '../../../documents/document-filter.js';
import type { EntryRange } from '../../../documents/entries.js';
import { seekOf } from '../../../documents/filter-entries.js';
import { writePath } from '../../../documents/path.js';
import { bucketTerm, presenceTerm, sizeTerm, type Term, termPath, valueTerm } from './entry-terms.js';
import { bucketsWithin } from './key-buckets.js';

/** The terms that a document must all have to be found. */
export type Lookup = readonly Term[];

/** Look-ups of one read at most: as many as an `$in` has values. */
const mostLookups = 100;
/** Look-ups of a range at most, and of one beside other terms, which leave fewer documents anyway. */
const mostOfRange = 64;
const mostOfRangeBeside = 16;
/** Terms of one look-up at most: nodes compare the documents of the two rarest ones with the others. */
const mostTerms = 8;

/**
 * Look-ups that together find every document that matches: none if no document can match; undefined if terms do not
 * help, so that every document must be compared. Ranges take at most `most`, and leave fewer other documents out then.
 */
export function lookupsOf(filter: DocumentFilter, most: number = mostOfRange): readonly Lookup[] | undefined {
  switch (filter.kind) {
    case 'and':
      return lookupsOfAll(conjunctsOf(filter), most);
    case 'or':
      return lookupsOfAny(filter.filters, most);
    default:
      return lookupsOfAll([filter], most);
  }
}

function lookupsOfAny(branches: readonly DocumentFilter[], most: number): readonly Lookup[] | undefined {
  const found = new Map<string, Lookup>();
  for (const branch of branches) {
    const own = lookupsOf(branch, Math.ceil(most / branches.length));
    if (own === undefined) return undefined;
    for (const lookup of own) found.set(lookup.join(), lookup);
    if (found.size > mostLookups) return undefined;
  }
  return [...found.values()];
}

/**
 * Terms that every match has are in each look-up. Of conditions that take several look-ups, the one with the fewest is
 * looked up, and the others are only compared.
 */
function lookupsOfAll(conditions: readonly DocumentFilter[], most: number): readonly Lookup[] | undefined {
  const required = new Set<Term>();
  let fewest: readonly Lookup[] | undefined;
  const add = (lookups: readonly Lookup[] | undefined): void => {
    const [only] = lookups ?? [];
    if (lookups?.length === 1) for (const term of only ?? []) required.add(term);
    else if (lookups !== undefined && (fewest === undefined || lookups.length < fewest.length))
      fewest = lookups;
  };
  const ranges = new RangesOfPaths();
  for (const condition of conditions) if (!ranges.take(condition)) add(lookupsOfCondition(condition, most));
  const mostOfThese = required.size > 0 ? Math.min(most, mostOfRangeBeside) : most;
  for (const range of ranges.all()) add(lookupsOfRange(range, mostOfThese));
  const terms = [...required].slice(0, mostTerms);
  if (fewest === undefined) return terms.length === 0 ? undefined : [terms];
  return fewest.map((lookup) => [...new Set([...lookup, ...terms])].slice(0, mostTerms));
}

function lookupsOfCondition(condition: DocumentFilter, most: number): readonly Lookup[] | undefined {
  if (condition.kind === 'and' || condition.kind === 'or') return lookupsOf(condition, most);
  if (condition.kind === 'list' && condition.operator === '$all' && condition.operands.length > 1) {
    const parts = condition.operands.map((operand) => ({ ...condition, operands: [operand] }));
    return lookupsOfAll(parts, most);
  }
  const seek = seekOf(condition);
  if (seek === undefined) return undefined;
  const terms = new Set(seek.ranges.map(termOf));
  return terms.size > mostLookups ? undefined : [...terms].map((term) => [term]);
}

function termOf({ path: entryPath, kind, low }: EntryRange): Term {
  const path = termPath(entryPath);
  if (kind === 'value') return valueTerm(path, low);
  const size = kind === 'size' ? sizeTerm(path, low) : undefined;
  return size ?? presenceTerm(path);
}

/** Ranges in all of which the value at a path must be. */
interface PathRange {
  readonly path: string;
  readonly ranges: readonly EntryRange[];
}

/** Conditions on ranges by their paths: those of one path take one look-up together. */
class RangesOfPaths {
  readonly #found = new Map<string, PathRange>();

  /** Whether the condition is one on a range. */
  take(condition: DocumentFilter): boolean {
    if (condition.kind !== 'value') return false;
    const [range] = seekOf(condition)?.ranges ?? [];
    if (range?.kind !== 'range') return false;
    const written = writePath(condition.path);
    const { ranges = [] } = this.#found.get(written) ?? {};
    this.#found.set(written, { path: termPath(range.path), ranges: [...ranges, range] });
    return true;
  }

  all(): Iterable<PathRange> {
    return this.#found.values();
  }
}

function lookupsOfRange({ path, ranges }: PathRange, most: number): readonly Lookup[] {
  const buckets = bucketsWithin(ranges, most);
  return buckets?.map((bucket) => [bucketTerm(path, bucket)]) ?? [[presenceTerm(path)]];
}
