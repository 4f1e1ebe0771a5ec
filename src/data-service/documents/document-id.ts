// The ids of documents: which values can be ids, when two are the same, and new ones.
import {
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { ValueMismatch } from '../column-types/column-type.js';
import { decimal } from '../column-types/decimals.js';
import { apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import { extendedName, whyNotExtended } from './extended-values.js';
import { plainNumber } from './numbers.js';

export interface DocumentId {
  /** In the form of replies. */
  readonly json: JsonValue;
  /** Bytes in the order of ids; equal ids have equal bytes. */
  readonly key: Uint8Array;
}

/** The first byte of a key. */
const tag = { null: 1, number: 2, string: 3, boolean: 4, date: 5 } as const;
const mostBytes = 8_000;
const dateOffset = 2n ** 63n;

/**
 * Reads an id.
 * @throws ApiError SHRED_BAD_DOCID_TYPE, SHRED_BAD_DOCID_VALUE
 */
export function parseDocumentId(json: JsonValue): DocumentId {
  if (json === null) return { json, key: Uint8Array.of(tag.null) };
  if (typeof json === 'boolean') return { json, key: Uint8Array.of(tag.boolean, Number(json)) };
  if (typeof json === 'string') return { json, key: textKey(json) };
  if (json instanceof JsonNumber)
    return { json: new JsonNumber(plainNumber(json.text)), key: numberKey(json) };
  if (isJsonObject(json)) return parseExtendedId(json);
  throw badType(json);
}

function badType(json: JsonValue): Error {
  return apiError('document', 'SHRED_BAD_DOCID_TYPE', { problem: `it is ${showJson(json)}` });
}

function badValue(problem: string): Error {
  return apiError('document', 'SHRED_BAD_DOCID_VALUE', { problem });
}

function textKey(text: string): Uint8Array {
  if (text === '') throw badValue('it is empty');
  if (!text.isWellFormed()) throw badValue('it has an unpaired surrogate, which is not a character');
  const bytes = Buffer.from(text);
  if (bytes.length > mostBytes)
    throw badValue(`it has ${bytes.length} bytes; at most ${mostBytes} are allowed`);
  return Buffer.concat([Buffer.of(tag.string), bytes]);
}

function numberKey(number: JsonNumber): Uint8Array {
  try {
    const key = decimal.sql.encode(decimal.parse(number));
    return Buffer.concat([Buffer.of(tag.number), key as Uint8Array]); // decimals are stored as bytes
  } catch (error) {
    if (!(error instanceof ValueMismatch)) throw error;
    throw badValue(error.message);
  }
}

function parseExtendedId(json: JsonObject): DocumentId {
  const name = extendedName(json);
  if (name === undefined || name === '$binary') throw badType(json);
  const content = json.get(name) ?? null;
  const problem = whyNotExtended(name, content);
  if (problem !== undefined) throw apiError('document', 'SHRED_BAD_DOCID_TYPE', { problem });
  if (typeof content === 'string') {
    const text = content.toLowerCase();
    return { json: new Map([[name, text]]), key: textKey(text) };
  }
  const key = Buffer.alloc(9, tag.date);
  key.writeBigUInt64BE(BigInt(content instanceof JsonNumber ? content.text : 0) + dateOffset, 1);
  return { json, key };
}
