// Writes the values of Cassandra's driver in the form of the data service.
import { columnTypeOfName } from '../data-service/column-types/type-names.js';
import { JsonNumber, type JsonText } from '../foundation/json/json-value.js';
import { writeJson } from '../foundation/json/write-json.js';

/**
 * The JSON text of a value of a column of this CQL type. Types that the data service does not know (tuples, types of
 * users) are written as the driver's own texts.
 */
export function renderCqlValue(cqlType: string, value: unknown): JsonText {
  if (value === null || value === undefined) return 'null';
  const type = columnTypeOfName(cqlType.replaceAll(' ', ''));
  return type === undefined ? writeJson(renderPlain(value)) : type.serialize(type.cql.fromDriver(value));
}

function renderPlain(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return new JsonNumber(String(value));
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return { $binary: value.toString('base64') };
  if (Array.isArray(value)) return value.map(renderPlain);
  if (Object.getPrototypeOf(value) === Object.prototype) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, renderPlain(member)]));
  }
  return String(value);
}
