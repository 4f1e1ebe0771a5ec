// The vector types: a fixed number of 32-bit floats. The same dimension always gives the same type object.

import { getOrMake } from '../../foundation/get-or-make.js';
import {
  isJsonArray,
  isJsonObject,
  type JsonArray,
  JsonNumber,
  type JsonText,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { parseBinary } from './blob.js';
import { type ColumnType, ValueMismatch } from './column-type.js';
import { isObjectWith, unexpected } from './driver-values.js';
import { wrongKind } from './expect-json.js';
import { float } from './floats.js';
import { nearestFloat, shortestFloatText } from './nearest-float.js';
import { ordinaryTraits } from './ordinary-traits.js';

/** The maximum of Cassandra. */
export const maxDimension = 8_192;

const vectors = new Map<number, ColumnType<Float32Array>>();

/** Values are arrays of that many finite floats. `dimension` is from 1 to `maxDimension`. */
export function vectorOf(dimension: number): ColumnType<Float32Array> {
  return getOrMake(vectors, dimension, makeVector);
}

function makeVector(dimension: number): ColumnType<Float32Array> {
  const parse = (json: JsonValue) => parseVector(json, dimension);
  return {
    name: `vector<float,${dimension}>`,
    help: `${dimension} finite 32-bit floats; a JSON array, or {"$binary": "<base64 of big-endian floats>"}`,
    input: { kind: 'vector', example: '[0.1, 0.2]' },
    definition: `{"type":"vector","dimension":${dimension}}`,
    apiSupport: { createTable: true, insert: true, read: true, filter: false },
    parse,
    serialize,
    // Clients never see this order. It is the order of the stored bytes, so that the laws of types hold without an
    // exception.
    compare: (left, right) => Buffer.compare(bytesOf(left), bytesOf(right)),
    sql: {
      columnType: 'BLOB',
      readsBigInt: false,
      encode: bytesOf,
      decode: (stored) => floatsIn(stored as Uint8Array), // what encode returned
    },
    cql: { type: `vector<float, ${dimension}>`, encode: bigEndianBytes, fromDriver: fromDriver },
    traits: { ...ordinaryTraits, key: false, filterable: false, range: false, index: 'none' },
    vector: { dimension },
    // Created on demand, because they are long and only tests and documents need them.
    get examples() {
      return examplesOf(dimension);
    },
  };
}

function parseVector(json: JsonValue, dimension: number): Float32Array {
  if (isJsonArray(json)) {
    if (json.length !== dimension) throw wrongLength(dimension, `${json.length} elements`);
    return parseElements(json);
  }
  if (!isJsonObject(json))
    throw wrongKind(json, `an array of ${dimension} numbers, or {"$binary": "<base64>"}`);
  const bytes = parseBinary(json);
  if (bytes.length !== dimension * 4) throw wrongLength(dimension, `${bytes.length} bytes`);
  return fromBigEndian(bytes);
}

/**
 * The floats of an array of any length.
 * @throws ValueMismatch for an element that is not a number or is beyond the range of a float
 */
export function parseElements(json: JsonArray): Float32Array {
  const floats = new Float32Array(json.length);
  const { roughNumbers } = json;
  for (let at = 0; at < json.length; at += 1) {
    const element = json[at] ?? null;
    const float = element instanceof JsonNumber ? nearestFloat(element.text, roughNumbers?.[at]) : Number.NaN;
    if (!Number.isFinite(float)) throw badElement(element, at);
    floats[at] = float;
  }
  return floats;
}

/**
 * The floats of bytes, four each.
 * @throws ValueMismatch for one that is not finite
 */
export function fromBigEndian(bytes: Buffer): Float32Array {
  const floats = new Float32Array(bytes.length / 4);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < floats.length; at += 1) {
    const float = view.getFloat32(at * 4);
    if (!Number.isFinite(float))
      throw new ValueMismatch(`element ${at + 1} is ${float}, which is not finite`);
    floats[at] = float;
  }
  return floats;
}

function wrongLength(dimension: number, found: string): ValueMismatch {
  const wanted = `a vector of ${dimension} elements (${dimension * 4} bytes)`;
  return new ValueMismatch(`expected ${wanted}, found ${found}`);
}

function badElement(element: JsonValue, at: number): ValueMismatch {
  if (element instanceof JsonNumber)
    return new ValueMismatch(`element ${at + 1}: ${element.text} is outside the range of a float`);
  return new ValueMismatch(`element ${at + 1}: ${wrongKind(element, 'a number').message}`);
}

/** Other clients of a cluster store elements that are not finite, which no JSON number can be. */
function serialize(value: Float32Array): JsonText {
  let text = '[';
  for (let at = 0; at < value.length; at += 1) {
    if (at > 0) text += ',';
    text += float.serialize(value[at] ?? 0);
  }
  return `${text}]`;
}

/**
 * The memory of the floats in the byte order of the machine, which is little-endian on nearly every platform of Node.
 */
function bytesOf(value: Float32Array): Uint8Array {
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

/** The floats, without a copy if the bytes are aligned for them. */
function floatsIn(bytes: Uint8Array): Float32Array {
  const aligned = bytes.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0 ? bytes : new Uint8Array(bytes);
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

function bigEndianBytes(value: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(value.length * 4);
  for (let at = 0; at < value.length; at += 1) bytes.writeFloatBE(value[at] ?? 0, at * 4);
  return bytes;
}

/** The driver's Vector holds its elements as an array of numbers. */
function fromDriver(value: unknown): Float32Array {
  if (value instanceof Float32Array) return value;
  if (isObjectWith(value, 'elements') && Array.isArray(value.elements))
    return Float32Array.from(value.elements);
  throw unexpected('a Vector', value);
}

/** Vectors of one repeated element. For every dimension, their order is the order of the bytes, the last bits first. */
function examplesOf(dimension: number): ColumnType['examples'] {
  const all = (element: string, count = dimension) => `[${Array<string>(count).fill(element).join(',')}]`;
  const binary = (float: number, count = dimension) =>
    `{"$binary":"${bigEndianBytes(new Float32Array(count).fill(float)).toString('base64')}"}`;
  return {
    accepts: [
      ...['0', '0.5', '2', '-0.0', '1', '-1', '1e-45', '123.456'].map((element) => all(element)),
      binary(0.1),
      ...['3.4028235e38', '-3.4028234663852886e38'].map((element) => all(element)),
    ],
    rejects: [
      ...['[]', '{}', '"text"', '""', '0', 'true', '{"$binary":""}', '{"$binary":"AAAAAAAA=="}'],
      ...[all('0', dimension - 1), all('0', dimension + 1), binary(1, dimension + 1)],
      ...['1e39', '-3.4028236e38', '"1"', '"NaN"', 'null', '[1]', 'true'].map((element) => all(element)),
      ...[binary(Number.NaN), binary(Number.POSITIVE_INFINITY), binary(Number.NEGATIVE_INFINITY)],
    ],
  };
}

/** Whether every element is zero: such a vector has no direction, so that no metric of directions can hold it. */
export function isZeroVector(vector: Float32Array): boolean {
  return vector.every((element) => element === 0);
}

/** Why a vector has an element that is too large; undefined: it has none. */
export function whyTooLarge(vector: Float32Array, mostMagnitude: number): string | undefined {
  for (let at = 0; at < vector.length; at += 1) {
    const element = vector[at] ?? 0;
    // Written so that it is also true of NaN.
    if (!(Math.abs(element) <= mostMagnitude)) {
      const limit = shortestFloatText(mostMagnitude);
      const limits = `from -${limit} to ${limit}`;
      return `element ${at + 1} is ${element}, and vector indexes of Cassandra take elements ${limits}`;
    }
  }
  return undefined;
}
