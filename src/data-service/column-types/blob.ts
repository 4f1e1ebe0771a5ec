// The blob type: bytes, written as base64 in an object.
import { isJsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { type ColumnType, ValueMismatch } from './column-type.js';
import { driverBytes } from './driver-values.js';
import { quoted, wrongKind } from './expect-json.js';
import { ordinaryTraits } from './ordinary-traits.js';

export const blob: ColumnType<Uint8Array> = {
  name: 'blob',
  help: 'bytes; {"$binary": "<base64 with padding>"}',
  input: { kind: 'binary', example: '{"$binary": "aGVsbG8="}' },
  parse: parseBinary,
  serialize: (value) => `{"$binary":"${asBuffer(value).toString('base64')}"}`,
  serializeInKey: (value) => `"${asBuffer(value).toString('base64')}"`,
  compare: (left, right) => Buffer.compare(left, right),
  sql: {
    columnType: 'BLOB',
    readsBigInt: false,
    encode: (value) => value,
    decode: (stored) => stored as Uint8Array, // what encode returned
  },
  cql: { type: 'blob', encode: asBuffer, fromDriver: driverBytes },
  traits: { ...ordinaryTraits, mayBeEmpty: true, index: 'none' },
  examples: {
    accepts: [
      ...[
        '{"$binary":""}',
        '{"$binary":"AA=="}',
        '{"$binary":"AAA="}',
        '{"$binary":"AAAA"}',
        '{"$binary":"AAEC"}',
      ],
      ...['{"$binary":"AQ=="}', '{"$binary":"fw=="}', '{"$binary":"gA=="}', '{"$binary":"+/+/"}'],
      ...['{"$binary":"/w=="}', '{"$binary":"////"}'],
    ],
    rejects: [
      ...[
        '{"$binary":"AA"}',
        '{"$binary":"AA="}',
        '{"$binary":"AAA"}',
        '{"$binary":"A==="}',
        '{"$binary":"AAAA="}',
      ],
      ...['{"$binary":"AB=="}', '{"$binary":"AAAA AAAA"}', '{"$binary":"-_-_"}', '{"$binary":"AA==AA=="}'],
      ...['{"$binary":"\\u00e9AAA"}', '{"$binary":1}', '{"$binary":null}', '{"$binary":"AA==","x":1}', '{}'],
      ...['{"$bin":"AA=="}', '"AA=="', '""', '0', 'true', '[]', '["AA=="]'],
    ],
  },
};

/**
 * The bytes of `{"$binary": "<base64>"}`.
 * @throws ValueMismatch
 */
export function parseBinary(json: JsonValue): Buffer {
  const form = 'an object {"$binary": "<base64>"}';
  if (!isJsonObject(json)) throw wrongKind(json, form);
  const text = json.get('$binary');
  if (text === undefined || json.size > 1) throw new ValueMismatch(`expected ${form} without other members`);
  if (typeof text !== 'string') throw wrongKind(text, 'a base64 string in "$binary"');
  const bytes = Buffer.from(text, 'base64');
  // The platform's decoder is lenient: only strict base64 is the same when it is encoded again.
  if (bytes.toString('base64') === text) return bytes;
  throw new ValueMismatch(`${quoted(text)} is not base64 with padding`);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
