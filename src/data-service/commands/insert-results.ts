// What became of the rows or documents of an insert, and how replies show it (wire: insertMany).
import type { JsonText } from '../../foundation/json/json-value.js';
import type { ApiError } from '../errors/api-error.js';
import type { Reply } from './reply.js';
import { flag, options } from './shape.js';

/** The options of every insertMany. */
export const insertManyOptions = options({ ordered: flag, returnDocumentResponses: flag });

/** What became of one row or document. `id` is JSON; undefined if it is not known. */
export type InsertResult =
  | { readonly kind: 'stored'; readonly id: JsonText }
  | FailedInsert
  | { readonly kind: 'skipped'; readonly id: JsonText | undefined };

/** A row or document that was not stored. */
export interface FailedInsert {
  readonly kind: 'failed';
  readonly id: JsonText | undefined;
  readonly error: ApiError;
}

/** An ordered command fails once: what failed after its first failure counts as skipped. */
export function skipBehindFailure(results: readonly InsertResult[]): readonly InsertResult[] {
  const first = results.findIndex(({ kind }) => kind === 'failed');
  return results.map((result, at) =>
    result.kind === 'failed' && at > first ? { kind: 'skipped', id: result.id } : result,
  );
}

/** The ids of what was stored, as a member of `status`. */
export function insertedIds(results: readonly InsertResult[]): NonNullable<Reply['status']>[number] {
  const ids = results.flatMap((result) => (result.kind === 'stored' ? [result.id] : []));
  return ['insertedIds', `[${ids.join(',')}]`];
}

/** One response for each result, as a member of `status`. `placeOf` returns the place of an error in the reply. */
export function documentResponses(
  results: readonly InsertResult[],
  placeOf: (failed: FailedInsert) => number,
): NonNullable<Reply['status']>[number] {
  const responses = results.map((result) => {
    const id = result.id === undefined ? '' : `"_id":${result.id},`;
    if (result.kind === 'stored') return `{${id}"status":"OK"}`;
    if (result.kind === 'skipped') return `{${id}"status":"SKIPPED"}`;
    return `{${id}"status":"ERROR","errorsIdx":${placeOf(result)}}`;
  });
  return ['documentResponses', `[${responses.join(',')}]`];
}
