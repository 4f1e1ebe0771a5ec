// How far an archive is behind the server, for health, metrics and people.
import type { ArchivedDatabase } from '../format/names.js';
import type { LeaseStatus } from '../lease/lease-keeper.js';

/** The state of the shipping to an archive. Plain data, which crosses threads. */
export interface ArchiveStatus {
  /** The directory, or `s3://bucket/prefix`. */
  readonly archive: string;
  /** Undefined until one has begun. */
  readonly generation: string | undefined;
  /** A sentence about the last failure; undefined when shipping works again. */
  readonly problem: string | undefined;
  readonly databases: Readonly<Record<ArchivedDatabase, DatabaseStatus>>;
}

/** The state of the archive thread. */
export interface ShippingStatus extends ArchiveStatus {
  readonly lease: LeaseStatus;
  /** Whether a call of the system keeps the thread, because the archive does not answer. */
  readonly isKept: boolean;
}

/** The state of one database. */
export interface DatabaseStatus {
  /** The age of the oldest commit that is not in the archive; 0 if all are. */
  readonly behindMs: number;
  /** About the bytes of the log that are not in the archive. */
  readonly waitingBytes: number;
  /** Everything that was committed before is in the archive, and can be restored; in ms since 1970. */
  readonly shippedThroughMs: number | undefined;
  /**
   * Every commit before it is in the archive, and can be restored, by the monotonic clock of the shipping; absent while
   * nothing can be restored.
   */
  readonly shippedMs?: number | undefined;
  /** The number of the last piece. */
  readonly sequence: number;
  /**
   * The time of the newest complete copy of the file, or of the state that the generation continues; undefined until it
   * has one.
   */
  readonly copyAtMs: number | undefined;
}
