// What an index for filters contains, and the checks of a new one.
import { type PartName, partsOf, wholePartOf } from '../column-types/column-type.js';
import type { TextFold } from '../column-types/text-fold.js';
import { apiError } from '../errors/api-error.js';
import type { Keyspace } from '../schema/keyspace.js';
import { newIndex } from '../schema/new-index.js';
import type { SchemaChange } from '../schema/schema-change.js';
import {
  type Column,
  containerIndexOn,
  isCounterTable,
  regularIndexOn,
  type Table,
} from '../schema/table.js';
import { comparedPart } from './filter.js';

/** What is indexed: a column, or a part of the members of a list, set or map. */
export interface Indexed {
  readonly column: Column;
  readonly part?: PartName;
}

/** The part of a column that is indexed; `named` is the part of a map that the definition names, if any. */
export function indexedPart(column: Column, named: PartName | undefined): Indexed {
  const whole = wholePartOf(column.type);
  if (whole === undefined || !column.type.traits.filterable) return { column };
  // Lists and sets have only elements, whatever the definition says.
  const part = named !== undefined && partsOf(column.type)?.[named] !== undefined ? named : whole;
  return { column, part };
}

/** A new index for filters. */
export interface NewIndex {
  readonly name: string;
  readonly indexed: Indexed;
  readonly fold: TextFold | null;
  readonly ifNotExists: boolean;
}

/**
 * The change that creates the index; null if one of that name exists and that is not an error.
 * @throws ApiError CANNOT_ADD_EXISTING_INDEX
 */
export function planIndex(
  { name, indexed: { column, part }, fold, ifNotExists }: NewIndex,
  place: { readonly keyspace: Keyspace; readonly table: Table },
): Extract<SchemaChange, { kind: 'createIndex' }> | null {
  const { table } = place;
  const sameOn = () =>
    part === undefined ? regularIndexOn(table, column) : containerIndexOn(table, column, part);
  const named = newIndex(name, column, ifNotExists, sameOn, place);
  if (named === null) return null;
  const kind = part === undefined ? { kind: 'regular' as const } : { kind: 'container' as const, part };
  return { kind: 'createIndex', table, index: { ...kind, ...named, fold } };
}

/** @throws ApiError UNSUPPORTED_INDEXING_FOR_FROZEN_COLUMN, UNSUPPORTED_INDEXING_FOR_DATA_TYPES */
export function refuseUnindexable(indexed: Indexed, table: Table): void {
  const { column } = indexed;
  if (column.type.frozen !== undefined)
    throw apiError('schema', 'UNSUPPORTED_INDEXING_FOR_FROZEN_COLUMN', { column });
  const reason = reasonAgainst(indexed, table);
  if (reason !== undefined)
    throw apiError('schema', 'UNSUPPORTED_INDEXING_FOR_DATA_TYPES', { column, reason });
}

/** Why the column, or its part, cannot have an index. */
function reasonAgainst({ column, part }: Indexed, table: Table): string | undefined {
  if (isCounterTable(table)) return 'its table has counters';
  if (table.partitionKey.length === 1 && table.partitionKey[0] === column)
    return 'it is the only partition column, which needs no index';
  if (column.type.static !== undefined) return 'it is static';
  if (part !== undefined) {
    const { type } = comparedPart({ column, part });
    return type.traits.index === 'none' ? `its ${part} cannot be indexed` : undefined;
  }
  if (column.type.traits.index !== 'none') return undefined;
  return column.type.vector === undefined
    ? 'its type cannot be indexed'
    : 'use createVectorIndex for vector columns';
}
