// Writes the values of Cassandra's driver in the form of the data service.
import { JsonNumber, type JsonText } from '../../foundation/json/json-value.js';
import { writeJson } from '../../foundation/json/write-json.js';
import { decimal } from './decimals.js';
import { driverInteger, isDriverInteger, isObjectWith } from './driver-values.js';
import { columnTypeOfName } from './type-names.js';

/**
 * The JSON text of a value of a column with this CQL type. For types that the data service does not have (tuples,
 * user-defined types) it is the text of the driver.
 */
export function renderCqlValue(cqlType: string, value: unknown): JsonText {
  if (value === null || value === undefined) return 'null';
  const type = columnTypeOfName(cqlType.replaceAll(' ', ''));
  // The driver gives the keys of other maps than those of texts as texts.
  if (type === undefined || type.isExtended === true) return writeJson(renderPlain(value));
  return type.serialize(type.cql.fromDriver(value));
}

function renderPlain(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return new JsonNumber(String(value));
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (value instanceof Date) return value.toISOString();
  if (isDriverInteger(value)) return new JsonNumber(String(driverInteger(value)));
  if (Buffer.isBuffer(value)) return { $binary: value.toString('base64') };
  if (Array.isArray(value)) return value.map(renderPlain);
  if (value instanceof Map) return renderMap(value);
  if (Object.getPrototypeOf(value) === Object.prototype) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, renderPlain(member)]));
  }
  return textOf(value);
}

/** The text of the driver, except of numbers: its text of large ones takes unlimited time. */
function textOf(value: unknown): string {
  if (isDriverInteger(value)) return String(driverInteger(value));
  if (isObjectWith(value, '_intVal')) return decimal.serialize(decimal.cql.fromDriver(value));
  if (isObjectWith(value, 'elements') && Array.isArray(value.elements))
    return `(${value.elements.map(textOf).join(',')})`; // a tuple
  return String(value);
}

/** An object, or pairs where keys are not texts. */
function renderMap(map: ReadonlyMap<unknown, unknown>): unknown {
  const pairs = [...map].map(([key, value]) => [renderPlain(key), renderPlain(value)] as const);
  return [...map.keys()].every((key) => typeof key === 'string') ? Object.fromEntries(pairs) : pairs;
}
