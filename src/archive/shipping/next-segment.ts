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
  /** Whether it ends all of the commits. */
  readonly isWhole: boolean;
}

/**
 * The frames of at most `mostPages` pages from a place on. Together the segments of some commits have the last frame of
 * each page. Those of a transaction whose pages are not known have the last frame of each page in the segment.
 * @throws LogChanged
 */
export function nextSegment(
  source: FrameSource,
  from: LogPosition,
  { to, frameOfPage }: FoundCommits,
  mostPages: number,
): Segment {
  if (frameOfPage !== undefined && frameOfPage.size <= mostPages)
    return { to, frames: frameOfPage, isWhole: true };
  const [end, frames] =
    frameOfPage === undefined
      ? framesUpTo(source, from.frames, Math.min(to.frames, from.frames + mostPages))
      : chosenFrames(frameOfPage, from.frames, mostPages);
  const isWhole = end === undefined || end === to.frames;
  return { to: isWhole ? to : positionAt(source, end), frames, isWhole };
}

/** The frames that come first, and that of the page after them. */
function chosenFrames(
  frameOfPage: ReadonlyMap<number, number>,
  from: number,
  mostPages: number,
): [number | undefined, ReadonlyMap<number, number>] {
  const waiting = [...frameOfPage].filter(([, frame]) => frame >= from).sort(([, a], [, b]) => a - b);
  return [waiting[mostPages]?.[1], new Map(waiting.slice(0, mostPages))];
}

/** The last frame of each page among some frames. */
function framesUpTo(
  source: FrameSource,
  from: number,
  to: number,
): [number | undefined, ReadonlyMap<number, number>] {
  const frames = new Map<number, number>();
  const head = Buffer.alloc(4);
  for (let frame = from; frame < to; frame += 1) {
    if (readSync(source.file, head, 0, head.length, source.offsetOf(frame)) < head.length)
      throw new LogChanged();
    frames.set(pageOfFrame(head), frame);
  }
  return [to, frames];
}

function positionAt(source: FrameSource, frames: number): LogPosition {
  const sum = sumAt(source, frames - 1);
  if (sum === undefined) throw new LogChanged();
  return { salts: source.salts, frames, sum };
}
