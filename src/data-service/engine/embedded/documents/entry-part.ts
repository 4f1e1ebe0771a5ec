// How the documents of a filter are found: by the entries of one condition, and how the others are checked.
import type { EntrySeek } from '../../../documents/filter-entries.js';
import type { DocumentSearch } from '../statements/document-search.js';
import { mostWritten } from './entry-lists.js';
import { type EntryPart, isOfPoints, isPoint, type Plan } from './entry-reads.js';
import type { EntrySurvey } from './entry-survey.js';
import { rangeCheck } from './range-checks.js';

/** A survey of the conditions of a filter is short if all together have up to so many ranges. */
export const mostRangesOfFew = 20;
/** Entries of other conditions are looked up for each document, up to so many ranges of all of them together. */
const mostProbed = 40;
/** Other ranges of numbers are checked in SQL, up to here. */
const mostChecks = 16;
/** To look up an entry takes as long as to read so many. */
const lookUpCost = 8;

/** The conditions of a read, and the place of the one whose entries find the documents. */
export interface ChosenSeek {
  readonly seeks: readonly EntrySeek[];
  /** Undefined: all documents are compared. */
  readonly chosen: number | undefined;
  /** With it, entries of other conditions are merged where that takes less than to look them up. */
  readonly survey?: EntrySurvey | undefined;
}

/** The part of the entries that a read uses. */
export function entryPart(
  plan: Plan,
  search: Pick<DocumentSearch, 'isWhole'>,
  { seeks, chosen, survey }: ChosenSeek,
): EntryPart {
  const all = { plan, seek: undefined, probes: [], merged: [], checks: [], isCovered: false, isExact: false };
  const seek = seeks[chosen ?? -1];
  if (seek === undefined) return all;
  const others = seeks.filter((each) => each !== seek);
  const sought = probed(others);
  const checks = others.flatMap((each) => rangeCheck(plan.table, each) ?? []).slice(0, mostChecks);
  const merged = survey === undefined ? [] : sought.filter((each) => isMergeFaster(survey, seek, each));
  const probes = sought.filter((each) => !merged.includes(each));
  const isCovered = search.isWhole && sought.length + checks.length === others.length;
  const areOthersExact = isCovered && sought.every((each) => each.isExact);
  return {
    plan,
    seek,
    probes,
    merged: merged.flatMap(({ ranges }) => ranges),
    checks,
    isCovered,
    isExact: areOthersExact && seek.isExact,
    exactExcept: areOthersExact ? seek.ranges[0]?.exactExcept : undefined,
  };
}

/** Whether no document can match a condition, such as `$in: []`. */
export function hasNoRange({ ranges }: EntrySeek): boolean {
  return ranges.length === 0;
}

/** The number of ranges of all conditions together. */
export function rangesOf(seeks: readonly EntrySeek[]): number {
  return seeks.reduce((sum, { ranges }) => sum + ranges.length, 0);
}

/** The conditions whose entries are looked up: those with the fewest ranges. */
function probed(seeks: readonly EntrySeek[]): readonly EntrySeek[] {
  let ranges = 0;
  return seeks
    .filter((seek) => isOfPoints(seek) && seek.ranges.length <= mostWritten)
    .toSorted((one, other) => one.ranges.length - other.ranges.length)
    .filter((seek) => {
      ranges += seek.ranges.length;
      return ranges <= mostProbed;
    });
}

/** Only entries of single keys are in the order of documents. */
function isMergeFaster({ seeks, counts }: EntrySurvey, seek: EntrySeek, other: EntrySeek): boolean {
  const isSingle = ({ ranges }: EntrySeek) => ranges.length === 1 && ranges.every(isPoint);
  const entriesOf = (each: EntrySeek) => counts[seeks.indexOf(each)]?.entries ?? Number.POSITIVE_INFINITY;
  return isSingle(seek) && isSingle(other) && entriesOf(other) <= lookUpCost * entriesOf(seek);
}
