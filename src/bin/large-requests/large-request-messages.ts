// The calls between the main thread and the thread for large requests.

import type { EmbeddedTexts, TextToEmbed } from '../../data-service/commands/embed-texts.js';
import type { PassagesToRank, RankedPassages } from '../../data-service/commands/rank-documents.js';
import type { Address } from '../../data-service/commands/run-command.js';
import type { LocalModel } from '../../data-service/embedding/local/find-local-models.js';
import { engineErrorForm } from '../../data-service/engine/engine-error.js';
import { nativeRefusalForm } from '../../data-service/engine/native-result.js';
import type { StorageUser } from '../../data-service/engine/storage-users.js';
import { apiErrorForm } from '../../data-service/errors/crossing-api-error.js';
import type { LargeAnswer } from '../../data-service/http/large-requests.js';
import type { Config } from '../../foundation/config/options.js';
import type { RequestKind } from '../../foundation/telemetry/traffic.js';
import type { ErrorForm } from '../../foundation/threads/crossing-error.js';
import type { MovedResult } from '../../foundation/threads/thread-link.js';
import { engineModules } from '../engines/registry.js';

/** The settings of the thread. */
export interface LargeThreadData {
  readonly config: Config;
  /** The models of `--models`, which the main thread has read. */
  readonly localModels: readonly LocalModel[];
  /** The providers file as the main thread has read it; undefined without the option. */
  readonly providersText: string | undefined;
  /** See `DataServiceOptions`. */
  readonly worker?: number | undefined;
  readonly pageStateKey: Uint8Array;
  /** The time limit of a read. */
  readonly readTimeoutMs: number;
  /** What the engine of the main thread passes to that of this thread. */
  readonly shared: unknown;
}

export interface ThreadRequest {
  /** Identifies the request in calls of the thread. */
  readonly id: number;
  readonly body: Uint8Array;
  readonly address: Address;
  /** By whose rights it runs; undefined: by those of the server. */
  readonly user: StorageUser | undefined;
  /** See `RunCommandOptions`. */
  readonly onlyReads: boolean | undefined;
}

/** The calls that the thread answers. */
export interface LargeThreadCalls {
  answer(request: ThreadRequest): Promise<MovedResult<LargeAnswer>>;
  /** A native query whose rows are too large for the main thread; see `packNativeReply`. */
  runNative(query: string): Promise<MovedResult<Uint8Array>>;
}

/** The calls that the main thread answers, beside those of the host of the engine. */
export interface LargeThreadHost {
  /** Uses the credentials of a request. Rejects with an ApiError. */
  embed(wanted: { readonly id: number; readonly texts: readonly TextToEmbed[] }): Promise<EmbeddedTexts>;
  rank(wanted: { readonly id: number; readonly passages: PassagesToRank }): Promise<RankedPassages>;
  /** The request with this id is about to write: if the thread ends, the result of that write is not known. */
  beginWrite(id: number): void;
  /** See `EngineWatch.onWritten`. */
  noteWrite(problem: string | undefined): void;
  /** A call of the engine began, waits for its caller, or ended: see `Traffic`. */
  countCall(call: CountedCall): void;
}

/** The event of a call of the engine. */
export type CountedCall =
  | { readonly step: 'begin' | 'suspend'; readonly kind: RequestKind }
  | {
      readonly step: 'end';
      readonly kind: RequestKind;
      readonly elapsedMs: number;
      readonly keyspace: string;
      readonly table: string;
    };

/** The forms of errors on both sides; the first form that fits is used. */
export function largeThreadErrors({ engine }: Pick<Config, 'engine'>): readonly ErrorForm[] {
  return [...engineModules[engine].errorForms, engineErrorForm, apiErrorForm, nativeRefusalForm];
}
