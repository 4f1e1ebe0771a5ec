// The result of a statement of the native query language.
import type { JsonText } from '../../foundation/json/json-value.js';
import type { ErrorForm } from '../../foundation/threads/crossing-error.js';

/** The rows of a SELECT; no columns and no rows for any other statement. */
export interface NativeResult {
  /** `type` as in the native query language: `frozen<list<int>>`. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** In the order of the columns; values in the form of the data service, `null` for none. */
  readonly rows: readonly (readonly JsonText[])[];
}

/**
 * Runs one statement of the native query language, completely or not at all.
 * @throws NativeQueryRefused, EngineError
 */
export type RunNative = (query: string) => Promise<NativeResult>;

/** A statement that cannot be run; nothing was changed. The message is for its author. */
export class NativeQueryRefused extends Error {}

/** The form of NativeQueryRefused. */
export const nativeRefusalForm: ErrorForm = {
  kind: 'native-query-refused',
  pack: (error) => (error instanceof NativeQueryRefused ? error.message : undefined),
  unpack: (packed) => new NativeQueryRefused(String(packed)),
};
