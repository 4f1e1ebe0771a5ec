// How the next first server comes about when one is lost: by a restore, or by the promotion of a server that follows.
import { rmSync } from 'node:fs';
import type { RunningServer } from '../acceptance/start-server.js';
import type { SeededRandom } from '../seeded-random.js';
import {
  type ArchivePlace,
  kill,
  promoteAfterLoss,
  restoreFrom,
  startArchived,
  startFollowing,
} from './archived-server.js';

/** `mixed`: one or the other. */
export type WayBack = 'restore' | 'promotion' | 'mixed';

/** A first server in the place of a lost one. */
export interface NextFirst {
  readonly server: RunningServer;
  readonly way: Exclude<WayBack, 'mixed'>;
  /** Until when the archive says that it has every write, in ms since 1970. */
  readonly completeMs: number;
}

/** Makes the first servers of an archive, one after another. */
export class Successors {
  readonly #place: ArchivePlace;
  readonly #ways: WayBack;
  readonly #random: SeededRandom;
  #follower: RunningServer | undefined;

  constructor(place: ArchivePlace, ways: WayBack, random: SeededRandom) {
    this.#place = place;
    this.#ways = ways;
    this.#random = random;
  }

  /** Starts a server on an empty directory that follows, if the next first one may be it, and there is none. */
  async prepare(): Promise<void> {
    if (this.#follower !== undefined || this.#ways === 'restore') return;
    if (this.#ways === 'promotion' || this.#random.oneIn(2))
      this.#follower = await startFollowing(this.#place);
  }

  /** What the archive has can always be restored. A follower that stays follows what is written next. */
  async next(): Promise<NextFirst> {
    const { dataDir, completeUntil } = await restoreFrom(this.#place);
    const completeMs = Date.parse(completeUntil);
    const follower = this.#follower;
    if (follower === undefined || (this.#ways === 'mixed' && this.#random.oneIn(3)))
      return { server: await startArchived(this.#place, dataDir), way: 'restore', completeMs };
    rmSync(dataDir, { recursive: true });
    await promoteAfterLoss(follower);
    this.#follower = undefined;
    return { server: follower, way: 'promotion', completeMs };
  }

  async close(): Promise<void> {
    if (this.#follower !== undefined) await kill(this.#follower);
  }
}
