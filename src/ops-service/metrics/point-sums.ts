// Combines the points of several series, for each step of a time range.
import type { Point, Steps } from './rollup-format.js';

/** Sum and count of the averages, minimum and maximum. */
const numbersPerStep = 4;

/** The mean of the averages, the minimum and the maximum of each step. */
export class PointSums {
  readonly steps: Steps;
  /** Allocated at the first point: most requested tables have none. */
  #numbers: Float64Array | undefined;

  constructor(steps: Steps) {
    this.steps = steps;
  }

  /** Adds a point of one series; it must be in the range. */
  add({ atS, average, min, max }: Point): void {
    const { step, firstS, count } = this.steps;
    this.#numbers ??= new Float64Array(count * numbersPerStep);
    const numbers = this.#numbers;
    const at = ((atS - firstS) / (step * 60)) * numbersPerStep;
    const known = numbers[at + 1] ?? 0;
    numbers[at] = (numbers[at] ?? 0) + average;
    numbers[at + 1] = known + 1;
    numbers[at + 2] = known === 0 ? min : Math.min(numbers[at + 2] ?? min, min);
    numbers[at + 3] = known === 0 ? max : Math.max(numbers[at + 3] ?? max, max);
  }

  /** The point of a step, counted from 0; undefined if there is none. */
  at(index: number): Point | undefined {
    const numbers = this.#numbers;
    const at = index * numbersPerStep;
    const count = numbers?.[at + 1] ?? 0;
    if (numbers === undefined || count === 0) return undefined;
    const { step, firstS } = this.steps;
    const [sum = 0, min = 0, max = 0] = [numbers[at], numbers[at + 2], numbers[at + 3]];
    return { atS: firstS + index * step * 60, average: sum / count, min, max };
  }
}
