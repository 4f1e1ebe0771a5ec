// Watches who holds the lease of an archive, and finds out that a holder renews it no more, by the clock of the watcher
// alone: no time of another machine is compared.
import type { Clock } from '../../foundation/telemetry/clock.js';
import { leaseFolder } from '../format/names.js';
import { type ArchiveStore, listAll, StoreFailure } from '../stores/archive-store.js';
import { decodeLease, type LeaseRecord, leaseName, parseLeaseName } from './lease-record.js';

/** What a watcher has seen. */
export interface SeenLease {
  /** The newest record; undefined if the archive has none. */
  readonly record: LeaseRecord | undefined;
  /** For how long it has been the newest one, as far as this watcher has seen. */
  readonly unchangedMs: number;
  /** Whether another server may take the lease: nobody holds it, or its holder has surely stopped writing. */
  readonly mayBeTaken: boolean;
}

/** Two clocks do not run equally fast: a watcher waits so many times as long as the holder may write. */
const clockShare = 1.25;
/** A record can be removed between the list and its reading only if there are many newer ones. */
const mostAttempts = 5;

/** Watches the lease of one archive. */
export class LeaseWatch {
  readonly #store: ArchiveStore;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #seen: { readonly record: LeaseRecord; readonly sinceMs: number } | undefined;

  constructor(store: ArchiveStore, clock: Pick<Clock, 'monotonicMs'>) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Looks at the newest record. Call it often. @throws StoreFailure, ArchiveDamaged */
  async look(signal?: AbortSignal): Promise<SeenLease> {
    const before = this.#seen;
    const newest = await newestNumber(this.#store, before?.record.number, signal);
    const nowMs = this.#clock.monotonicMs(); // after the answer: the record was there at the latest then
    if (newest === undefined) return { record: undefined, unchangedMs: 0, mayBeTaken: true };
    const isSame = before?.record.number === newest.number;
    const seen = isSame ? before : { record: newest.record ?? before?.record, sinceMs: nowMs };
    if (seen?.record === undefined) throw new TypeError('a new record was read');
    const { record, sinceMs } = seen;
    this.#seen = { record, sinceMs };
    const unchangedMs = nowMs - sinceMs;
    const mayBeTaken = record.state === 'released' || unchangedMs > record.durationMs * clockShare;
    return { record, unchangedMs, mayBeTaken };
  }
}

/** The newest number, with its record if it is not the known one. */
async function newestNumber(
  store: ArchiveStore,
  known: number | undefined,
  signal: AbortSignal | undefined,
): Promise<{ readonly number: number; readonly record: LeaseRecord | undefined } | undefined> {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    let newest = known;
    const after = known === undefined ? undefined : leaseName(known);
    for await (const name of listAll(store, leaseFolder, after, signal))
      newest = Math.max(newest ?? 0, parseLeaseName(name) ?? 0);
    if (newest === undefined || newest === 0) return undefined;
    if (newest === known) {
      // Records are removed only when there are newer ones.
      if ((await store.read(leaseName(known), signal)) !== undefined)
        return { number: newest, record: undefined };
      throw new StoreFailure(`${store.title} had a lease, and has none now: is its disk mounted?`, true);
    }
    const found = await store.read(leaseName(newest), signal);
    if (found !== undefined) return { number: newest, record: decodeLease(leaseName(newest), found) };
  }
  throw new StoreFailure(`the lease of the archive ${store.title} changes too often to be read`, true);
}
