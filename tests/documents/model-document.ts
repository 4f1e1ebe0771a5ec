// What documents may be stored, as the model of collections knows it: written from the contract.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonValue,
} from '../../src/foundation/json/json-value.js';
import { refuse } from './model-problem.js';
import { type Members, wrapperOf } from './model-value.js';

/** The document with its `_id` first. @throws Refusal */
export function checkedDocument(document: Members): Members {
  const id = document.get('_id');
  if (id !== undefined) checkId(id);
  for (const [name, value] of document) {
    if (name === '_id' || ['$vector', '$lexical'].includes(name)) continue;
    if (name === '$vectorize') {
      if (value !== null && typeof value !== 'string') refuse('INVALID_VECTORIZE_VALUE_TYPE');
      continue;
    }
    checkName(name);
    checkValue(value);
  }
  const rest = [...document].filter(([name]) => name !== '_id');
  return id === undefined ? document : new Map([['_id', id], ...rest]);
}

/** @throws Refusal */
function checkId(id: JsonValue): void {
  if (id === '') refuse('SHRED_BAD_DOCID_VALUE');
  if (isJsonArray(id)) refuse('SHRED_BAD_DOCID_TYPE');
  if (id === null || !isJsonObject(id)) return;
  const [name, content] = wrapperOf(id) ?? [];
  if (name === undefined || !isValidWrapper(name, content ?? null)) refuse('SHRED_BAD_DOCID_TYPE');
}

function isValidWrapper(name: string, content: JsonValue): boolean {
  if (name === '$date') return content instanceof JsonNumber && /^-?\d+$/.test(content.text);
  if (typeof content !== 'string') return false;
  if (name === '$uuid') return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(content);
  return name === '$objectId' && /^[\da-f]{24}$/i.test(content);
}

function checkName(name: string): void {
  if (name === '' || name.startsWith('$')) refuse('SHRED_BAD_FIELD_NAME');
}

function checkValue(value: JsonValue): void {
  if (isJsonArray(value)) for (const element of value) checkValue(element);
  else if (value !== null && isJsonObject(value)) checkMembers(value);
}

function checkMembers(value: Members): void {
  const [name, content] = wrapperOf(value) ?? [];
  if (name !== undefined) {
    if (!isValidWrapper(name, content ?? null)) refuse('SHRED_BAD_EJSON_VALUE');
    return;
  }
  for (const [each, member] of value) {
    checkName(each);
    checkValue(member);
  }
}
