// The calls between the main thread and the thread for large requests.

import type { TextToEmbed } from '../../data-service/commands/embed-texts.js';
import type { PassagesToRank } from '../../data-service/commands/rank-documents.js';
import type { Address } from '../../data-service/commands/run-command.js';
import type { EngineHost } from '../../data-service/engine/embedded/guest-engine.js';
import { rowsTooLargeForm } from '../../data-service/engine/embedded/writes/write-errors.js';
import { engineErrorForm } from '../../data-service/engine/engine-error.js';
import { nativeRefusalForm } from '../../data-service/engine/native-result.js';
import type { StatementKind, TableName } from '../../data-service/engine/schema-host.js';
import type { StorageUser } from '../../data-service/engine/storage-users.js';
import { apiErrorForm } from '../../data-service/errors/crossing-api-error.js';
import type { LargeAnswer } from '../../data-service/http/large-requests.js';
import type { Config } from '../../foundation/config/options.js';
import type { RequestKind } from '../../foundation/telemetry/traffic.js';
import type { ErrorForm } from '../../foundation/threads/crossing-error.js';
import type { MovedResult } from '../../foundation/threads/thread-link.js';

/** The settings of the thread. */
export interface LargeThreadData {
  readonly config: Config;
  /** See `DataServiceOptions`. */
  readonly worker?: number | undefined;
  readonly pageStateKey: Uint8Array;
  /** The time limit of a read. */
  readonly readTimeoutMs: number;
  /** Of the writes of all threads: see `WriteTimes`. */
  readonly writeTime: SharedArrayBuffer;
}

/** A request for the thread. */
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

/** The calls that the main thread answers. */
export interface LargeThreadHost extends EngineHost {
  /** Uses the credentials of a request. Rejects with an ApiError. */
  embed(wanted: {
    readonly id: number;
    readonly texts: readonly TextToEmbed[];
  }): Promise<readonly Float32Array[]>;
  /** The same. */
  rank(wanted: { readonly id: number; readonly passages: PassagesToRank }): Promise<readonly number[]>;
  /** The request with this id is about to write: if the thread ends, the result of that write is not known. */
  beginWrite(id: number): void;
  /** See `ChangeHost`: the statement ends with the call of `endStatement` with the same id, or with the thread. */
  admit(statement: AdmittedStatement): Promise<number>;
  endStatement(id: number): void;
  /** See `ChangeHost`. */
  wasChanged(asked: { readonly table: TableName; readonly withinMs: number }): Promise<boolean>;
  /** A call of the engine began, waits for its caller, or ended: see `Traffic`. */
  countCall(call: CountedCall): void;
}

/** A statement that the thread is about to send. */
export interface AdmittedStatement {
  readonly id: number;
  readonly kind: StatementKind;
  readonly table: TableName;
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

/** The forms of errors; the first form that fits is used. */
export const largeThreadErrors: readonly ErrorForm[] = [
  rowsTooLargeForm,
  engineErrorForm,
  apiErrorForm,
  nativeRefusalForm,
];
