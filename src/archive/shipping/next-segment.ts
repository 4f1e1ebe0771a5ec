// Chooses what the next piece has of the commits that were found in a log.
import { readSync } from 'node:fs';
import { pageOfFrame } from '../../foundation/sqlite/log-format.js';
import type { LogPosition } from '../format/log-position.js';
import { type FoundCommits, type FrameSource, LogChanged, sumAt } from './read-log.js';

/** What one piece has. */
export interface Segment {
  /** The place after it. */
  readonly to: LogPosition;
  /** The frame of each page. */
  readonly frames: ReadonlyMap<number, number>;
  /** Whether it ends with the last of the commits. */
  readonly isWhole: boolean;
  /** It lacks pages that have a later frame before this place; undefined if it lacks none. */
  readonly until: LogPosition | undefined;
}

/**
 * The frames of at most `mostPages` pages from a place on. Together the segments of some commits have the last frame of
 * each page. Segments of a transaction whose pages are not known have the last frame of each page in the segment.
 * @throws LogChanged
 */
export function nextSegment(
  source: FrameSource,
  from: LogPosition,
  { to, frameOfPage }: FoundCommits,
  mostPages: number,
): Segment {
  if (frameOfPage === undefined) {
    const end = Math.min(to.frames, from.frames + mostPages);
    const frames = lastFrames(source, from.frames, end);
    const isWhole = end === to.frames;
    return { to: isWhole ? to : positionAt(source, end), frames, isWhole, until: undefined };
  }
  if (frameOfPage.size <= mostPages) return { to, frames: frameOfPage, isWhole: true, until: undefined };
  const waiting = [...frameOfPage].filter(([, frame]) => frame >= from.frames).sort(([, a], [, b]) => a - b);
  const frames = new Map(waiting.slice(0, mostPages));
  const next = waiting[mostPages];
  if (next === undefined) return { to, frames, isWhole: true, until: undefined };
  return { to: positionAt(source, next[1]), frames, isWhole: false, until: to };
}

/** The last frame of each page among some frames. */
function lastFrames(source: FrameSource, from: number, to: number): ReadonlyMap<number, number> {
  const frames = new Map<number, number>();
  const head = Buffer.alloc(4);
  for (let frame = from; frame < to; frame += 1) {
    if (readSync(source.file, head, 0, head.length, source.offsetOf(frame)) < head.length)
      throw new LogChanged();
    frames.set(pageOfFrame(head), frame);
  }
  return frames;
}

function positionAt(source: FrameSource, frames: number): LogPosition {
  const sum = sumAt(source, frames - 1);
  if (sum === undefined) throw new LogChanged();
  return { salts: source.salts, frames, sum };
}
