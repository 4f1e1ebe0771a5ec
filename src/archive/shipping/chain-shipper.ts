// Ships one database: its pieces, and a copy of its file at the start of a generation and every day.
import { closeSync, openSync } from 'node:fs';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { findPiece } from '../contents/find-pieces.js';
import { copyFolders, readCopy } from '../contents/list-contents.js';
import { type FileCopy, isReference } from '../format/file-copy.js';
import { pieceName } from '../format/names.js';
import type { ChainEnd } from './archive-state.js';
import type { DatabaseStatus } from './archive-status.js';
import { ChainBroken } from './chain-broken.js';
import { CopyWriter } from './copy-writer.js';
import { DatabaseShipper, type Shipped, type ShipperParts } from './database-shipper.js';
import { closeLogIndex } from './read-log-index.js';

/** A copy that is older is followed by a new one. */
const mostCopyAgeMs = 24 * 60 * 60 * 1000;
/** For so long a turn copies while there is no copy, without which nothing can be restored. */
const firstCopyTurnMs = 300;
/** Pieces that are shipped before other work gets its turn, which a copy can end only behind a whole one. */
const piecesInTurn = { usual: 8, untilWhole: 16 } as const;

/** What a chain that was given up leaves to the next one. */
export type GivenUpChain = Pick<ChainShipper, 'file' | 'waitingSinceMs'>;

/** What a chain begins with. */
export interface ChainBeginning {
  /** The chain of an earlier generation, which was given up. */
  readonly before: GivenUpChain | undefined;
  /** The copy that a generation has begun with which continues an earlier one. */
  readonly reference: FileCopy | undefined;
}

/** The shipping of one database in one generation. */
export class ChainShipper {
  readonly #parts: ShipperParts;
  readonly #shipper: DatabaseShipper;
  readonly #clock: Clock;
  #file: number | undefined;
  #copy: CopyWriter | undefined;
  #copyAtMs: number | undefined;
  /** Whether the newest copy is only a reference to an earlier generation. */
  #isReference: boolean;
  /** What was committed since cannot be restored until there is a copy. */
  #lackingSinceMs: number | undefined;
  /** Every commit before it is shipped: the last look at the log that left nothing, or a later one; monotonic. */
  #completeMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ShipperParts, end: ChainEnd, { before, reference }: ChainBeginning) {
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#shipper = new DatabaseShipper(parts, end, () => this.#mayLackRounds());
    this.#file = before?.file;
    this.#copyAtMs = reference?.atMs;
    this.#isReference = reference !== undefined;
    this.#lackingSinceMs = before && (before.waitingSinceMs ?? parts.clock.nowMs());
  }

  /** The database file, which stays open until the server has closed the database. */
  get file(): number | undefined {
    return this.#file;
  }

  /** The end of what is in the archive. */
  get end(): ChainEnd {
    return this.#shipper.end;
  }

  /** The folder of the copy that is being written. */
  get unfinishedCopy(): string | undefined {
    return this.#copy?.folder;
  }

  /** How far it is. */
  get status(): DatabaseStatus {
    const { waiting, end } = this.#shipper;
    const { bytes, throughMs } = waiting;
    const sinceMs = this.waitingSinceMs;
    return {
      behindMs: sinceMs === undefined ? 0 : Math.max(0, this.#clock.nowMs() - sinceMs),
      waitingBytes: bytes,
      shippedThroughMs: this.#copyAtMs === undefined ? undefined : throughMs,
      shippedMs: this.#copyAtMs === undefined ? undefined : this.#completeMs,
      sequence: end.sequence,
      copyAtMs: this.#copyAtMs,
    };
  }

  /** Since when there are changes that cannot be restored; undefined if there are none. */
  get waitingSinceMs(): number | undefined {
    const lackingMs = this.#copyAtMs === undefined ? this.#lackingSinceMs : undefined;
    return lackingMs ?? this.#shipper.waiting.sinceMs; // the shipper is younger than what is lacking
  }

  /** Expects that the archive has what was shipped last. @throws ChainBroken, ArchiveDamaged, StoreFailure */
  async expectLast(signal: AbortSignal): Promise<void> {
    const { store, generation, database } = this.#parts;
    const { sequence, sha256 } = this.end;
    if (sequence === 0) return;
    const piece = await findPiece(store, { generation, database }, sequence, signal);
    if (piece?.sha256 !== sha256)
      throw new ChainBroken(
        `the archive lacks ${pieceName(generation, database, sequence)}, which was shipped`,
      );
  }

  /** Finds what an earlier process wrote: pieces after the known end, and the newest copy. @throws StoreFailure */
  async continue(signal: AbortSignal): Promise<void> {
    const { store, generation, database } = this.#parts;
    for (;;) {
      const next = pieceName(generation, database, this.end.sequence + 1);
      const found = await store.read(next, signal);
      if (found === undefined) break;
      this.#shipper.adopt(next, found);
    }
    const folders = await copyFolders(store, generation, database, signal);
    for (const folder of [...folders].reverse()) {
      const copy = await readCopy(store, folder, signal);
      if (copy === undefined) continue;
      this.#copyAtMs = copy.atMs;
      this.#isReference = isReference(copy);
      return;
    }
  }

  /** Counts what waits, while nothing can be shipped. @throws errors of the file system */
  countWaiting(): void {
    this.#shipper.countWaiting();
  }

  /** Ships pieces, up to a number. Returns whether more wait. */
  async shipPieces(signal: AbortSignal): Promise<boolean> {
    const { usual, untilWhole } = piecesInTurn;
    for (let count = 0; count < usual || (count < untilWhole && !this.end.isWhole); count += 1) {
      const beganMs = this.#clock.monotonicMs();
      const shipped: Shipped = await this.#shipper.shipOne(signal);
      if (shipped === 'more') continue;
      this.#completeMs = beganMs;
      return false;
    }
    this.#completeMs = Math.max(this.#completeMs, this.#shipper.completeMs);
    return true;
  }

  /** Writes a part of a copy if one is due. Returns whether one is being written. */
  async copySome(signal: AbortSignal): Promise<boolean> {
    this.#copy ??= this.#isCopyDue ? this.#beginCopy() : undefined;
    const copy = this.#copy;
    if (copy === undefined) return false;
    const untilMs = this.#clock.monotonicMs() + (this.#copyAtMs === undefined ? firstCopyTurnMs : 0);
    if (!copy.isRead) {
      do await copy.writePart(signal);
      while (!copy.isRead && this.#clock.monotonicMs() < untilMs);
    } else if (await copy.finish(this.end, this.#completeMs, signal)) {
      this.#copyAtMs = Math.max(this.end.toMs, this.#clock.nowMs());
      this.#isReference = false;
      this.#copy = undefined;
    }
    return this.#copy !== undefined;
  }

  /** Behind a reference one is due at once, but at a later time, because the name of its folder has the time. */
  get #isCopyDue(): boolean {
    if (this.#copyAtMs === undefined) return true;
    const nowMs = this.#clock.nowMs();
    const isBehind = this.#isReference && Math.max(nowMs, this.end.toMs) > this.#copyAtMs;
    return isBehind || nowMs - this.#copyAtMs >= mostCopyAgeMs;
  }

  /** Closes the file and the index of the log, which releases the locks of this process on them. */
  close(): void {
    try {
      this.#shipper.noteEnd();
    } catch (error) {
      if (!(error instanceof Error) || !('syscall' in error)) throw error; // the next start begins a generation
    }
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    closeLogIndex(this.#parts.path);
  }

  /**
   * Whether rounds of the log may be missing: nothing can be restored before there is a copy, and one that begins now
   * needs no pieces of rounds before the present one. A copy that was begun before does, so it is not continued.
   */
  #mayLackRounds(): boolean {
    if (this.#copyAtMs !== undefined) return false;
    this.#copy = undefined;
    return true;
  }

  /** Undefined while the database does not exist or is empty. */
  #beginCopy(): CopyWriter | undefined {
    const { database, path, store, clock, generation } = this.#parts;
    this.#file ??= openIfPresent(path);
    const { end } = this.#shipper;
    if (this.#file === undefined || !CopyWriter.canCopy(this.#file)) return undefined;
    if (this.#copyAtMs === undefined) this.#lackingSinceMs ??= end.toMs;
    return new CopyWriter({ database, file: this.#file, store, clock, generation }, end);
  }
}

function openIfPresent(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
