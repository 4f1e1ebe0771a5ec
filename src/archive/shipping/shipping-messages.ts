// The settings of the archive thread, and its messages to the main thread.
import type { ArchivedDatabase } from '../format/names.js';
import type { ArchiveAddress } from '../stores/archive-address.js';
import type { ShippedDirectory } from './archive-shipper.js';
import type { ArchiveStatus } from './archive-status.js';

/** The settings of the thread. */
export interface ShippingSettings {
  readonly address: ArchiveAddress;
  readonly directory: ShippedDirectory;
  /** What the threads that write the databases look at, see `ShippedLog`. */
  readonly shared: Readonly<Record<ArchivedDatabase, SharedArrayBuffer>>;
}

/** The thread takes no requests. */
export type ShippingRequest = Readonly<Record<string, never>>;

/** How far the archive is, or that a generation has begun, with a sentence that says why. */
export type ShippingMessage =
  | { readonly status: ArchiveStatus }
  | { readonly generation: string; readonly reason: string };
