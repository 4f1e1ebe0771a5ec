// The result of a statement of the native query language.
import type { JsonText } from '../../foundation/json/json-value.js';
import type { ErrorForm } from '../../foundation/threads/crossing-error.js';

/** The rows of a SELECT; no columns and no rows for any other statement. */
export interface NativeResult {
  /** `type` as in the native query language: `frozen<list<int>>`. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Aligned with the columns; values as the data service writes them, `null` for none. */
  readonly rows: readonly (readonly JsonText[])[];
}

/**
 * Carries out one statement of the native query language, wholly or not at all.
 * @throws NativeQueryRefused, EngineError
 */
export type RunNative = (query: string) => Promise<NativeResult>;

/** A statement that is not carried out as it stands; nothing was done. The message is for its author. */
export class NativeQueryRefused extends Error {}

/** The form of NativeQueryRefused. */
export const nativeRefusalForm: ErrorForm = {
  kind: 'native-query-refused',
  pack: (error) => (error instanceof NativeQueryRefused ? error.message : undefined),
  unpack: (packed) => new NativeQueryRefused(String(packed)),
};
