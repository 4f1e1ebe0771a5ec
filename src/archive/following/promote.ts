// Makes a follower ready to become the first server: takes the lease of the archive, and applies what is left.
import { setTimeout as sleep } from 'node:timers/promises';
import { writeKnownLease } from '../lease/known-lease.js';
import { Lease, LeaseHeld, type LeaseParts, type LeaseTerms } from '../lease/lease.js';
import { holderInWords, type LeaseHolder, type LeaseRecord } from '../lease/lease-record.js';
import { StoreFailure } from '../stores/archive-store.js';
import type { ArchiveFollower } from './archive-follower.js';
import { PromotionRefused, PromotionUncertain } from './promotion-refused.js';

/** What a promotion works with. */
export interface Promotion extends LeaseParts {
  readonly follower: Pick<ArchiveFollower, 'finish' | 'save'>;
  /** The data directory of this server, which knows the term of the promotion from then on. */
  readonly dataDir: string;
  /** Who this server is. */
  readonly holder: LeaseHolder;
  /** Whether a person has made sure that no other server writes, and does without what cannot be restored. */
  readonly isForced: boolean;
  readonly signal: AbortSignal;
}

const terms: LeaseTerms = { durationMs: 15_000, stopsWrites: true };
const restMs = 500;

/**
 * When it resolves, no other server holds the lease, everything that the archive has is applied, and the state says
 * that this server is the first one. After an error it follows as before.
 * @throws PromotionRefused, ArchiveDamaged, StoreFailure, the reason of the signal
 */
export async function promote(promotion: Promotion): Promise<void> {
  const { follower, signal } = promotion;
  const lease = await takeWhenFree(promotion);
  try {
    await finish(promotion, lease);
  } catch (error) {
    // The server before can start again: nothing was written since.
    await releaseIfPossible(lease, signal);
    throw error;
  }
  follower.save({ role: 'promoted' });
  // The start as the first server knows the lease by its place, and takes it at once; no other server can meanwhile.
  // Where there is no place, it would wait for the end of the lease.
  if (promotion.holder.place === '') await releaseIfPossible(lease, signal);
}

/** Applies what is left, and makes other data directories outdated. */
async function finish({ follower, signal, isForced, ...promotion }: Promotion, lease: Lease): Promise<void> {
  let renewing: Promise<void> | undefined;
  const timer = setInterval(() => {
    renewing ??= lease.renew(signal).then(
      () => undefined,
      () => undefined, // the lease is looked at below
    );
    void renewing.finally(() => {
      renewing = undefined;
    });
  }, terms.durationMs / 5);
  try {
    await follower.finish(signal, isForced);
  } finally {
    clearInterval(timer);
    await renewing;
  }
  await lease.raiseTerm(signal);
  if (!lease.isValid)
    throw new PromotionRefused('the lease of the archive was lost meanwhile: promote again');
  const { term, lineage } = lease;
  const { dataDir, holder, store } = promotion;
  const held = { archive: store.title, lineage, term };
  writeKnownLease(dataDir, { server: holder.server, held, asked: [] });
}

async function releaseIfPossible(lease: Lease, signal: AbortSignal): Promise<void> {
  await lease.release(signal).catch((error) => {
    if (!(error instanceof StoreFailure)) throw error;
  });
}

/** A lease that is renewed is never taken. @throws PromotionRefused */
async function takeWhenFree({ holder, isForced, signal, ...parts }: Promotion): Promise<Lease> {
  const { record: before } = await parts.watch.look(signal);
  if (!isForced) refuseUncertain(before);
  for (;;) {
    try {
      const mayTake = (_record: LeaseRecord | undefined, isFree: boolean) => isFree;
      return await Lease.take(parts, holder, terms, { mayTake, isNewTerm: false }, signal);
    } catch (error) {
      if (!(error instanceof LeaseHeld)) throw error;
      const { record } = error.seen;
      if (record !== undefined && record.number !== before?.number)
        throw new PromotionRefused(
          `${holderInWords(record)} renews its lease of the archive: stop it first, and promote again`,
        );
    }
    await sleep(restMs, undefined, { signal });
  }
}

/** @throws PromotionUncertain if the server before may continue to write unnoticed */
function refuseUncertain(record: LeaseRecord | undefined): void {
  if (record === undefined)
    throw new PromotionUncertain(
      'the archive has no lease, so it is not known whether another server writes to it: make sure that none does, ' +
        'and promote with --force',
    );
  if (record.state === 'held' && !record.stopsWrites)
    throw new PromotionUncertain(
      `${holderInWords(record)} continues to write when it cannot reach the archive: make sure that it has stopped, ` +
        'and promote with --force',
    );
}
