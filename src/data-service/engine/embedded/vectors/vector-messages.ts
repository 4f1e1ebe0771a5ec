// The messages between the main thread and the vector thread.
import type { PackedError } from '../../../../foundation/threads/crossing-error.js';
import type { VectorMetric } from '../../../schema/vector-index.js';
import type { TimeLeft } from '../../read-time-limit.js';
import type { TakenRows } from '../file/take-rows.js';
import type { ScanStatement } from '../scans/scan-messages.js';
import type { FilterStatement } from '../statements/vector-statements.js';
import type { Find } from './graph.js';

/** What the thread is started with. */
export interface VectorSettings {
  /** The data file. */
  readonly path: string;
  /** For snapshots; made when it is not there. */
  readonly directory: string;
}

/** A vector index by the names inside the data file. */
export interface IndexPlace {
  /** The log of changes; also names the index. */
  readonly log: string;
  readonly table: string;
  readonly column: string;
  readonly dimension: number;
  readonly metric: VectorMetric;
}

/** How the rows of a search are read and ranked once they were found. */
export interface RowsWanted {
  /** Rows at most, the best ones. */
  readonly limit: number;
  readonly metric: VectorMetric;
  /** See `UnrankedRows`. */
  readonly statement: ScanStatement & { readonly numbers: number; readonly sizeSql: string };
  /** None are given where they have more bytes than this. */
  readonly maxBytes: number;
}

/** The nearest rows to a vector. */
export interface VectorSearchRequest {
  readonly kind: 'search';
  readonly id: number;
  readonly log: string;
  readonly query: Float32Array;
  /** Finds at most. */
  readonly findCount: number;
  readonly filter: FilterStatement | undefined;
  /** Read by the thread, in the snapshot in which the index was asked; where this is undefined it gives finds. */
  readonly rows: RowsWanted | undefined;
  /** Whether rows changed since the thread was notified of changes. */
  readonly hasMoreChanges: boolean;
  readonly time: TimeLeft;
}

/** What a search asks an index for, whichever thread reads the rows. */
export type NearestWanted = Omit<VectorSearchRequest, 'kind' | 'id' | 'rows' | 'hasMoreChanges'>;

/** What the thread is asked for. */
export type VectorRequest =
  /** All indexes that there are now. `isOpening`: those of a file that was just opened, which may have snapshots. */
  | { readonly kind: 'follow'; readonly indexes: readonly IndexPlace[]; readonly isOpening: boolean }
  /** Rows changed: time to look at the logs. */
  | { readonly kind: 'changed' }
  /** Forgets what an index holds and loads it from its rows. */
  | { readonly kind: 'rebuild'; readonly log: string }
  | VectorSearchRequest;

/** What a search gives. */
export type SearchResult =
  /** The best rows, their scores in the place of their vectors; or null while the index is being loaded. */
  | { readonly taken: TakenRows | null }
  /** For one who reads the rows. */
  | { readonly found: PackedFinds };

/** Finds, nearest first: objects, many to a message, take ten times as long to be copied as lists of numbers. */
export interface PackedFinds {
  readonly labels: readonly number[];
  readonly keys: readonly number[];
}

/** Finds as a message has them. */
export function packFinds(finds: readonly Find[]): PackedFinds {
  return { labels: finds.map(({ label }) => label), keys: finds.map(({ key }) => key) };
}

/** What `packFinds` was given. */
export function unpackFinds({ labels, keys }: PackedFinds): readonly Find[] {
  return labels.map((label, at) => ({ label, key: keys[at] ?? Number.NaN }));
}

/** What became of a search. */
export type SearchAnswer = { readonly id: number } & (SearchResult | { readonly failure: PackedError });

/** What the thread sends. */
export type VectorReply =
  | { readonly kind: 'answers'; readonly answers: readonly SearchAnswer[] }
  /** A snapshot holds the changes of the log up to a number. */
  | { readonly kind: 'saved'; readonly log: string; readonly sequence: number }
  /** A snapshot could not be saved; it is tried again later. */
  | { readonly kind: 'saveFailed'; readonly log: string; readonly message: string }
  /** The logs were looked at: of further changes the thread is to be notified again. */
  | { readonly kind: 'caughtUp' };
