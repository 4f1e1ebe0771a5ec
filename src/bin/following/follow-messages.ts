// The settings of the thread that follows an archive, and the messages between it and the main thread.
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
export interface FollowRequest {
  readonly kind: 'promote';
  readonly isForced: boolean;
}

/** What the thread reports. */
export type FollowMessage =
  | { readonly kind: 'status'; readonly status: FollowStatus }
  /** The data directory is made from the archive; the share that is done, 0 to 1. */
  | { readonly kind: 'making'; readonly share: number }
  /** It is made: the next start of the thread uses it. */
  | { readonly kind: 'made' }
  /** The answer to a request: why the server stays a follower, or that it is the first one at its next start. */
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'promoted' }
  /** Another data directory is ready beside the present one: the next start of the thread uses it. */
  | { readonly kind: 'remade' };
