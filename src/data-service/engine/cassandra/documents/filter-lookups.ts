// The look-ups of a filter on documents: terms by which the nodes find every document that can match.
import { conjunctsOf, type DocumentFilter } from '../../../documents/document-filter.js';
import type { EntryRange } from '../../../documents/entries.js';
import { seekOf } from '../../../documents/filter-entries.js';
import { writePath } from '../../../documents/path.js';
import type { Analyzer } from '../../../text-analysis/analyzer.js';
import {
  bucketTerm,
  presenceTerm,
  sizeTerm,
  type Term,
  termPath,
  tokenTerm,
  valueTerm,
} from './entry-terms.js';
import { bucketsWithin } from './key-buckets.js';

/** The terms that a document must all have to be found. */
export type Lookup = readonly Term[];

/** Look-ups of one read at most: as many as an `$in` has values. */
const mostLookups = 100;
/** Look-ups of a range at most, and of one beside other terms, which leave fewer documents anyway. */
export const mostOfRange = 64;
const mostOfRangeBeside = 16;
/** Terms of one look-up at most: nodes compare the documents of the two rarest ones with the others. */
const mostTerms = 8;

export interface LookupOptions {
  /** Look-ups of a range at most: fewer of them find more other documents. */
  readonly most: number;
  /** The analyzer of the tokens that documents have as terms; undefined: they have none. */
  readonly analyzer: Analyzer | undefined;
}

/**
 * Look-ups that together find every document that matches: none if no document can match; undefined if terms do not
 * help, so that every document must be compared. `required`: terms that the documents must have, too.
 */
export function lookupsOf(
  filter: DocumentFilter,
  options: LookupOptions,
  required: Iterable<Term> = [],
): readonly Lookup[] | undefined {
  const conditions = filter.kind === 'and' ? conjunctsOf(filter) : [filter];
  return lookupsOfAll(conditions, options, required);
}

function lookupsOfAny(
  branches: readonly DocumentFilter[],
  options: LookupOptions,
): readonly Lookup[] | undefined {
  const found = new Map<string, Lookup>();
  const ofBranch = { ...options, most: Math.ceil(options.most / branches.length) };
  for (const branch of branches) {
    const own = lookupsOf(branch, ofBranch);
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
function lookupsOfAll(
  conditions: readonly DocumentFilter[],
  options: LookupOptions,
  given: Iterable<Term> = [],
): readonly Lookup[] | undefined {
  const { most } = options;
  const required = new Set(given);
  let fewest: readonly Lookup[] | undefined;
  const add = (lookups: readonly Lookup[] | undefined): void => {
    const [only] = lookups ?? [];
    if (lookups?.length === 1) for (const term of only ?? []) required.add(term);
    else if (lookups !== undefined && (fewest === undefined || lookups.length < fewest.length))
      fewest = lookups;
  };
  const ranges = new RangesOfPaths();
  for (const condition of conditions)
    if (!ranges.take(condition)) add(lookupsOfCondition(condition, options));
  const mostOfThese = required.size > 0 ? Math.min(most, mostOfRangeBeside) : most;
  for (const range of ranges.all()) add(lookupsOfRange(range, mostOfThese));
  const terms = [...required].slice(0, mostTerms);
  if (fewest === undefined) return terms.length === 0 ? undefined : [terms];
  return fewest.map((lookup) => [...new Set([...lookup, ...terms])].slice(0, mostTerms));
}

function lookupsOfCondition(
  condition: DocumentFilter,
  options: LookupOptions,
): readonly Lookup[] | undefined {
  if (condition.kind === 'or') return lookupsOfAny(condition.filters, options);
  if (condition.kind === 'and') return lookupsOfAll(conjunctsOf(condition), options);
  if (condition.kind === 'match') return lookupsOfMatch(condition.text, options);
  if (condition.kind === 'list' && condition.operator === '$all' && condition.operands.length > 1) {
    const parts = condition.operands.map((operand) => ({ ...condition, operands: [operand] }));
    return lookupsOfAll(parts, options);
  }
  const seek = seekOf(condition);
  if (seek === undefined) return undefined;
  const terms = new Set(seek.ranges.map(termOf));
  return terms.size > mostLookups ? undefined : [...terms].map((term) => [term]);
}

/** A text without tokens matches no document. */
function lookupsOfMatch(text: string, { analyzer }: LookupOptions): readonly Lookup[] | undefined {
  if (analyzer === undefined) return undefined;
  const terms = new Set(analyzer.analyze(text).map(tokenTerm));
  return terms.size === 0 ? [] : [[...terms]];
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
