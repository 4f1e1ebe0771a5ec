// The full names of column types in schemas and messages: `int`, `map<text,int>`, `vector<float,3>`.
import type { ColumnType } from './column-type.js';
import { listOf, mapOf, setOf } from './containers.js';
import { frozenOf } from './frozen.js';
import { columnTypeNamed } from './registry.js';
import { canBeStatic, staticOf } from './static.js';
import { unsupportedDefinition, unsupportedOf } from './unsupported.js';
import { userDefinedNamed } from './user-types.js';
import { maxDimension, vectorOf } from './vector.js';

const vector = /^vector<float,([1-9]\d{0,3})>$/;
const container = /^(list|set|map)<([^<>,]+)(?:,([^<>,]+))?>$/;
const frozen = /^frozen<(.+)>$/;
const ofPartitions = /^static<(.+)>$/;

/** The type with this `name`; undefined if there is none. */
export function columnTypeOfName(name: string): ColumnType | undefined {
  const unsupported = unsupportedDefinition(name);
  if (unsupported !== undefined) return unsupportedOf(unsupported);
  const shared = ofPartitions.exec(name)?.[1];
  if (shared !== undefined) {
    const type = valueTypeOfName(shared);
    return type !== undefined && canBeStatic(type) ? staticOf(type) : undefined;
  }
  return valueTypeOfName(name);
}

function valueTypeOfName(name: string): ColumnType | undefined {
  const inside = frozen.exec(name)?.[1];
  if (inside === undefined) return plainTypeOfName(name);
  const type = plainTypeOfName(inside);
  const canFreeze = type?.container !== undefined || type?.userType !== undefined;
  return canFreeze ? frozenOf(type) : undefined;
}

/** Scalars, user-defined types, vectors and containers. */
function plainTypeOfName(name: string): ColumnType | undefined {
  const dimension = Number(vector.exec(name)?.[1]);
  if (dimension <= maxDimension) return vectorOf(dimension);
  const [, kind, first = '', second] = container.exec(name) ?? [];
  if (kind === undefined) return memberTypeNamed(name);
  const part = memberTypeNamed(first);
  if (kind === 'map') {
    const key = columnTypeNamed(first);
    const value = memberTypeNamed(second ?? '');
    return key === undefined || value === undefined ? undefined : mapOf(key, value);
  }
  if (part === undefined || second !== undefined) return undefined;
  return kind === 'list' ? listOf(part) : setOf(part);
}

/** Scalars and user-defined types. */
function memberTypeNamed(name: string): ColumnType | undefined {
  return columnTypeNamed(name) ?? userDefinedNamed(name);
}
