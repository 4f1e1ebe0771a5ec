// Whether a server may write now, in memory that its threads share: the thread that holds the lease of the archive sets
// it, and those that write look at it at the moment of each write.
import { type Clock, processClock } from '../telemetry/clock.js';
import { shortened } from '../text/shorten-text.js';
import type { ErrorForm } from '../threads/crossing-error.js';

/** Nothing was written: this server may not write. The message says why. */
export class WritesRefused extends Error {}

/** The write is stored here, but the right to write ended meanwhile: the other server may not have it. */
export class WriteUncertain extends Error {}

/** The forms of these errors. */
export const permitErrorForms: readonly ErrorForm[] = [
  {
    kind: 'writes-refused',
    pack: (error) => (error instanceof WritesRefused ? error.message : undefined),
    unpack: (packed) => new WritesRefused(String(packed)),
  },
  {
    kind: 'write-uncertain',
    pack: (error) => (error instanceof WriteUncertain ? error.message : undefined),
    unpack: (packed) => new WriteUncertain(String(packed)),
  },
];

const modes = { free: 0n, until: 1n, refused: 2n } as const;
const at = { mode: 0, monotonicUs: 1, wallMs: 2, changes: 3, textBytes: 4 } as const;
const headBytes = 5 * BigInt64Array.BYTES_PER_ELEMENT;
const mostUnits = 400;
/** No character of UTF-16 takes more than three bytes in UTF-8. */
const mostTextBytes = 3 * mostUnits;
/** How long a write waits for the renewal of a lease whose time is over, as after the sleep of a machine. */
const waitMs = 1_000;
const notRenewed = 'this server has not renewed its lease of the archive in time, so another one may write';

/** The memory of one server. Without more, it may write. */
export function makeWritePermit(): SharedArrayBuffer {
  return new SharedArrayBuffer(headBytes + mostTextBytes);
}

/** The permit of a server, as all its threads see it. Only one thread changes it. */
export class WritePermit {
  readonly #words: BigInt64Array;
  readonly #text: Uint8Array;
  readonly #clock: Clock;

  /** `clock`: one whose times are the same on all threads. */
  constructor(shared: SharedArrayBuffer, clock: Clock = processClock) {
    this.#words = new BigInt64Array(shared, 0, headBytes / BigInt64Array.BYTES_PER_ELEMENT);
    this.#text = new Uint8Array(shared, headBytes);
    this.#clock = clock;
  }

  /** Allows writes until one of the clocks shows this. */
  allowUntil({ monotonicMs, wallMs }: { readonly monotonicMs: number; readonly wallMs: number }): void {
    Atomics.store(this.#words, at.monotonicUs, BigInt(Math.floor(monotonicMs * 1000)));
    Atomics.store(this.#words, at.wallMs, BigInt(Math.floor(wallMs)));
    this.#set(modes.until);
  }

  /** Refuses all writes. `reason`: a sentence for clients, without a full stop. */
  refuse(reason: string): void {
    const bytes = Buffer.from(shortened(reason, mostUnits));
    this.#text.set(bytes);
    Atomics.store(this.#words, at.textBytes, BigInt(bytes.length));
    this.#set(modes.refused);
  }

  /** Why writes are refused now; undefined if they are allowed. */
  get refusal(): string | undefined {
    const mode = Atomics.load(this.#words, at.mode);
    if (mode === modes.free) return undefined;
    if (mode === modes.until) return this.#isOver ? notRenewed : undefined;
    const length = Number(Atomics.load(this.#words, at.textBytes));
    return Buffer.from(this.#text).subarray(0, length).toString();
  }

  /** Waits a little for a renewal if the time is over. @throws WritesRefused */
  expectAllowed(): void {
    let refusal = this.refusal;
    const endMs = this.#clock.monotonicMs() + waitMs;
    while (refusal === notRenewed) {
      const changes = Atomics.load(this.#words, at.changes);
      refusal = this.refusal;
      const leftMs = endMs - this.#clock.monotonicMs();
      if (refusal !== notRenewed || leftMs <= 0) break;
      Atomics.wait(this.#words, at.changes, changes, leftMs);
      refusal = this.refusal;
    }
    if (refusal !== undefined) throw new WritesRefused(refusal);
  }

  get #isOver(): boolean {
    const monotonicMs = Number(Atomics.load(this.#words, at.monotonicUs)) / 1000;
    const wallMs = Number(Atomics.load(this.#words, at.wallMs));
    return this.#clock.monotonicMs() >= monotonicMs || this.#clock.nowMs() >= wallMs;
  }

  #set(mode: bigint): void {
    Atomics.store(this.#words, at.mode, mode);
    Atomics.add(this.#words, at.changes, 1n);
    Atomics.notify(this.#words, at.changes);
  }
}
