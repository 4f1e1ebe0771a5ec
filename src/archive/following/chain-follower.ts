// Applies the pieces of one database as they come, each commit of the first server as a whole.
import type { PageWriter } from '../../foundation/sqlite/page-writer.js';
import { type Chain, expectNoGap, findPiece } from '../contents/find-pieces.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { noPosition } from '../format/log-position.js';
import { generationName, pieceName } from '../format/names.js';
import { encodeEnd, expectFollows, type Piece } from '../format/piece.js';
import { type ArchiveStore, StoreFailure } from '../stores/archive-store.js';
import type { ChainPlace } from './follow-state.js';

/** What a follower of a chain works with. */
export interface ChainFollowing {
  readonly store: ArchiveStore;
  readonly chain: Chain;
  readonly writer: PageWriter;
  /** Writes the place of the chain durably. */
  readonly save: (place: ChainPlace) => void;
  readonly monotonicMs: () => number;
}

/** A transaction here has about so many bytes of pages at most, unless one of the first server has more. */
const mostBytes = 16 * 1024 * 1024;
/** A log of more frames is moved into the file. */
const mostFrames = 2_000;
/** While a log has more frames, nothing is applied: reads that overlap would make it grow without an end. */
const frameLimit = 20_000;
/** After so many looks that found nothing, a list shows whether a piece is missing. */
const looksPerList = 30;

/** Follows one database. Its calls are made one after another. */
export class ChainFollower {
  readonly #with: ChainFollowing;
  #place: ChainPlace;
  /** The last piece of the open transaction. */
  #open: Piece | undefined;
  #openBytes = 0;
  /** What was written before the start may have a gap already. */
  #looks = looksPerList;
  #upToDateMs: number | undefined;

  constructor(following: ChainFollowing, place: ChainPlace) {
    this.#with = following;
    this.#place = place;
  }

  get place(): ChainPlace {
    return this.#place;
  }

  /** The time of the last state that is applied, by the clock of the first server; in ms since 1970. */
  get toMs(): number {
    return this.#place.toMs;
  }

  /**
   * Everything that the archive had at this time is applied; by the monotonic clock. Undefined if that is not known of
   * any time since the start.
   */
  get upToDateMs(): number | undefined {
    return this.#upToDateMs;
  }

  /** Whether the log should be moved into the file before more is applied. */
  get hasLongLog(): boolean {
    return this.#with.writer.frames > mostFrames && !this.#with.writer.isInTransaction;
  }

  /** Whether nothing may be applied before the log is moved into the file. */
  get hasFullLog(): boolean {
    return this.#with.writer.frames > frameLimit && !this.#with.writer.isInTransaction;
  }

  /** Returns false while readers need the log. */
  emptyLog(): boolean {
    return this.#with.writer.emptyLog();
  }

  /**
   * Applies the pieces that there are, about as many as a transaction has; returns whether there may be more.
   * @throws ArchiveDamaged if the chain is broken, StoreFailure, DatabaseFailure, errors of the file system
   */
  async turn(signal: AbortSignal): Promise<boolean> {
    const { monotonicMs } = this.#with;
    const beganMs = monotonicMs();
    let next = await this.#read(signal);
    while (next !== undefined) {
      // The commits before a large transaction come first, and what is enough is not made larger.
      if (this.#mayCommit && (!next.isWhole || this.#openBytes >= mostBytes)) {
        this.#commit();
        return true;
      }
      this.#add(next);
      next = await this.#read(signal);
    }
    if (this.#mayCommit) this.#commit();
    await this.#expectGeneration(signal);
    await this.#lookForGap(signal);
    if (this.#open === undefined) this.#upToDateMs = beganMs;
    return false;
  }

  /**
   * Nobody may ship any more: ends the chain, so that a late request adds nothing to it, and forgets a transaction that
   * was not shipped to its end. False if a piece came before. @throws ArchiveDamaged if there are pieces behind a gap,
   * StoreFailure
   */
  async finish(signal: AbortSignal): Promise<boolean> {
    const { store, chain } = this.#with;
    const last = this.#open ?? this.#place;
    const next = last.sequence + 1;
    await expectNoGap(store, chain, next, signal);
    const { bytes } = encodeEnd({ ...chain, ...last, to: last.to ?? noPosition });
    const written = await store.write(pieceName(chain.generation, chain.database, next), bytes, signal);
    // An earlier promotion may have ended it.
    if (written === 'refused' && (await findPiece(store, chain, next, signal))?.isEnd !== true) return false;
    this.rollBack();
    return true;
  }

  /** Forgets what is not committed, after a failure. @throws errors of the file system */
  rollBack(): void {
    this.#open = undefined;
    this.#openBytes = 0;
    this.#with.writer.rollBack();
  }

  async #read(signal: AbortSignal): Promise<Piece | undefined> {
    const { store, chain } = this.#with;
    const next = await findPiece(store, chain, (this.#open ?? this.#place).sequence + 1, signal);
    return next?.isEnd === true ? undefined : next;
  }

  #add(piece: Piece): void {
    const { chain, writer } = this.#with;
    const name = pieceName(chain.generation, chain.database, piece.sequence);
    if (this.#open !== undefined) expectFollows(name, this.#open, piece);
    else expectFollowsPlace(name, chain, this.#place, piece);
    writer.add(piece.pages);
    this.#open = piece;
    this.#openBytes += piece.pages.length * piece.pageBytes;
  }

  /** A state that is behind the one which the file may have already must not be shown. */
  get #mayCommit(): boolean {
    return this.#open?.isWhole === true && this.#open.sequence >= this.#place.target;
  }

  #commit(): void {
    const last = this.#open;
    if (last === undefined) return;
    const { writer, save } = this.#with;
    // A failure below may leave the transaction in the file, so later transactions must reach as far.
    this.#place = { ...this.#place, target: last.sequence };
    save(this.#place);
    writer.commit(last.databasePages);
    const { sequence, sha256, to, toMs, pageBytes } = last;
    this.#place = { sequence, sha256, to, toMs, pageBytes, target: sequence };
    this.#open = undefined;
    this.#openBytes = 0;
  }

  /** A disk that is not mounted has no next piece either. @throws StoreFailure if the archive has no such generation */
  async #expectGeneration(signal: AbortSignal): Promise<void> {
    const { store, chain } = this.#with;
    if ((await store.read(generationName(chain.generation), signal)) !== undefined) return;
    throw new StoreFailure(
      `${store.title} has no generation ${chain.generation}, which this server follows: is its disk mounted?`,
      true,
    );
  }

  /** The piece may come late, but not after a later one. After a gap, each look is a list until the piece is there. */
  async #lookForGap(signal: AbortSignal): Promise<void> {
    this.#looks += 1;
    if (this.#looks < looksPerList) return;
    const { store, chain } = this.#with;
    const sequence = (this.#open ?? this.#place).sequence + 1;
    // A piece that was written since the last look is not missing.
    if ((await findPiece(store, chain, sequence, signal)) === undefined)
      await expectNoGap(store, chain, sequence, signal);
    this.#looks = 0;
  }
}

/** @throws ArchiveDamaged */
function expectFollowsPlace(name: string, chain: Chain, place: ChainPlace, next: Piece): void {
  const { to } = place;
  if (to !== undefined) {
    expectFollows(name, { ...chain, ...place, to, isWhole: true }, next);
    return;
  }
  if (next.database !== chain.database || next.generation !== chain.generation)
    throw new ArchiveDamaged(name, 'is damaged: it belongs to another chain');
  if (next.previous !== place.sha256)
    throw new ArchiveDamaged(name, 'does not follow the copy that the data directory was made from');
}
