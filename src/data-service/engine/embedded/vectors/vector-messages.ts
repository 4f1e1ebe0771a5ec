// The messages between the main thread and the vector thread.
import type { VectorQuantization } from '../../../../foundation/config/engines/embedded.js';
import type { PackedError } from '../../../../foundation/threads/crossing-error.js';
import type { VectorMetric } from '../../../schema/vector-index.js';
import type { TimeLeft } from '../../read-time-limit.js';
import type { TakenRows } from '../file/take-rows.js';
import type { ScanStatement } from '../scans/scan-messages.js';
import type { FilterStatement } from '../statements/filter-statement.js';
import type { UnrankedRows } from '../statements/search-statements.js';
import type { Hit } from './graph.js';

/** The settings of the thread. */
export interface VectorSettings {
  /** The data file. */
  readonly path: string;
  /**
   * The directory of snapshots, which the first one creates. Undefined if another server changes the data file, and
   * trims the logs after snapshots of its own: then indexes are only in memory.
   */
  readonly directory: string | undefined;
  readonly quantization: VectorQuantization;
}

/** A vector index with its names in the data file. */
export interface IndexPlace {
  /** The log of changes, whose name also identifies the index. */
  readonly log: string;
  readonly table: string;
  readonly column: string;
  readonly dimension: number;
  readonly metric: VectorMetric;
}

/** How the rows of the hits of a search are read and ranked. */
export interface RowsWanted {
  /** The maximum number of rows, the best ones. */
  readonly limit: number;
  readonly metric: VectorMetric;
  /** See `UnrankedRows`. */
  readonly statement: ScanStatement & Pick<UnrankedRows, 'numbers' | 'sizeSql' | 'passingSql'>;
  /** If the rows are larger, none is returned. */
  readonly maxBytes: number;
}

/** The nearest rows to a vector. */
export interface VectorSearchRequest {
  readonly kind: 'search';
  readonly id: number;
  readonly log: string;
  readonly query: Float32Array;
  /** The maximum number of hits. */
  readonly hitCount: number;
  readonly filter: FilterStatement | undefined;
  /** If set, the thread reads these rows in the snapshot in which it searches; otherwise it returns hits. */
  readonly rows: RowsWanted | undefined;
  /** Whether rows changed since the thread was notified of changes. */
  readonly hasMoreChanges: boolean;
  readonly time: TimeLeft;
}

/** A search of an index, independent of the thread that reads the rows. */
export type NearestWanted = Omit<VectorSearchRequest, 'kind' | 'id' | 'rows' | 'hasMoreChanges'>;

/** A request to the thread. */
export type VectorRequest =
  /** All present indexes. `isOpening`: the file was just opened, and they may have snapshots. */
  | { readonly kind: 'follow'; readonly indexes: readonly IndexPlace[]; readonly isOpening: boolean }
  /** Rows changed: the thread reads the logs. */
  | { readonly kind: 'changed' }
  /** Loads an index again from its rows. */
  | { readonly kind: 'rebuild'; readonly log: string }
  | VectorSearchRequest;

export type SearchResult =
  /** The best rows, with scores instead of vectors; null while the index is being loaded. */
  | { readonly taken: TakenRows | null }
  /** Hits for the thread that reads the rows. */
  | { readonly found: PackedHits };

/** The rows that an index found. */
export interface FoundRows {
  /** Nearest first by their keys. */
  readonly hits: readonly Hit[];
  /** False if the index has codes alone: any of the hits may then be among the nearest rows. */
  readonly areKeysExact: boolean;
}

/** The form of `FoundRows` in messages: lists of numbers are copied to another thread ten times as fast as objects. */
export interface PackedHits {
  readonly labels: readonly number[];
  readonly keys: readonly number[];
  readonly areKeysExact: boolean;
}

/** Converts found rows to the form of messages. */
export function packHits({ hits, areKeysExact }: FoundRows): PackedHits {
  return { labels: hits.map(({ label }) => label), keys: hits.map(({ key }) => key), areKeysExact };
}

/** Converts found rows from the form of messages. */
export function unpackHits({ labels, keys, areKeysExact }: PackedHits): FoundRows {
  return { hits: labels.map((label, at) => ({ label, key: keys[at] ?? Number.NaN })), areKeysExact };
}

/** The result of a search, or its failure. */
export type SearchAnswer = { readonly id: number } & (SearchResult | { readonly failure: PackedError });

/** A reply of the thread. */
export type VectorReply =
  | { readonly kind: 'answers'; readonly answers: readonly SearchAnswer[] }
  /** A snapshot contains the changes of the log up to a number. */
  | { readonly kind: 'saved'; readonly log: string; readonly sequence: number }
  /** A snapshot or an index has a problem: the thread continues without it. */
  | { readonly kind: 'warning'; readonly message: string }
  /** The indexes contain all changes in the logs: the thread must be notified of the next change again. */
  | { readonly kind: 'caughtUp' };
