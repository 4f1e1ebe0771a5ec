// The settings of the archive thread, and its messages to the main thread.
import type { RangesOrProblem } from '../contents/range-reader.js';
import type { ArchivedDatabase } from '../format/names.js';
import type { LeaseTerms } from '../lease/lease.js';
import type { LeaseHolder } from '../lease/lease-record.js';
import type { ArchiveAddress } from '../stores/archive-address.js';
import type { ShippedDirectory } from './archive-shipper.js';
import type { ShippingStatus } from './archive-status.js';

/** The settings of the thread. */
export interface ShippingSettings {
  readonly address: ArchiveAddress;
  readonly directory: ShippedDirectory;
  /** What the threads that write the databases look at, see `ShippedLog`. */
  readonly shared: Readonly<Record<ArchivedDatabase, SharedArrayBuffer>>;
  readonly lease: LeaseSettings;
}

/** How the thread holds the lease of the archive. */
export interface LeaseSettings extends LeaseTerms {
  /** Made by `makeWritePermit`: what the threads that write look at. */
  readonly permit: SharedArrayBuffer;
  /** The name of this machine. */
  readonly host: string;
}

/**
 * The URLs of the ports, once they listen; or what was committed is to be shipped now; or the ranges of the archive are
 * asked for.
 */
export type ShippingRequest =
  | { readonly address: Pick<LeaseHolder, 'url' | 'opsUrl'> }
  | { readonly ship: true }
  | { readonly read: 'ranges' };

/**
 * How far the archive is; or that a generation has begun, with a sentence that says why; or what the start waits for;
 * or that every commit of the rows before a moment can be restored, while this server had the lease; or the ranges of
 * the archive.
 */
export type ShippingMessage =
  | { readonly status: ShippingStatus }
  | { readonly generation: string; readonly reason: string }
  | { readonly waitsFor: string }
  | { readonly shippedMs: number }
  | { readonly read: RangesOrProblem };
