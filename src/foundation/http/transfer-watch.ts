// Watches transfers of slow clients: bodies and replies hold memory while they are transferred.
import type { MemoryShare } from '../limits/memory-share.js';

/** Bytes that are being transferred to or from a client. */
export interface Transfer {
  /** The bytes transferred so far. */
  readonly movedBytes: number;
  /** Ends the transfer and releases its memory; the watch has already removed it. */
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
  checks: number;
  movedBytes: number;
  slowChecks: number;
}

const checkEveryMs = 500;
/** Bytes that a transfer must move between two checks while others wait for memory. */
const leastBytesPerCheck = 32 * 1024;
/** The number of consecutive checks below the rate before a transfer ends: 2 s. */
const mostSlowChecks = 4;

/** Ends transfers that take too long, and slow ones while others wait for the memory that they hold. */
export class TransferWatch {
  readonly #limits: TransferLimits;
  readonly #watched = new Map<Transfer, Watched>();
  #timer: NodeJS.Timeout | undefined;
  /** The number of checks during which memory counts as short after a refused request. */
  #shortChecks = 0;
  #refusals = 0;

  constructor(limits: TransferLimits) {
    this.#limits = limits;
  }

  /** Watches a transfer until it is removed or ended. */
  watch(transfer: Transfer): void {
    this.#watched.set(transfer, { checks: 0, movedBytes: transfer.movedBytes, slowChecks: 0 });
    this.#timer ??= setInterval(() => this.#check(), checkEveryMs).unref();
  }

  /** Stops watching a transfer that is over. */
  forget(transfer: Transfer): void {
    this.#watched.delete(transfer);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    const { maxMs = Number.POSITIVE_INFINITY } = this.#limits;
    const isShort = this.#isShort();
    for (const [transfer, watched] of this.#watched) {
      watched.checks += 1;
      const isSlow = transfer.movedBytes - watched.movedBytes < leastBytesPerCheck;
      watched.movedBytes = transfer.movedBytes;
      watched.slowChecks = isSlow ? watched.slowChecks + 1 : 0;
      const blocksOthers = isShort && watched.slowChecks >= mostSlowChecks;
      if (!blocksOthers && watched.checks * checkEveryMs <= maxMs) continue;
      this.forget(transfer);
      transfer.cutOff();
    }
  }

  #isShort(): boolean {
    const { share } = this.#limits;
    if (share.refusals > this.#refusals) this.#shortChecks = mostSlowChecks + 1;
    else this.#shortChecks = Math.max(0, this.#shortChecks - 1);
    this.#refusals = share.refusals;
    return share.isAwaited || share.usedBytes > share.totalBytes || this.#shortChecks > 0;
  }
}
