// The full names of column types, as schemas store them and messages show them: `int`, `map<text,int>`.
import type { ColumnType } from './column-type.js';
import { listOf, mapOf, setOf } from './containers.js';
import { columnTypeNamed } from './registry.js';

const container = /^(list|set|map)<(\w+)(?:,(\w+))?>$/;

/** The type whose `name` it is, scalar or container; undefined when there is none. */
export function columnTypeOfName(name: string): ColumnType | undefined {
  const [, kind, first = '', second] = container.exec(name) ?? [];
  if (kind === undefined) return columnTypeNamed(name);
  const part = columnTypeNamed(first);
  if (kind === 'map') {
    const value = columnTypeNamed(second ?? '');
    return part === undefined || value === undefined ? undefined : mapOf(part, value);
  }
  if (part === undefined || second !== undefined) return undefined;
  return kind === 'list' ? listOf(part) : setOf(part);
}
