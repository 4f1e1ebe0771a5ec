// The moments that the archive of a running server has: read again and again, beside the shipping or the following.
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { LeaseRecord } from '../lease/lease-record.js';
import { LeaseWatch } from '../lease/lease-watch.js';
import type { ArchiveStore } from '../stores/archive-store.js';
import { type KnownGeneration, type ListedGeneration, listGeneration } from './list-archive.js';
import { listGenerations, readArchive } from './list-contents.js';

/** What an archive has. Plain data, which crosses threads. */
export interface ReadRanges {
  /** The directory, or `s3://bucket/prefix`. */
  readonly archive: string;
  /** Who writes to it; undefined if it has no lease. */
  readonly lease: Pick<LeaseRecord, 'term' | 'state' | 'host' | 'url' | 'stopsWrites'> | undefined;
  /** The newest ones, the newest first. */
  readonly generations: readonly ListedGeneration[];
  /** The number of older ones. */
  readonly olderCount: number;
}

/** What is said about an archive that cannot be read. */
export type RangesOrProblem = { readonly ranges: ReadRanges } | { readonly problem: string };

/** A week with a new generation in each night has seven. */
const mostGenerations = 50;
/** A request waits for it. */
const mostReadMs = 20_000;
/** Only the retention changes earlier generations, by a copy a day. */
const keptMs = 60_000;

interface Known extends KnownGeneration {
  readonly listed: ListedGeneration;
  readonly atMs: number;
}

/**
 * Reads the ranges of one archive. What it has read it knows the next time, so that it then reads a few objects, also
 * of an archive with a million of them.
 */
export class RangeReader {
  readonly #store: ArchiveStore;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #lease: LeaseWatch;
  #known = new Map<string, Known>();

  constructor(store: ArchiveStore, clock: Pick<Clock, 'monotonicMs'>) {
    this.#store = store;
    this.#clock = clock;
    this.#lease = new LeaseWatch(this.#store, clock);
  }

  /** It ends after a limited time. The next call waits for it: see `AskedRanges`. */
  async read(ending: AbortSignal): Promise<RangesOrProblem> {
    const limit = AbortSignal.timeout(mostReadMs);
    try {
      return { ranges: await this.#readAll(AbortSignal.any([ending, limit])) };
    } catch (error) {
      const { title } = this.#store;
      if (limit.aborted)
        return { problem: `the archive ${title} was not read within ${mostReadMs / 1000} s: try again` };
      // Nothing that goes wrong here may end the thread, which has more important work.
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  }

  async #readAll(signal: AbortSignal): Promise<ReadRanges> {
    const store = this.#store;
    await readArchive(store, signal);
    const { record: lease } = await this.#lease.look(signal);
    const all = (await listGenerations(store, signal)).generations.toReversed();
    const wanted = all.slice(0, mostGenerations);
    for (const id of this.#known.keys()) if (!wanted.includes(id)) this.#known.delete(id);
    const generations: ListedGeneration[] = [];
    for (const id of wanted) generations.push(await this.#generation(id, id === wanted[0], signal));
    return {
      archive: store.title,
      lease: lease && partOf(lease),
      generations,
      olderCount: all.length - wanted.length,
    };
  }

  async #generation(id: string, isNewest: boolean, signal: AbortSignal): Promise<ListedGeneration> {
    const known = this.#known.get(id);
    const atMs = this.#clock.monotonicMs();
    if (known?.isOver === true && atMs - known.atMs < keptMs) return known.listed;
    const copies = known?.copies ?? new Map();
    const isOver = known?.isOver === true && known.listed.problem === undefined;
    const listed = await listGeneration(this.#store, id, signal, { listed: known?.listed, isOver, copies });
    this.#known.set(id, { listed, atMs, isOver: !isNewest, copies });
    return listed;
  }
}

function partOf({ term, state, host, url, stopsWrites }: LeaseRecord) {
  return { term, state, host, url, stopsWrites };
}
