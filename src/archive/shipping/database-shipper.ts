// Ships the commits of one database, piece after piece.
import { readSync } from 'node:fs';
import { memoryOutside } from '../../foundation/memory-outside.js';
import { frameHeadBytes, isEqualPair } from '../../foundation/sqlite/log-format.js';
import { readRoundEnd } from '../../foundation/sqlite/round-end.js';
import type { ShippedLog } from '../../foundation/sqlite/shipped-log.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { type LogPosition, noPosition } from '../format/log-position.js';
import { type ArchivedDatabase, pieceName } from '../format/names.js';
import { pageListOf } from '../format/page-list.js';
import { decodePiece, encodePiece, expectFollows, type PieceHead } from '../format/piece.js';
import { type ArchiveStore, StoreFailure } from '../stores/archive-store.js';
import type { ChainEnd } from './archive-state.js';
import { ChainBroken } from './chain-broken.js';
import { fileMark, findPlace, hasLogged, isRestNeeded, type NextPlace } from './find-place.js';
import { nextSegment } from './next-segment.js';
import {
  closeSource,
  type FoundCommits,
  type FrameSource,
  isPresent,
  LogChanged,
  openLog,
  openRest,
  scanCommits,
} from './read-log.js';
import { findIndexedCommits } from './read-log-index.js';
import { RoundTimes } from './round-times.js';
import { WaitingCommits } from './waiting-commits.js';

/** The pages of an object before it is compressed, in bytes. */
export const objectPageBytes = 4 * 1024 * 1024;

/** The pages of so many objects are shipped together, so that a page that changes often is shipped once. */
const mostObjectsAtOnce = 8;

/** If the clock went back by more, moments of the present time could not be chosen in the same generation. */
export const mostAheadMs = 60_000;

/** What a shipper uses. */
export interface ShipperParts {
  readonly database: ArchivedDatabase;
  /** The path of the database. */
  readonly path: string;
  readonly store: ArchiveStore;
  readonly clock: Clock;
  readonly log: ShippedLog;
  readonly generation: string;
  /** Records the end of the chain, before the log may be used again. @throws errors of the file system */
  readonly saveEnd: (end: ChainEnd) => void;
}

/** What one call did: nothing waited, everything that waited is shipped, or more waits. */
export type Shipped = 'nothing' | 'all' | 'more';

/** A piece that may be in the archive already: until it is known, no other piece of its number is made. */
interface MadePiece {
  readonly bytes: Buffer;
  readonly end: ChainEnd;
  readonly completeMs: number;
  readonly isLast: boolean;
}

interface LargeCommits {
  readonly commits: FoundCommits;
  /** When the look began that found them. */
  readonly beganMs: number;
}

/** Ships the commits of one database. Only one call runs at a time. */
export class DatabaseShipper {
  readonly #parts: ShipperParts;
  #end: ChainEnd;
  #made: MadePiece | undefined;
  /** Commits that are larger than an object, while they are shipped. */
  #large: LargeCommits | undefined;
  readonly #waiting: WaitingCommits;
  readonly #rounds = new RoundTimes();
  readonly #mayLackRounds: () => boolean;
  #completeMs = Number.NEGATIVE_INFINITY;

  /** `mayLackRounds`: whether no state before the present round of the log is needed, asked where one is missing. */
  constructor(parts: ShipperParts, end: ChainEnd, mayLackRounds: () => boolean) {
    this.#parts = parts;
    this.#end = end;
    this.#mayLackRounds = mayLackRounds;
    this.#waiting = new WaitingCommits(end.waitingSinceMs);
  }

  /** The end of what is in the archive. */
  get end(): ChainEnd {
    return this.#end;
  }

  /** Every commit before it is in the archive, also while others wait all the time; monotonic. */
  get completeMs(): number {
    return this.#completeMs;
  }

  /** What is not in the archive. */
  get waiting(): Pick<WaitingCommits, 'sinceMs' | 'bytes' | 'throughMs'> {
    return this.#waiting;
  }

  /** Ships one piece if something waits. @throws ChainBroken, StoreFailure, errors of the file system */
  async shipOne(signal?: AbortSignal): Promise<Shipped> {
    const { store, generation, database } = this.#parts;
    // Others can have been made since an earlier call, which could not write this one.
    const isOfBefore = this.#made !== undefined;
    const made = this.#made ?? this.#tryPiece();
    if (made === undefined) return 'nothing';
    if (made === 'changed') return 'more';
    this.#made = made;
    const name = pieceName(generation, database, made.end.sequence);
    const written = await store.write(name, made.bytes, signal);
    const end = written === 'refused' ? await this.#readOther(name, signal) : made.end;
    this.#made = undefined;
    memoryOutside.release(made.bytes, made.bytes.length);
    const isOwn = end.sha256 === made.end.sha256;
    if (!isOwn) this.#large = undefined;
    this.#take(end);
    if (!isOwn || !made.isLast || isOfBefore) return 'more';
    this.#waiting.noteNone(made.completeMs);
    return 'all';
  }

  /** Takes a piece as shipped that an earlier process wrote, and which is in the archive. @throws ArchiveDamaged */
  adopt(name: string, bytes: Buffer): void {
    this.#take(this.#endOf(name, bytes));
  }

  /** Another process, or a late request of an earlier one, wrote the piece of this number. */
  async #readOther(name: string, signal: AbortSignal | undefined): Promise<ChainEnd> {
    const found = await this.#parts.store.read(name, signal);
    if (found === undefined)
      throw new StoreFailure(`the archive has no ${name}, but refuses to write it`, true);
    return this.#endOf(name, found);
  }

  #endOf(name: string, bytes: Buffer): ChainEnd {
    const { database, generation } = this.#parts;
    const piece = decodePiece(name, bytes);
    if (piece.isEnd === true) throw new ChainBroken('another server has taken the archive over');
    const before = { database, generation, ...this.#end, to: this.#end.position };
    if (this.#end.sequence > 0) expectFollows(name, before, piece);
    else if (piece.previous !== this.#end.sha256) throw new ChainBroken(`${name} belongs to another chain`);
    if (!hasLogged(this.#parts.path, piece.until ?? piece.to))
      throw new ChainBroken(`${name} has changes that this database has not had`);
    return this.#endBehind(piece, piece.sha256);
  }

  #endBehind(piece: PieceHead, sha256: string): ChainEnd {
    const isNewRound = piece.from.frames === 0;
    const { sequence, toMs, completeMs, isWhole, until, pageBytes } = piece;
    return {
      ...{ sequence, sha256, toMs, completeMs, position: piece.to, isWhole, until, pageBytes },
      databasePages: isWhole ? piece.databasePages : this.#end.databasePages,
      roundPiece: isNewRound ? sequence : this.#end.roundPiece,
      roundPrevious: isNewRound ? piece.previous : this.#end.roundPrevious,
    };
  }

  /** The state is recorded first: what the log loses after the publication must be known at the next start. */
  #take(end: ChainEnd): void {
    this.#parts.saveEnd(end);
    this.#end = end;
    const complete = this.#rounds.completeIn(end.position.salts);
    if (complete !== undefined) {
      this.#completeMs = complete.monotonicMs;
      this.#waiting.noteNoneBefore(complete.nowMs);
    }
    this.#parts.log.publish(end.position);
    this.#readRest();
  }

  /** The rest of a round, if frames of it follow; if not, the next round may get one. */
  #readRest() {
    const { log, path } = this.#parts;
    // The gate says that there is a rest after its file is there, and keeps the file as long as it says so.
    const { hasRest } = log;
    const rest = readRoundEnd(path);
    const isNeeded =
      rest !== undefined && (this.#isUnbegun ? rest.from === 0 : isRestNeeded(this.#end.position, rest));
    if (hasRest && rest !== undefined && !isNeeded) log.setHasRest(false);
    return { rest, isAnnounced: hasRest && isNeeded };
  }

  /** `changed`: the log began a new round while it was read, after the rest of this one was written to its file. */
  #tryPiece(): MadePiece | 'changed' | undefined {
    try {
      return this.#makePiece();
    } catch (error) {
      if (error instanceof LogChanged) return 'changed';
      throw error;
    }
  }

  /** Undefined if nothing waits. */
  #makePiece(): MadePiece | undefined {
    const { clock, log } = this.#parts;
    if (log.mode === 'givenUp')
      throw new ChainBroken('the log reached its limit, or the disk was full, before it could be shipped');
    const beganMs = clock.nowMs();
    const source = this.#openSource();
    if (source === undefined) {
      this.#waiting.noteNone(beganMs);
      return undefined;
    }
    try {
      const from = this.#placeIn(source);
      const found = this.#large ?? this.#findCommits(source, from, beganMs);
      if (found === undefined) {
        // A rest ends with a commit: what cannot be read of it is not an open transaction.
        if (isRest(source)) throw new ChainBroken('the rest of a round of the log is damaged');
        this.#waiting.noteNone(beganMs);
        return undefined;
      }
      this.#waiting.noteFrames(source, found.commits.to.frames - from.frames, beganMs);
      return this.#pieceOf(source, from, found);
    } finally {
      closeSource(source);
    }
  }

  /** Counts what waits, while nothing can be shipped, and notes since when. @throws errors of the file system */
  countWaiting(): void {
    const present = openLog(this.#parts.path);
    if (present === undefined) return;
    try {
      this.#waiting.count(present, this.#placeIn(present), this.#parts.clock.nowMs());
    } finally {
      closeSource(present);
    }
    // A later process cannot see in the log when it was written.
    const { sinceMs: waitingSinceMs } = this.#waiting;
    if (waitingSinceMs === undefined || waitingSinceMs === this.#end.waitingSinceMs) return;
    this.#end = { ...this.#end, waitingSinceMs };
    this.#parts.saveEnd(this.#end);
  }

  /** The end of the chain if it is in this round of the log, or else the beginning of the round. */
  #placeIn(source: FrameSource): LogPosition {
    return isEqualPair(source.salts, this.#end.position.salts) ? this.#end.position : source.start;
  }

  #findCommits(source: FrameSource, from: LogPosition, beganMs: number): LargeCommits | undefined {
    const mostPages = Math.floor(objectPageBytes / source.pageBytes);
    const commits = this.#commitsAfter(source, from, mostPages * mostObjectsAtOnce);
    if (commits === undefined) return undefined;
    const found = { commits, beganMs };
    if ((commits.frameOfPage?.size ?? mostPages + 1) > mostPages) this.#large = found;
    return found;
  }

  #commitsAfter(source: FrameSource, from: LogPosition, mostPages: number): FoundCommits | undefined {
    const { path, log } = this.#parts;
    const isIndexed = log.isOpen && !isRest(source);
    const indexed = isIndexed ? findIndexedCommits(path, source, from, mostPages) : undefined;
    return indexed === undefined ? scanCommits(source, from, mostPages) : indexed.commits;
  }

  /** There is no log: all of it is in the file. The state notes the file, so that a later start knows it again. */
  #noteFile(): void {
    const file = fileMark(this.#parts.path);
    const before = this.#end.file;
    if (file === undefined || (file.bytes === before?.bytes && file.changed === before.changed)) return;
    this.#end = { ...this.#end, file };
    this.#parts.saveEnd(this.#end);
  }

  /**
   * Notes an empty log after the end of the connections that write, also while the archive cannot be reached.
   * @throws errors of the file system
   */
  noteEnd(): void {
    if (this.#parts.log.mode !== 'shipping') return;
    const present = openLog(this.#parts.path);
    if (present !== undefined) closeSource(present);
    else if (this.#findPlace(undefined).kind !== 'gap') this.#noteFile();
  }

  /** Undefined without frames after the end of the chain. @throws ChainBroken */
  #openSource(): FrameSource | undefined {
    const { path, clock } = this.#parts;
    const moment = { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
    const present = openLog(path); // before the rest is looked for, which is written before a round ends
    if (present !== undefined) this.#rounds.note(present.salts, moment);
    let isUsed = false;
    try {
      const place = this.#findPlace(present);
      if (place.kind === 'gap') {
        // A log that was emptied since it was opened lacks what was shipped, and nothing is missing.
        if (present !== undefined) this.#expectPresent(present);
        if (!this.#mayLackRounds()) throw new ChainBroken(place.reason);
        this.#beginAgain();
      }
      if (present === undefined) this.#noteFile();
      if (place.kind === 'rest') {
        const rest = readRoundEnd(path);
        const source = rest && openRest(path, rest);
        if (source === undefined) throw new ChainBroken('frames of the log are missing');
        return source;
      }
      isUsed = true;
      return present;
    } finally {
      if (!isUsed && present !== undefined) closeSource(present);
    }
  }

  /** The next piece has the first frame of the present round: all rounds before are in the file. */
  #beginAgain(): void {
    const { sequence, sha256 } = this.#end;
    this.#end = {
      ...{ ...this.#end, position: noPosition, isWhole: true, until: undefined, file: undefined },
      databasePages: 0, // that of the last piece may be of an earlier state than the file
      ...{ roundPiece: sequence + 1, roundPrevious: sha256 },
    };
    this.#large = undefined;
    this.#parts.saveEnd(this.#end);
    this.#parts.log.publish(noPosition);
  }

  #findPlace(present: FrameSource | undefined): NextPlace {
    const { rest, isAnnounced } = this.#readRest();
    if (this.#isUnbegun) return { kind: isAnnounced ? 'rest' : 'log' };
    return findPlace(this.#end, { path: this.#parts.path, present, rest, isOwn: true });
  }

  /** Whether the chain has no place in a log yet. */
  get #isUnbegun(): boolean {
    return isEqualPair(this.#end.position.salts, noPosition.salts);
  }

  #pieceOf(source: FrameSource, from: LogPosition, { commits, beganMs }: LargeCommits): MadePiece {
    const { clock, database, generation } = this.#parts;
    const mostPages = Math.floor(objectPageBytes / source.pageBytes);
    const { to, frames, isWhole, until } = nextSegment(source, from, commits, mostPages);
    const raw = this.#readPages(source, frames, mostPages);
    if (!isRest(source)) this.#expectPresent(source);
    const toMs = this.#timeOfPiece(clock.nowMs());
    // The rest of an earlier round is followed by the present one.
    const isComplete = isWhole && !commits.isCut && !isRest(source);
    // Commits that were made before still wait after a piece that does not complete what was found.
    const completeMs = isComplete ? Math.min(beganMs, toMs) : this.#end.completeMs;
    // Others can have been made while the pieces before this one were written.
    const isLast = isComplete && this.#large === undefined;
    const head: PieceHead = {
      ...{ database, generation, sequence: this.#end.sequence + 1, previous: this.#end.sha256, from, to },
      ...{ completeMs, toMs, pageBytes: source.pageBytes, isWhole, until },
      databasePages: isWhole ? commits.databasePages : 0,
    };
    const { bytes, sha256 } = encodePiece(head, raw);
    if (isWhole) this.#large = undefined;
    // What the rest has is in the file already, so the note of the file stays right.
    const file = isRest(source) ? this.#end.file : undefined;
    const end = { ...this.#endBehind(head, sha256), ...(file && { file }) };
    return { bytes, end, completeMs, isLast };
  }

  /** Times do not decrease in a generation. @throws ChainBroken if the clock was far ahead */
  #timeOfPiece(nowMs: number): number {
    const aheadMs = this.#end.toMs - nowMs;
    if (aheadMs > mostAheadMs && this.#end.isWhole)
      throw new ChainBroken(`the clock of the machine was ${Math.round(aheadMs / 1000)} s ahead`);
    return Math.max(this.#end.toMs, nowMs);
  }

  #readPages(source: FrameSource, frames: ReadonlyMap<number, number>, mostPages: number): Buffer {
    const list = pageListOf(source.pageBytes, mostPages);
    // A restore writes pages beside each other at once.
    for (const [page, frame] of [...frames].sort(([one], [other]) => one - other)) {
      const content = list.add(page);
      const read = readSync(source.file, content, 0, content.length, source.offsetOf(frame) + frameHeadBytes);
      if (read < content.length) throw new LogChanged();
    }
    return list.raw;
  }

  /** @throws LogChanged */
  #expectPresent(source: FrameSource): void {
    if (!isPresent(this.#parts.path, source)) throw new LogChanged();
  }
}

/** Whether the frames are those of an earlier round, in the file with its rest. */
function isRest({ end }: FrameSource): boolean {
  return end < Number.POSITIVE_INFINITY;
}
