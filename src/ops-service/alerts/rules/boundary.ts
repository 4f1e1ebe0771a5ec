// The comparison of a value with a threshold.
import type { ErrorDetail } from '../../errors/ops-error.js';
import type { Verdict } from '../rule.js';

/** The fields of kinds that compare. */
export interface Boundary {
  readonly threshold: number;
  readonly comparator: '<' | '>';
  /** If set, a firing alert clears only when the value is past this. */
  readonly resolve_threshold?: number;
}

/** Compares a value with a threshold; a value equal to the threshold is not beyond. */
export function compare(value: number, boundary: Boundary): Verdict {
  const { threshold, comparator, resolve_threshold: resolve = threshold } = boundary;
  const isBeyond = comparator === '>' ? value > threshold : value < threshold;
  const staysBeyond = comparator === '>' ? value > resolve : value < resolve;
  return { value, isBeyond, isResolved: !isBeyond && !staysBeyond };
}

/** `above 85`. */
export function boundaryText({ threshold, comparator }: Boundary): string {
  return `${comparator === '>' ? 'above' : 'below'} ${threshold}`;
}

/** The problem of a boundary whose `resolve_threshold` is beyond its threshold. */
export function checkBoundary(boundary: Boundary): readonly ErrorDetail[] {
  const { threshold, comparator, resolve_threshold: resolve } = boundary;
  if (resolve === undefined) return [];
  const isInside = comparator === '>' ? resolve <= threshold : resolve >= threshold;
  if (isInside) return [];
  const side = comparator === '>' ? 'above' : 'below';
  return [
    {
      path: 'resolve_threshold',
      message: `${resolve} is ${side} the threshold ${threshold}: an alert could not clear once it fired`,
    },
  ];
}

/** Whether every value that was beyond one boundary is beyond another one. */
export function isLooserBoundary(before: Boundary, after: Boundary): boolean {
  if (before.comparator !== after.comparator) return false;
  return after.comparator === '>' ? after.threshold <= before.threshold : after.threshold >= before.threshold;
}

/**
 * A value with four digits and those of whole numbers; with seven, as series store it, or with all, if fewer would put
 * it on the other side of the threshold.
 */
export function shownValue(value: number, threshold: number): string {
  const side = Math.sign(value - threshold);
  const wholeDigits = Math.min(17, Math.trunc(Math.abs(value)).toString().length);
  const rounded = [4, 7].map((digits) => Number(value.toPrecision(Math.max(digits, wholeDigits))));
  return String(rounded.find((one) => Math.sign(one - threshold) === side) ?? value);
}
