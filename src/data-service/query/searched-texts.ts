// How much the texts to search for of one plan may take: they are split where the plan is made, while other requests
// wait on the same thread.
import { type Analyzer, analysisUnits, usualMostCharacters } from '../text-analysis/analyzer.js';

/** The most for all texts of a plan on any thread: about two seconds in the worst case, usually far less. */
const mostUnits = 2 * usualMostCharacters;
/** The most where another thread can make the plan: about 30 ms in the worst case. */
const mostUnitsHere = 128 * 1024;

interface Counted {
  units: number;
  /** The error that leaves the plan to another thread. */
  readonly leave: (() => Error) | undefined;
}

let counted: Counted | undefined;

/**
 * Makes a plan with limits for its texts to search for. `leave`, if it is given: the error that another thread makes
 * the plan. @throws what `plan` throws, and the error of `leave`
 */
export function withSearchedLimit<Given extends readonly unknown[], Plan>(
  leave: (() => Error) | undefined,
  plan: (...given: Given) => Plan,
  ...given: Given
): Plan {
  counted = { units: 0, leave };
  try {
    return plan(...given);
  } finally {
    counted = undefined;
  }
}

/** Counts a text before it is split. @throws the error of `refuse` for too many or long ones, and that of `leave` */
export function countSearchedText(
  text: string,
  analyzer: Analyzer,
  refuse: (problem: string) => Error,
): void {
  if (counted === undefined) return;
  counted.units += analysisUnits(text.length, analyzer);
  if (counted.units > mostUnits)
    throw refuse('the texts to search for are too long together, as their analyzer takes long to split them');
  if (counted.units > mostUnitsHere && counted.leave !== undefined) throw counted.leave();
}
