// The full names of column types in schemas and messages: `int`, `map<text,int>`, `vector<float,3>`.
import type { ColumnType } from './column-type.js';
import { listOf, mapOf, setOf } from './containers.js';
import { frozenOf } from './frozen.js';
import { columnTypeNamed } from './registry.js';
import { unsupportedDefinition, unsupportedOf } from './unsupported.js';
import { maxDimension, vectorOf } from './vector.js';

const vector = /^vector<float,([1-9]\d{0,3})>$/;
const container = /^(list|set|map)<(\w+)(?:,(\w+))?>$/;
const frozen = /^frozen<(.+)>$/;

/** The type with this `name`; undefined if there is none. */
export function columnTypeOfName(name: string): ColumnType | undefined {
  const unsupported = unsupportedDefinition(name);
  if (unsupported !== undefined) return unsupportedOf(unsupported);
  const inside = frozen.exec(name)?.[1];
  if (inside === undefined) return plainTypeOfName(name);
  const type = plainTypeOfName(inside);
  return type?.container === undefined ? undefined : frozenOf(type);
}

/** Scalars, vectors and containers. */
function plainTypeOfName(name: string): ColumnType | undefined {
  const dimension = Number(vector.exec(name)?.[1]);
  if (dimension <= maxDimension) return vectorOf(dimension);
  const [, kind, first = '', second] = container.exec(name) ?? [];
  if (kind === undefined) return columnTypeNamed(name);
  const part = columnTypeNamed(first);
  if (kind === 'map') {
    const value = columnTypeNamed(second ?? '');
    // The names of a JSON object are texts.
    return part?.traits.text !== true || value === undefined ? undefined : mapOf(part, value);
  }
  if (part === undefined || second !== undefined) return undefined;
  return kind === 'list' ? listOf(part) : setOf(part);
}
