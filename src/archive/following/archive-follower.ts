// Follows an archive: applies the pieces of both databases, notices a later generation, and keeps the small files.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceFile } from '../../foundation/secrets/replace-file.js';
import type { PageWriter } from '../../foundation/sqlite/page-writer.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { listCopies, listGenerations } from '../contents/list-contents.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { type ArchivedDatabase, archivedDatabases, filesFolder, parseFilesName } from '../format/names.js';
import { decodeFiles } from '../format/small-files.js';
import { holderInWords, type LeaseRecord } from '../lease/lease-record.js';
import { LeaseWatch } from '../lease/lease-watch.js';
import { readObject } from '../restoring/read-objects.js';
import { type ArchiveStore, listAll } from '../stores/archive-store.js';
import { ChainFollower } from './chain-follower.js';
import { type FollowState, writeFollowState } from './follow-state.js';
import type { FirstServer, FollowStatus } from './follow-status.js';
import { PromotionUncertain } from './promotion-refused.js';

/** What a follower works with. */
export interface Following {
  readonly store: ArchiveStore;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly writers: Readonly<Record<ArchivedDatabase, PageWriter>>;
}

/** The time between two looks for a later generation, and for other small files. */
const lookMs = 1_000;
/** Readers leave a log within some ten milliseconds, and new ones do not need it when it is in the file. */
const triesToEmpty = 50;
const restOfTryMs = 10;
/** A server that has lost its lease has one request under way for each database. */
const mostLatePieces = 10;

/** Follows one generation. Calls are made one after another. */
export class ArchiveFollower {
  readonly #with: Following;
  #state: FollowState;
  readonly #chains: Readonly<Record<ArchivedDatabase, ChainFollower>>;
  readonly #beganMs: number;
  readonly #lease: LeaseWatch;
  #first: (Omit<FirstServer, 'needsForce'> & Pick<LeaseRecord, 'stopsWrites'>) | undefined;
  #problem: string | undefined;
  /** Why the data directory could not be made again. */
  #makingProblem: string | undefined;
  /** When a later generation was seen first; undefined while there is none. */
  #laterSinceMs: number | undefined;
  /** When the generations were listed last, and there was no later one. */
  #newestAtMs: number | undefined;
  #mustRemake = false;
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** The last small files that were looked at. */
  #files: string | undefined;

  constructor(following: Following, state: FollowState) {
    this.#with = following;
    this.#state = state;
    this.#beganMs = following.clock.monotonicMs();
    this.#lease = new LeaseWatch(following.store, following.clock);
    const follow = (database: ArchivedDatabase) =>
      new ChainFollower(
        {
          store: following.store,
          chain: { generation: state.generation, database },
          writer: following.writers[database],
          monotonicMs: () => following.clock.monotonicMs(),
          save: (place) =>
            this.#save({ ...this.#state, places: { ...this.#state.places, [database]: place } }),
        },
        state.places[database],
      );
    this.#chains = { data: follow('data'), ops: follow('ops') };
  }

  /**
   * Whether the data directory must be made again: a later generation has copies of both databases, or pieces of this
   * one are missing and a later copy is there.
   */
  get mustRemake(): boolean {
    return this.#mustRemake;
  }

  get status(): FollowStatus {
    const { store, clock } = this.#with;
    const { data, ops } = this.#chains;
    const known = [data.upToDateMs, ops.upToDateMs, this.#laterSinceMs ?? this.#newestAtMs];
    const sinceMs = Math.min(...known.map((ms) => ms ?? Number.NaN)); // NaN if one is unknown
    return {
      archive: store.title,
      generation: this.#state.generation,
      lagMs: Number.isNaN(sinceMs) ? undefined : Math.max(0, clock.monotonicMs() - sinceMs),
      toMs: data.toMs,
      first: this.#firstNow,
      problem: this.#makingProblem ?? this.#problem,
    };
  }

  get #firstNow(): FirstServer | undefined {
    if (this.#first === undefined) return undefined;
    const { name, isSilent, stopsWrites } = this.#first;
    return { name, isSilent, needsForce: !stopsWrites || this.#laterSinceMs !== undefined };
  }

  /** Applies what there is; returns whether more waits. Failures are noted, and the next turn tries again. */
  async turn(signal: AbortSignal): Promise<boolean> {
    let isBusy = false;
    let problem: string | undefined;
    for (const name of archivedDatabases) {
      const chain = this.#chains[name];
      try {
        if (chain.hasLongLog) await emptyLog(chain, signal);
        if (chain.hasFullLog) {
          problem ??= `nothing more is applied to ${name}.db until reads end that began long ago`;
          continue;
        }
        isBusy = (await chain.turn(signal)) || isBusy;
      } catch (error) {
        chain.rollBack();
        if (signal.aborted) return false;
        problem ??= messageOf(error);
        if (error instanceof ArchiveDamaged) await this.#lookForCopy(name, signal);
      }
    }
    try {
      await this.#look(signal);
    } catch (error) {
      if (signal.aborted) return false;
      problem ??= messageOf(error);
    }
    this.#problem = problem;
    return isBusy && problem === undefined;
  }

  /** Who holds the lease of the archive. */
  get lease(): LeaseWatch {
    return this.#lease;
  }

  /**
   * Applies all that is left, and ends both chains, when no server may ship any more. `isForced`: also without what a
   * later generation has that has no complete copy, and cannot be restored either.
   * @throws PromotionUncertain without force in that case, Error if something of the archive cannot be applied
   */
  async finish(signal: AbortSignal, isForced: boolean): Promise<void> {
    for (let tries = 1; !(await this.#tryToFinish(signal, isForced)); tries += 1)
      if (tries >= mostLatePieces)
        throw new Error('the server before still ships: make sure that it has stopped, and promote again');
  }

  async #tryToFinish(signal: AbortSignal, isForced: boolean): Promise<boolean> {
    do {
      this.#lookedMs = Number.NEGATIVE_INFINITY;
    } while (await this.turn(signal));
    signal.throwIfAborted();
    if (this.#problem !== undefined) throw new Error(this.#problem);
    if (this.#mustRemake)
      throw new Error(
        'the archive has copies that are later than this server, which makes its data again of them: promote again ' +
          'when it has done so',
      );
    // Its server may have ended before its first copy, so that it never comes to that.
    if (this.#laterSinceMs !== undefined && !isForced)
      throw new PromotionUncertain(
        'the server before has begun a later generation of the archive, and its first copy is not complete: only ' +
          'that server has what it wrote since. Start it again, or promote with --force to do without these changes',
      );
    for (const name of archivedDatabases) if (!(await this.#chains[name].finish(signal))) return false;
    return true;
  }

  /** Notes that the data directory could not be made again. */
  note(error: unknown): void {
    this.#makingProblem = messageOf(error);
  }

  /** Notes where the chains are. @throws errors of the file system */
  save(changes: Pick<FollowState, 'role'> = this.#state): void {
    const { data, ops } = this.#chains;
    this.#save({ ...this.#state, ...changes, places: { data: data.place, ops: ops.place } });
  }

  #save(state: FollowState): void {
    writeFollowState(this.#with.dataDir, state);
    this.#state = state;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#with;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#lookedMs < lookMs) return;
    this.#lookedMs = nowMs;
    const { record, mayBeTaken } = await this.#lease.look(signal);
    const isHeld = record?.state === 'held';
    const { stopsWrites = true } = record ?? {};
    this.#first = isHeld ? { name: holderInWords(record), isSilent: mayBeTaken, stopsWrites } : undefined;
    await this.#keepFiles(signal);
    const { generation } = this.#state;
    const { generations } = await listGenerations(store, signal);
    const later = generations.filter((id) => id > generation);
    if (later.length === 0) {
      this.#laterSinceMs = undefined;
      this.#newestAtMs = nowMs;
      return;
    }
    this.#laterSinceMs ??= Math.max(this.#beganMs, nowMs);
    for (const id of later) if (await hasCopies(store, id, signal)) this.#mustRemake = true;
  }

  /** Pieces that are missing or damaged are not needed by a copy that was made later. */
  async #lookForCopy(database: ArchivedDatabase, signal: AbortSignal): Promise<void> {
    const { generation } = this.#state;
    try {
      const copies = await listCopies(this.#with.store, generation, database, signal);
      const next = this.#chains[database].place.sequence + 1;
      if (copies.some(({ firstPiece }) => firstPiece > next)) this.#mustRemake = true;
    } catch {
      // The damage has been noted, and the next turn looks again.
    }
  }

  /** The key store and the keys may change while the server follows. @throws ArchiveDamaged, StoreFailure */
  async #keepFiles(signal: AbortSignal): Promise<void> {
    const { store, dataDir } = this.#with;
    let last: string | undefined;
    for await (const name of listAll(store, filesFolder(this.#state.generation), this.#files, signal))
      if (parseFilesName(name) !== undefined) last = name;
    if (last === undefined) return;
    const { bytes } = await readObject(store, last, signal);
    for (const { name, content } of decodeFiles(last, bytes)) replaceFile(join(dataDir, name), content);
    this.#files = last;
  }
}

async function hasCopies(store: ArchiveStore, generation: string, signal: AbortSignal): Promise<boolean> {
  for (const database of archivedDatabases)
    if ((await listCopies(store, generation, database, signal)).length === 0) return false;
  return true;
}

/** While readers need the log, nothing more is applied for a moment: each commit lets new readers need it. */
async function emptyLog(chain: ChainFollower, signal: AbortSignal): Promise<void> {
  for (let tries = 0; tries < triesToEmpty && !chain.emptyLog(); tries += 1)
    await sleep(restOfTryMs, undefined, { signal });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
