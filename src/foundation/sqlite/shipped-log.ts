// How far a write-ahead log has been shipped to an archive, in memory that two threads share: the one that ships, and
// the one that writes the database and makes its checkpoints.
import type { NumberPair } from './log-format.js';

/** What the thread that writes a database needs to know of the shipping. Plain data, which threads share. */
export interface ShippedLogSettings {
  /** Made by `makeShippedLog`. */
  readonly shared: SharedArrayBuffer;
  /** The size of the log in bytes from which it is moved into the file although it is not shipped. */
  readonly mostLogBytes: number;
  /** With less room on the disk, the log is moved although the archive cannot be written: without room, writes fail. */
  readonly leastRoomBytes: number;
  /** How long the end of the connection waits until the log is shipped. */
  readonly endWaitMs: number;
  /** How long a look at a log that has become long waits until it is shipped, so that writes do not overtake it. */
  readonly lookWaitMs: number;
  /** Made by `makeWritePermit`: whether this server may write. Absent: it may. */
  readonly permit?: SharedArrayBuffer | undefined;
}

/** So many frames of the round with these salts are shipped. */
export interface ShippedFrames {
  readonly salts: NumberPair;
  readonly frames: number;
}

const at = {
  version: 0,
  mode: 1,
  salts: 2,
  frames: 4,
  hasRest: 5,
  isFailing: 6,
  gateError: 7,
  isAwaited: 8,
  isOpen: 9,
} as const;
const slots = 10;
/** `off`: nothing is shipped yet. `givenUp`: the log was moved without being shipped, so the chain has a gap. */
const modes = ['off', 'shipping', 'givenUp'] as const;

/** Whether checkpoints must wait for the shipping. */
export type ShippingMode = (typeof modes)[number];

/** The memory for the state of one log. */
export function makeShippedLog(): SharedArrayBuffer {
  return new SharedArrayBuffer(slots * Int32Array.BYTES_PER_ELEMENT);
}

/** The state of one log, as both threads see it. */
export class ShippedLog {
  readonly #words: Int32Array;

  constructor(shared: SharedArrayBuffer) {
    this.#words = new Int32Array(shared);
  }

  get mode(): ShippingMode {
    return modes[Atomics.load(this.#words, at.mode)] ?? 'off';
  }

  setMode(mode: ShippingMode): void {
    Atomics.store(this.#words, at.mode, modes.indexOf(mode));
    Atomics.notify(this.#words, at.version);
  }

  /** Whether frames of an earlier round wait in the file of the end of that round. */
  get hasRest(): boolean {
    return Atomics.load(this.#words, at.hasRest) === 1;
  }

  setHasRest(hasRest: boolean): void {
    Atomics.store(this.#words, at.hasRest, hasRest ? 1 : 0);
  }

  /** Whether the last attempt to ship failed: the end of a connection then does not wait. */
  get isFailing(): boolean {
    return Atomics.load(this.#words, at.isFailing) === 1;
  }

  setFailing(isFailing: boolean): void {
    Atomics.store(this.#words, at.isFailing, isFailing ? 1 : 0);
    Atomics.notify(this.#words, at.version);
  }

  /** Whether the thread that writes waits for the shipping. */
  get isAwaited(): boolean {
    return Atomics.load(this.#words, at.isAwaited) === 1;
  }

  setAwaited(isAwaited: boolean): void {
    Atomics.store(this.#words, at.isAwaited, isAwaited ? 1 : 0);
  }

  /** Whether the thread that writes has the database open: then the index of the log is right. */
  get isOpen(): boolean {
    return Atomics.load(this.#words, at.isOpen) === 1;
  }

  setOpen(isOpen: boolean): void {
    Atomics.store(this.#words, at.isOpen, isOpen ? 1 : 0);
  }

  /** Only the thread that ships publishes. */
  publish({ salts, frames }: ShippedFrames): void {
    Atomics.add(this.#words, at.version, 1); // odd: it is being changed
    Atomics.store(this.#words, at.salts, salts[0] | 0);
    Atomics.store(this.#words, at.salts + 1, salts[1] | 0);
    Atomics.store(this.#words, at.frames, frames);
    Atomics.add(this.#words, at.version, 1);
    Atomics.notify(this.#words, at.version);
  }

  /** What was published last. */
  read(): ShippedFrames {
    for (;;) {
      const version = Atomics.load(this.#words, at.version);
      const salts = [
        Atomics.load(this.#words, at.salts) >>> 0,
        Atomics.load(this.#words, at.salts + 1) >>> 0,
      ] as const;
      const frames = Atomics.load(this.#words, at.frames);
      if (version % 2 === 0 && Atomics.load(this.#words, at.version) === version) return { salts, frames };
    }
  }

  /** Waits, without another turn of the thread, until something is published or the time is over. */
  waitForNews(ms: number): void {
    const version = Atomics.load(this.#words, at.version);
    Atomics.wait(this.#words, at.version, version, ms);
  }

  /** The number of the error of the file system with which the last look at the gate failed; 0 for none. */
  get gateError(): number {
    return Atomics.load(this.#words, at.gateError);
  }

  setGateError(errno: number): void {
    Atomics.store(this.#words, at.gateError, errno);
  }
}
