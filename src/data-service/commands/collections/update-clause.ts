// The update of a command on documents: parsed once, with the vectors of its texts, as a change for the engine.
import type { JsonValue } from '../../../foundation/json/json-value.js';
import type { UpdateChange } from '../../documents/change-document.js';
import { parseUpdate, textsToEmbed, withVectors } from '../../documents/document-update.js';
import type { IdSource } from '../../documents/new-document-id.js';
import { apiError } from '../../errors/api-error.js';
import { type Collection, collectionColumns } from '../../schema/collection.js';
import type { CollectionContext } from '../command.js';
import { type TextToEmbed, textToEmbed } from '../embed-texts.js';
import { idSourceOf } from './new-id.js';

/** An update of a command. */
export interface UpdateClause {
  readonly change: UpdateChange;
  /** For a document that is inserted. */
  readonly ids: IdSource;
}

/** @throws ApiError scope UPDATE, or for texts that cannot be embedded */
export function parseUpdateClause(json: JsonValue, context: CollectionContext): UpdateClause {
  const { collection, clock } = context;
  const update = parseUpdate(json);
  const isVectorized = update.actions.some(
    ({ operator, path }) => path[0] === '$vectorize' && operator !== '$unset',
  );
  if (isVectorized && collection.collection.vector?.service === undefined)
    throw apiError('schema', 'EMBEDDING_SERVICE_NOT_CONFIGURED', { table: collection.name });
  return { change: { kind: 'update', update, nowMs: clock.nowMs() }, ids: idSourceOf(context) };
}

/** The texts to embed. */
export function textsOfUpdate({ change }: UpdateClause, collection: Collection): readonly TextToEmbed[] {
  const { vector } = collectionColumns(collection);
  if (vector === undefined) return [];
  return textsToEmbed(change.update).map((text) => textToEmbed(vector, text, 'passage'));
}

/** The update with the vectors of its texts. */
export function updateWithVectors(
  { change, ids }: UpdateClause,
  vectors: readonly Float32Array[],
): UpdateClause {
  return { change: { ...change, update: withVectors(change.update, vectors) }, ids };
}
