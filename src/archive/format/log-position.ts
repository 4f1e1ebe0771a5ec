// A place in a write-ahead log, by which pieces of an archive follow each other.

/**
 * So many frames of a round of the log: from its beginning, with the checksum that the last of them has. The same
 * salts, frames and sum mean the same content. A round without frames has the sum of its head.
 */
export interface LogPosition {
  readonly salts: readonly [number, number];
  readonly frames: number;
  readonly sum: readonly [number, number];
}

/** The place of a chain that is in no log yet. It stands before the beginning of any round. */
export const noPosition: LogPosition = { salts: [0, 0], frames: 0, sum: [0, 0] };

/** Whether two places are the same. */
export function isSamePosition(one: LogPosition, other: LogPosition): boolean {
  return (
    one.frames === other.frames &&
    one.salts[0] === other.salts[0] &&
    one.salts[1] === other.salts[1] &&
    one.sum[0] === other.sum[0] &&
    one.sum[1] === other.sum[1]
  );
}
