// How much of the log of a database waits for the archive, for people.
import { isEqualPair } from '../../foundation/sqlite/log-format.js';
import type { LogPosition } from '../format/log-position.js';
import { type FrameSource, scanCommits } from './read-log.js';

/** The commits of a scan, in pages, and the scans of one count: the next count continues. */
const pagesOfScan = 1_024;
const scansOfCount = 16;

/** What waits of one database. */
export class WaitingCommits {
  #sinceMs: number | undefined;
  #bytes = 0;
  #throughMs: number | undefined;
  /** The end of the last commit that was counted. */
  #counted: LogPosition | undefined;

  /** `sinceMs`: of commits that an earlier process could not ship. */
  constructor(sinceMs?: number) {
    this.#sinceMs = sinceMs;
  }

  /** Since when the oldest commit waits that is not in the archive; undefined if none does. */
  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  /** About the bytes of the log that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Everything that was committed before is in the archive; in ms since 1970, undefined while nothing is known. */
  get throughMs(): number | undefined {
    return this.#throughMs;
  }

  /** Nothing waits that was committed before a time. */
  noteNone(throughMs: number): void {
    this.#throughMs = throughMs;
    this.#sinceMs = undefined;
    this.#bytes = 0;
    this.#counted = undefined;
  }

  /** Other commits wait, but none that was made before a time. */
  noteNoneBefore(throughMs: number): void {
    this.#throughMs = Math.max(throughMs, this.#throughMs ?? throughMs);
    if (this.#sinceMs !== undefined) this.#sinceMs = Math.max(throughMs, this.#sinceMs);
  }

  /** Frames wait, which a look at the log found that began at a time. */
  noteFrames({ frameBytes }: FrameSource, frames: number, atMs: number): void {
    this.#sinceMs ??= atMs;
    this.#bytes = frames * frameBytes;
    this.#counted = undefined;
  }

  /** Counts the commits of a log after a place, while none of them can be shipped. */
  count(source: FrameSource, from: LogPosition, atMs: number): void {
    const before = this.#counted;
    const isOfRound = before !== undefined && isEqualPair(before.salts, source.salts);
    let to = isOfRound && before.frames > from.frames ? before : from;
    for (let scan = 0; scan < scansOfCount; scan += 1) {
      const found = scanCommits(source, to, pagesOfScan);
      if (found === undefined) break;
      to = found.to;
    }
    if (to.frames === from.frames) return;
    this.noteFrames(source, to.frames - from.frames, atMs);
    this.#counted = to;
  }
}
