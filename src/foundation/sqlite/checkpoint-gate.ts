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
   * has reached its limit. An error of the file system keeps the log as it is: the next attempt meets it again.
   */
  mayCheckpoint(frames: number): boolean {
    return unlessRefused(() => this.#prepare(frames));
  }

  #prepare(frames: number): boolean {
    if (this.#log.mode !== 'shipping' || frames <= 0) return true;
    const round = this.#round();
    if (round === undefined) return true;
    const shipped = this.#shippedOf(frames, round);
    const restBytes = (frames - shipped) * round.frameBytes;
    // The rest of an earlier round is still in its file, so this round cannot get one.
    const mayHaveEnd = !this.#log.hasRest && restBytes <= mostRestBytes;
    if (mayHaveEnd) {
      writeRoundEnd(this.#path, shipped, frames);
      if (restBytes > 0) this.#log.setHasRest(true);
      return true;
    }
    if (frames * round.frameBytes < this.#settings.mostLogBytes) return false;
    // The frames of this round are lost for the archive: after a kill no start may continue behind the round before.
    removeRoundEnd(this.#path);
    this.#log.setMode('givenUp');
    return true;
  }

  /** The same at the end of the connection, which waits a little until the log is shipped. */
  mayCheckpointAtEnd(frames: number): boolean {
    return unlessRefused(() => this.#prepareEnd(frames));
  }

  #prepareEnd(frames: number): boolean {
    const endMs = systemClock.monotonicMs() + this.#settings.endWaitMs;
    this.#log.wake();
    while (this.#log.mode === 'shipping' && !this.#log.isFailing && this.#isWaiting(frames)) {
      const leftMs = endMs - systemClock.monotonicMs();
      if (leftMs <= 0) break;
      this.#log.waitForNews(Math.min(leftMs, 50));
    }
    return !this.#isWaiting(frames) && this.#prepare(frames);
  }

  /** Whether something of the log is not shipped. */
  #isWaiting(frames: number): boolean {
    if (this.#log.mode !== 'shipping' || frames <= 0) return false;
    const round = this.#round();
    return round !== undefined && (this.#log.hasRest || this.#shippedOf(frames, round) < frames);
  }

  #shippedOf(frames: number, { salts }: Round): number {
    const shipped = this.#log.read();
    return isEqualPair(shipped.salts, salts) ? Math.min(shipped.frames, frames) : 0;
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

function unlessRefused(ask: () => boolean): boolean {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    return false;
  }
}
