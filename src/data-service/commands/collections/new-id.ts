// Ids for documents that have none.
import type { JsonValue } from '../../../foundation/json/json-value.js';
import { type IdSource, newDocumentId } from '../../documents/new-document-id.js';
import type { Collection } from '../../schema/collection.js';
import type { DatabaseContext } from '../command.js';

/** What new ids of a command are made of. */
export function idSourceOf({ clock, newId }: Pick<DatabaseContext, 'clock' | 'newId'>): IdSource {
  return { nowMs: () => clock.nowMs(), newUuid: newId };
}

/** A new id of the kind that the collection was created with. */
export function newIdFor({ collection }: Collection, source: IdSource): JsonValue {
  return newDocumentId(collection.defaultId ?? 'undefined', source);
}
