// Determines how many rows one slice of a long read examines.
import type { ReadDeadline } from '../../../query/row-text.js';
import type { ScanFindings } from './scan-messages.js';

/** The target duration of a slice: other reads and a shutdown wait no longer for it. */
const sliceMs = 20;

/** The number of rows of the next slice, adjusted by the duration of the last one. */
export class ScanBudget {
  readonly #deadline: ReadDeadline;
  readonly #bounds: SliceBounds;
  #rows: number;

  constructor(deadline: ReadDeadline, bounds: SliceBounds) {
    this.#deadline = deadline;
    this.#bounds = bounds;
    this.#rows = bounds.first;
  }

  /** The number of rows of the next slice. */
  get rows(): number {
    return this.#rows;
  }

  /** A budget for other slices of the same read. */
  withBounds(bounds: SliceBounds): ScanBudget {
    return new ScanBudget(this.#deadline, bounds);
  }

  /**
   * Runs a slice of `rows` rows.
   * @throws EngineError `timeout`, or the error of the slice
   */
  async run(slice: () => Promise<ScanFindings>): Promise<ScanFindings> {
    this.#deadline.check();
    const result = await slice();
    const { least, most } = this.#bounds;
    if (result.elapsedMs > sliceMs * 1.5) this.#rows = Math.max(least, Math.floor(this.#rows / 2));
    else if (result.elapsedMs < sliceMs / 2) this.#rows = Math.min(most, this.#rows * 2);
    return result;
  }
}

/** Numbers of rows: of the first slice, and the limits for all slices. */
export interface SliceBounds {
  readonly first: number;
  readonly least: number;
  readonly most: number;
}
