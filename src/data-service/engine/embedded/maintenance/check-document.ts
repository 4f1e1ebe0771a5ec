// Compares the columns of a stored document with each other: its id with its key, and the reserved members with the
// columns that have their values.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../../foundation/json/json-value.js';
import type { ColumnType } from '../../../column-types/column-type.js';
import { parsedObject } from '../../../documents/document-columns.js';
import { parseDocumentId } from '../../../documents/document-id.js';
import { isReservedName } from '../../../documents/values.js';

/** A document as it is stored. */
export interface CheckedDocument {
  /** The key of its id. */
  readonly key: Uint8Array;
  /** Without the reserved members. */
  readonly document: JsonObject;
  /** The JSON text of the reserved members, null if there are none. */
  readonly reserved: string | null;
  /** The bytes of the vector. */
  readonly vector: Uint8Array | null;
  readonly lexical: string | null;
}

/** What is wrong with a document. `vectorType`: undefined for a collection without vectors. */
export function documentProblems(
  { key, document, reserved, vector, lexical }: CheckedDocument,
  vectorType: ColumnType | undefined,
): readonly string[] {
  const problems: string[] = [];
  if (!hasKey(document, key)) problems.push('its _id is not that of its key');
  for (const name of document.keys()) if (isReservedName(name)) problems.push(`${name} is in its text`);
  const members = reservedMembers(reserved);
  if (members === undefined) return [...problems, 'its reserved members are damaged'];
  for (const name of members.keys())
    if (!isReservedName(name)) problems.push(`"${name}" is not a reserved member`);
  if (!isLexicalRight(members.get('$lexical'), lexical)) problems.push('its $lexical is damaged');
  const vectorize = members.get('$vectorize');
  if (!isTextOrNone(vectorize)) problems.push('its $vectorize is damaged');
  if (!isVectorRight(members.get('$vector'), typeof vectorize === 'string', vector, vectorType))
    problems.push('its $vector is damaged');
  return problems;
}

function hasKey(document: JsonObject, key: Uint8Array): boolean {
  const id = document.get('_id');
  try {
    return id !== undefined && Buffer.compare(parseDocumentId(id).key, key) === 0;
  } catch {
    return false; // no value of an id
  }
}

function reservedMembers(reserved: string | null): JsonObject | undefined {
  try {
    return reserved === null ? new Map() : parsedObject(reserved);
  } catch {
    return undefined;
  }
}

function isTextOrNone(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

/** The text is in the column, and the member is true. */
function isLexicalRight(member: JsonValue | undefined, lexical: string | null): boolean {
  return lexical === null ? (member ?? null) === null : member === true;
}

/**
 * A vector as `$binary` is in the column only, one as an array in both; one that was made of `$vectorize` likewise.
 * A collection without vectors keeps what an update sets in the document only.
 */
function isVectorRight(
  member: JsonValue | undefined,
  isMade: boolean,
  vector: Uint8Array | null,
  type: ColumnType | undefined,
): boolean {
  if (type === undefined) return vector === null && member !== true;
  if (vector === null) return (member ?? null) === null;
  if (member === true) return true;
  if (member === undefined || member === null) return isMade;
  if (!isJsonArray(member) && !isJsonObject(member)) return false;
  try {
    const bytes = type.sql.encode(type.parse(member));
    return bytes instanceof Uint8Array && Buffer.compare(bytes, vector) === 0;
  } catch {
    return false; // no vector of this dimension
  }
}
