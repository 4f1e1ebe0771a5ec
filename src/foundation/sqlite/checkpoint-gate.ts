// Keeps checkpoints from moving a write-ahead log into its database before the log is shipped to an archive.
import { closeSync, readSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from '../telemetry/clock.js';
import { openIfThere } from './find-log-damage.js';
import {
  frameBytesIn,
  frameHeadBytes,
  headBytes,
  isEqualPair,
  type NumberPair,
  saltsOfHead,
} from './log-format.js';
import { removeRoundEnd, writeRoundEnd } from './round-end.js';
import { ShippedLog, type ShippedLogSettings } from './shipped-log.js';

/** So much that is not shipped is copied beside the database, so that the checkpoint need not wait. */
const mostRestBytes = 8 * 1024 * 1024;
/** The errors of a full disk. */
const noRoom: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
/** From this share of its limit on, a log is long: writes that are faster than the shipping would fill it. */
const longLogShare = 1 / 4;
/** From these shares of the limit on, a look waits so many times as long: a slow archive may ship less in one wait. */
const longerWaits = [
  { share: 3 / 4, times: 8 },
  { share: 1 / 2, times: 4 },
] as const;
/** Frames of usual pages, by which a caller counts. */
const usualFrameBytes = 4_096 + frameHeadBytes;
/** The time between two looks at the shipping. */
const newsMs = 50;

/** Asked before each checkpoint by the thread that writes the database. */
export class CheckpointGate {
  readonly #path: string;
  readonly #log: ShippedLog;
  readonly #settings: ShippedLogSettings;
  /** Where the last round is that no chain shipped: a reader may keep it, and the next chain has it again. */
  #givenUp: { readonly salts: NumberPair; readonly frames: number } | undefined;

  /** The end of the round could not be written to a full disk, so that only a log that is moved makes room. */
  #lacksRoom = false;

  /** For a connection that is open, and has read the log. Call `end` before it is closed. */
  constructor(path: string, settings: ShippedLogSettings) {
    this.#path = path;
    this.#log = new ShippedLog(settings.shared);
    this.#settings = settings;
    this.#log.setOpen(true);
  }

  end(): void {
    this.#log.setOpen(false);
  }

  /** About the frames from which on a log is long: then a look must not come later. */
  get longFrames(): number {
    return Math.floor((this.#settings.mostLogBytes * longLogShare) / usualFrameBytes);
  }

  /**
   * Whether a checkpoint may begin now, with so many committed frames in the log. If so, what is not shipped yet, and
   * where the round ends, are on the disk beside the database; or the chain of the archive is given up, because the log
   * has reached its limit, or the disk has no room for it. With a long log it waits a little for a shipping that works.
   * An error of the file system keeps the log as it is, and the thread that ships reports it.
   */
  mayCheckpoint(frames: number): boolean {
    return this.#unlessFilesFail(
      () => this.#mayEnd(frames) || this.#mayEndWhenShipped(frames) || this.#mayGiveUp(frames),
    );
  }

  #unlessFilesFail(ask: () => boolean): boolean {
    try {
      const may = ask();
      this.#log.setGateError(0);
      return may;
    } catch (error) {
      if (!isOfFiles(error)) throw error;
      this.#log.setGateError(error.errno);
      return false;
    }
  }

  /** Whether the round of the log may end. If so, its end is on the disk. @throws errors of the file system */
  #mayEnd(frames: number): boolean {
    this.#lacksRoom = false;
    if (this.#log.mode !== 'shipping') {
      this.#noteUnshipped(frames);
      return true;
    }
    const round = this.#shippedRound(frames);
    if (round === undefined) return true;
    const shipped = this.#log.read();
    const isOfRound = isEqualPair(shipped.salts, round.salts);
    const from = isOfRound ? Math.min(shipped.frames, frames) : 0;
    // The rest of an earlier round is still in its file, so this round cannot get one.
    if (this.#log.hasRest || (frames - from) * round.frameBytes > mostRestBytes) return false;
    try {
      writeRoundEnd(this.#path, { from, to: frames, before: isOfRound ? undefined : shipped });
    } catch (error) {
      if (!isOfFiles(error)) throw error;
      this.#lacksRoom = noRoom.has(error.code ?? '');
      if (this.#lacksRoom || this.#isFull(frames)) return false;
      throw error;
    }
    // The file is there before: the other thread can read the rest that it sees announced.
    if (frames > from) this.#log.setHasRest(true);
    return true;
  }

  /** Gives the chain of the archive up if the log has reached its limit, or has no room to reach it. */
  #mayGiveUp(frames: number): boolean {
    const mayGiveUp =
      this.#isFull(frames) ||
      this.#lacksRoom ||
      (this.#log.isFailing && this.#roomBytes() < this.#settings.leastRoomBytes);
    if (!mayGiveUp) return false;
    this.#noteUnshipped(frames);
    this.#log.setMode('givenUp');
    return true;
  }

  /**
   * Notes where a round ends of which nothing will be shipped. A chain that begins meanwhile ships it again, and knows
   * by the note that it has all of it when the next round begins. For the chain before, frames are missing.
   */
  #noteUnshipped(frames: number): void {
    const round = frames <= 0 ? undefined : this.#round();
    if (round === undefined) return;
    this.#givenUp = { salts: round.salts, frames };
    try {
      writeRoundEnd(this.#path, { from: frames, to: frames, before: undefined });
    } catch (error) {
      if (!isOfFiles(error)) throw error;
      // An older note must not let the chain before continue. To remove it takes no room on a full disk.
      removeRoundEnd(this.#path);
    }
  }

  /** How many bytes the file system of the database has left; some do not say it. */
  #roomBytes(): number {
    const { bavail, blocks, bsize } = statfsSync(dirname(this.#path));
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
  }

  #isFull(frames: number): boolean {
    return this.#bytesOf(frames) >= this.#settings.mostLogBytes;
  }

  /** The bytes of a log that is shipped, without those of a round that was given up before; 0 for others. */
  #bytesOf(frames: number): number {
    const round = this.#shippedRound(frames);
    if (round === undefined) return 0;
    const before = this.#givenUp;
    const isSame = before !== undefined && isEqualPair(before.salts, round.salts) && before.frames <= frames;
    return (frames - (isSame ? before.frames : 0)) * round.frameBytes;
  }

  #mayEndWhenShipped(frames: number): boolean {
    const { mostLogBytes, lookWaitMs } = this.#settings;
    const share = this.#bytesOf(frames) / mostLogBytes;
    // A disk may be full for a moment only.
    if (lookWaitMs === 0 || (share < longLogShare && !this.#lacksRoom)) return false;
    const times = longerWaits.find((each) => share >= each.share)?.times ?? 1;
    const endMs = systemClock.monotonicMs() + lookWaitMs * times;
    this.#log.setAwaited(true);
    try {
      while (!this.#log.isFailing && systemClock.monotonicMs() < endMs) {
        this.#log.waitForNews(newsMs);
        if (this.#mayEnd(frames)) return true;
      }
      return false;
    } finally {
      this.#log.setAwaited(false);
    }
  }

  /**
   * Whether the checkpoint at the end of the connection may begin. It waits a little until the log is shipped; a log
   * that is not stays for the next start.
   */
  mayCheckpointAtEnd(frames: number): boolean {
    const endMs = systemClock.monotonicMs() + this.#settings.endWaitMs;
    while (!this.#log.isFailing && this.#isWaiting(frames)) {
      const leftMs = endMs - systemClock.monotonicMs();
      if (leftMs <= 0) break;
      this.#log.waitForNews(Math.min(leftMs, newsMs));
    }
    // On a full disk the log stays, and the next start continues with it.
    return !this.#isWaiting(frames) && this.#unlessFilesFail(() => this.#mayEnd(frames));
  }

  /** Whether something of the log is not shipped, or it cannot be read. */
  #isWaiting(frames: number): boolean {
    try {
      const round = this.#shippedRound(frames);
      if (round === undefined) return false;
      const shipped = this.#log.read();
      return this.#log.hasRest || !isEqualPair(shipped.salts, round.salts) || shipped.frames < frames;
    } catch (error) {
      if (!isOfFiles(error)) throw error;
      return true;
    }
  }

  /** The present round of the log; undefined if it is not shipped or has no frames. */
  #shippedRound(frames: number): Round | undefined {
    return this.#log.mode !== 'shipping' || frames <= 0 ? undefined : this.#round();
  }

  /** Undefined if there is no log. */
  #round(): Round | undefined {
    const file = openIfThere(`${this.#path}-wal`);
    if (file === undefined) return undefined;
    try {
      const head = Buffer.alloc(headBytes);
      if (readSync(file, head, 0, headBytes, 0) < headBytes) return undefined;
      return { salts: saltsOfHead(head), frameBytes: frameBytesIn(head) };
    } finally {
      closeSync(file);
    }
  }
}

interface Round {
  readonly salts: NumberPair;
  readonly frameBytes: number;
}

function isOfFiles(error: unknown): error is NodeJS.ErrnoException & { readonly errno: number } {
  return error instanceof Error && 'syscall' in error && 'errno' in error;
}
