// The settings of a collection, as createCollection takes them and findCollections shows them.
import type { Indexing } from '../documents/indexing.js';
import type { EmbeddingService } from './embedding-service.js';
import type { SourceModel, VectorMetric } from './vector-index.js';

/** How ids are made for documents without one; `undefined`: random UUIDs as strings. */
export type DefaultId = 'objectId' | 'uuid' | 'uuidv6' | 'uuidv7';

/** What a collection was created with; plain data, which is stored as JSON. */
export interface CollectionSettings {
  readonly defaultId?: DefaultId;
  readonly vector?: {
    readonly dimension: number;
    readonly metric: VectorMetric;
    readonly sourceModel: SourceModel;
    readonly service?: EmbeddingService;
  };
  /** Which paths can be used in filters and sorts; absent: all. */
  readonly indexing?: Indexing;
  /** The analyzer as it was sent, in JSON; absent: `$lexical` is not enabled. */
  readonly lexical?: { readonly analyzer: string };
  /** Absent: not enabled. */
  readonly rerank?: { readonly provider: string; readonly modelName: string };
}
