// The format of rollups on disk: one row for each step, time and group of series, one slot of three numbers for each
// series.

/** The minutes that one rollup combines. */
export type StepMinutes = 1 | 5 | 120 | 1440;

/** The steps, finest first, with their retention. Each step except the first is computed from a shorter one. */
export const steps: readonly { readonly minutes: StepMinutes; readonly keptDays: number }[] = [
  { minutes: 1, keptDays: 2 },
  { minutes: 5, keptDays: 14 },
  { minutes: 120, keptDays: 180 },
  { minutes: 1440, keptDays: 5 * 365 },
];

/** The number of series in a row. */
export const slotsPerGroup = 256;

/** Average, minimum and maximum. */
const numbersPerSlot = 3;
const timeFactor = 2 ** 20;
/** The number of groups that keys of rows can distinguish. */
export const mostGroups: number = timeFactor;
const stepFactor = 2 ** 46;

/** The key of a row: rows of one step are adjacent, in the order of time. `minute` counts from 1970. */
export function rowId(step: StepMinutes, minute: number, group: number): number {
  return steps.findIndex(({ minutes }) => minutes === step) * stepFactor + minute * timeFactor + group;
}

/** The minute and the group of a row's key. */
export function placeOfRow(id: number): { readonly minute: number; readonly group: number } {
  return { minute: Math.floor((id % stepFactor) / timeFactor), group: id % timeFactor };
}

/** The average, minimum and maximum of a series in one period. */
export interface Rollup {
  readonly average: number;
  readonly min: number;
  readonly max: number;
}

/** A rollup with the beginning of its period, in seconds since 1970. */
export interface Point extends Rollup {
  readonly atS: number;
}

/** A time range in steps: the beginning of the first, in seconds since 1970, and their number. */
export interface Steps {
  readonly step: StepMinutes;
  readonly firstS: number;
  readonly count: number;
}

/** Combines values of the series of one group until they are packed. */
export class GroupSums {
  readonly #sums = new Float64Array(slotsPerGroup);
  readonly #mins = new Float32Array(slotsPerGroup);
  readonly #maxs = new Float32Array(slotsPerGroup);
  readonly #counts = new Uint32Array(slotsPerGroup);
  #usedSlots = 0;

  /** Whether it contains no values. */
  get isEmpty(): boolean {
    return this.#usedSlots === 0;
  }

  /** Adds one value. */
  add(slot: number, value: number): void {
    this.#addRollup(slot, value, value, value);
  }

  /** Adds rollups of a shorter step. For percentiles only the maximum is used: see `pack`. */
  addPacked(data: Uint8Array): void {
    const slots = data.byteLength / (4 * numbersPerSlot);
    for (let slot = 0; slot < slots; slot += 1) {
      const rollup = unpackSlot(data, slot);
      if (rollup !== undefined) this.#addRollup(slot, rollup.average, rollup.min, rollup.max);
    }
  }

  /** The rollups in the form of a row; undefined if there are none. For percentiles only the maximum is stored. */
  pack(isPercentile: (slot: number) => boolean): Uint8Array | undefined {
    if (this.#usedSlots === 0) return undefined;
    const numbers = new Float32Array(this.#usedSlots * numbersPerSlot).fill(Number.NaN);
    for (let slot = 0; slot < this.#usedSlots; slot += 1) {
      const count = this.#counts[slot] ?? 0;
      if (count === 0) continue;
      const max = this.#maxs[slot] ?? 0;
      const isWhole = !isPercentile(slot);
      numbers[slot * numbersPerSlot] = isWhole ? (this.#sums[slot] ?? 0) / count : max;
      numbers[slot * numbersPerSlot + 1] = isWhole ? (this.#mins[slot] ?? 0) : max;
      numbers[slot * numbersPerSlot + 2] = max;
    }
    return new Uint8Array(numbers.buffer);
  }

  /** Removes all values. */
  clear(): void {
    this.#sums.fill(0);
    this.#counts.fill(0);
    this.#usedSlots = 0;
  }

  #addRollup(slot: number, average: number, min: number, max: number): void {
    const count = this.#counts[slot] ?? 0;
    this.#sums[slot] = (this.#sums[slot] ?? 0) + average;
    this.#mins[slot] = count === 0 ? min : Math.min(this.#mins[slot] ?? 0, min);
    this.#maxs[slot] = count === 0 ? max : Math.max(this.#maxs[slot] ?? 0, max);
    this.#counts[slot] = count + 1;
    if (slot >= this.#usedSlots) this.#usedSlots = slot + 1;
  }
}

/** The rollup of one series in a row; undefined if there is none. */
export function unpackSlot(data: Uint8Array, slot: number): Rollup | undefined {
  const offset = slot * numbersPerSlot * 4;
  if (offset >= data.byteLength) return undefined;
  const view = new DataView(data.buffer, data.byteOffset + offset, numbersPerSlot * 4);
  const average = view.getFloat32(0, isLittleEndian);
  if (Number.isNaN(average)) return undefined;
  return { average, min: view.getFloat32(4, isLittleEndian), max: view.getFloat32(8, isLittleEndian) };
}

/**
 * Typed arrays have the byte order of the machine, which is little-endian on all machines that Node supports except
 * s390x.
 */
const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
