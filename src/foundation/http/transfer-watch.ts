// Watches transfers with clients that are slow: bodies and replies hold memory while they are transferred.
import type { MemoryShare } from '../limits/memory-share.js';

/** Bytes on their way to or from a client. */
export interface Transfer {
  /** How many have gone so far. */
  readonly movedBytes: number;
  /** Ends the transfer and releases its memory; the watch no longer has it then. */
  cutOff(): void;
}

/** When a transfer is ended. */
export interface TransferLimits {
  /** The memory that transfers hold. */
  readonly share: MemoryShare;
  /** How long a transfer may take in all; undefined if other code limits it. */
  readonly maxMs?: number;
}

interface Watched {
  looks: number;
  movedBytes: number;
  slowLooks: number;
}

const lookEveryMs = 500;
/** While others wait for memory a transfer must keep up this rate. */
const leastBytesPerLook = 32 * 1024;
/** The number of consecutive checks below the rate before a transfer ends: 2 s. */
const mostSlowLooks = 4;

/** Ends transfers that take too long, and slow ones while others wait for the memory that they hold. */
export class TransferWatch {
  readonly #limits: TransferLimits;
  readonly #watched = new Map<Transfer, Watched>();
  #timer: NodeJS.Timeout | undefined;
  /** The number of checks during which memory counts as short after a refused request. */
  #shortLooks = 0;
  #refusals = 0;

  constructor(limits: TransferLimits) {
    this.#limits = limits;
  }

  /** Watches a transfer until it is removed or ended. */
  watch(transfer: Transfer): void {
    this.#watched.set(transfer, { looks: 0, movedBytes: transfer.movedBytes, slowLooks: 0 });
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref();
  }

  /** The transfer is over. */
  forget(transfer: Transfer): void {
    this.#watched.delete(transfer);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const { maxMs = Number.POSITIVE_INFINITY } = this.#limits;
    const isShort = this.#isShort();
    for (const [transfer, watched] of this.#watched) {
      watched.looks += 1;
      const isSlow = transfer.movedBytes - watched.movedBytes < leastBytesPerLook;
      watched.movedBytes = transfer.movedBytes;
      watched.slowLooks = isSlow ? watched.slowLooks + 1 : 0;
      const isInTheWay = isShort && watched.slowLooks >= mostSlowLooks;
      if (!isInTheWay && watched.looks * lookEveryMs <= maxMs) continue;
      this.forget(transfer);
      transfer.cutOff();
    }
  }

  #isShort(): boolean {
    const { share } = this.#limits;
    if (share.refusals > this.#refusals) this.#shortLooks = mostSlowLooks + 1;
    else this.#shortLooks = Math.max(0, this.#shortLooks - 1);
    this.#refusals = share.refusals;
    return share.isAwaited || share.usedBytes > share.totalBytes || this.#shortLooks > 0;
  }
}
