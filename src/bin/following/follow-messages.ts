// The settings of the thread that follows an archive, and the messages between it and the main thread.
import type { RangesOrProblem } from '../../archive/contents/range-reader.js';
import type { FollowStatus } from '../../archive/following/follow-status.js';
import type { ArchiveAddress } from '../../archive/stores/archive-address.js';
import type { Config } from '../../foundation/config/options.js';

/** What of the configuration says where the data directory is, and what its files are. */
export type FollowedDirectory = Pick<Config, 'dataDir' | 'opsDir' | 'engine' | 'keyStoreSecret'>;

/** The settings of the thread. */
export interface FollowSettings {
  readonly address: ArchiveAddress;
  readonly directory: FollowedDirectory;
}

/** Requests that the server becomes the first one. */
export interface PromoteRequest {
  readonly kind: 'promote';
  readonly isForced: boolean;
}

/** What the main thread asks for: a promotion, or the ranges of the archive. */
export type FollowRequest = PromoteRequest | { readonly kind: 'readRanges' };

/** Why a server stays a follower. */
export interface RefusedPromotion {
  /** A sentence. */
  readonly problem: string;
  /** Whether it can be promoted with force, by a person who knows that the server before has stopped. */
  readonly needsForce: boolean;
}

/** What the thread reports. */
export type FollowMessage =
  /** `isKept`: a call of the system hangs, and keeps the thread after its end. */
  | { readonly kind: 'status'; readonly status: FollowStatus; readonly isKept: boolean }
  /** The data directory is made from the archive; the share that is done, 0 to 1. */
  | { readonly kind: 'making'; readonly share: number }
  /** It is made: the next start of the thread uses it. */
  | { readonly kind: 'made' }
  /** The answer to a request: why the server stays a follower, or that it is the first one at its next start. */
  | ({ readonly kind: 'refused' } & RefusedPromotion)
  | { readonly kind: 'promoted' }
  | { readonly kind: 'ranges'; readonly read: RangesOrProblem }
  /** Another data directory is ready beside the present one: the next start of the thread uses it. */
  | { readonly kind: 'remade' };
