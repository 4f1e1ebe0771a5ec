// Keeps checkpoints from moving a write-ahead log into its database before the log is shipped to an archive.
import { closeSync, readSync } from 'node:fs';
import { systemClock } from '../telemetry/clock.js';
import { openIfThere } from './find-log-damage.js';
import { frameBytesIn, headBytes, isEqualPair, saltsOfHead } from './log-format.js';
import { removeRoundEnd, writeRoundEnd } from './round-end.js';
import { ShippedLog, type ShippedLogSettings } from './shipped-log.js';

/** So much that is not shipped is copied beside the database, so that the checkpoint need not wait. */
const mostRestBytes = 8 * 1024 * 1024;

/** Asked before each checkpoint by the thread that writes the database. */
export class CheckpointGate {
  readonly #path: string;
  readonly #log: ShippedLog;
  readonly #settings: ShippedLogSettings;

  constructor(path: string, settings: ShippedLogSettings) {
    this.#path = path;
    this.#log = new ShippedLog(settings.shared);
    this.#settings = settings;
  }

  /**
   * Whether a checkpoint may begin now, with so many committed frames in the log. If so, what is not shipped yet, and
   * where the round ends, are on the disk beside the database; or the chain of the archive is given up, because the log
   * has reached its limit. An error of the file system keeps the log as it is, and the thread that ships reports it.
   */
  mayCheckpoint(frames: number): boolean {
    try {
      const may = this.#prepare(frames);
      this.#log.setGateError(0);
      return may;
    } catch (error) {
      if (!isOfFiles(error)) throw error;
      this.#log.setGateError(error.errno);
      return false;
    }
  }

  #prepare(frames: number): boolean {
    const round = this.#shippedRound(frames);
    if (round === undefined) return true;
    const shipped = this.#log.read();
    const isOfRound = isEqualPair(shipped.salts, round.salts);
    const from = isOfRound ? Math.min(shipped.frames, frames) : 0;
    const isFull = frames * round.frameBytes >= this.#settings.mostLogBytes;
    // The rest of an earlier round is still in its file, so this round cannot get one.
    const mayHaveEnd = !this.#log.hasRest && (frames - from) * round.frameBytes <= mostRestBytes;
    if (mayHaveEnd) {
      try {
        writeRoundEnd(this.#path, { from, to: frames, before: isOfRound ? undefined : shipped });
        // The file is there before: the other thread can read the rest that it sees announced.
        if (frames > from) this.#log.setHasRest(true);
        return true;
      } catch (error) {
        if (!isOfFiles(error) || !isFull) throw error;
      }
    }
    if (!isFull) return false;
    // The frames of this round are lost for the archive: after a kill no start may continue after the round before.
    removeRoundEnd(this.#path);
    this.#log.setMode('givenUp');
    return true;
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
      this.#log.waitForNews(Math.min(leftMs, 50));
    }
    return !this.#isWaiting(frames) && this.mayCheckpoint(frames);
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
  readonly salts: readonly [number, number];
  readonly frameBytes: number;
}

function isOfFiles(error: unknown): error is NodeJS.ErrnoException & { readonly errno: number } {
  return error instanceof Error && 'syscall' in error && 'errno' in error;
}
