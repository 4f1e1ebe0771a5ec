// Column definitions in the form of replies: long form, compact, members in a fixed order.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { JsonText } from '../../foundation/json/json-value.js';
import {
  type ColumnType,
  cqlDefinition,
  hasReadableFields,
  type UserTypeDefinition,
} from '../column-types/column-type.js';
import { unsupportedOf } from '../column-types/unsupported.js';
import { userDefinedOf } from '../column-types/user-types.js';
import { describeEmbeddingService } from './embedding-service.js';
import type { Column, Table } from './table.js';

const described = new WeakMap<readonly Column[], JsonText>();

/**
 * `{"id":{"type":"uuid"},…}`, for projectionSchema and primaryKeySchema.
 * Clients search for the exact texts `{"type":"varint"}` and `{"type":"counter"}`: no other member and no space is
 * allowed.
 */
export function describeColumns(columns: readonly Column[]): JsonText {
  return getOrMake(described, columns, describeEach);
}

function describeEach(columns: readonly Column[]): JsonText {
  return `{${columns.map(describeBesideRows).join(',')}}`;
}

const describedTables = new WeakMap<Table, JsonText>();

/** The definition in listTables with `explain`. */
export function describeTable(table: Table): JsonText {
  return getOrMake(describedTables, table, definitionOfTable);
}

function definitionOfTable(table: Table): JsonText {
  const partitionBy = JSON.stringify(table.partitionKey.map((column) => column.name));
  const partitionSort = table.clustering
    .map(({ column, direction }) => `${column.label}${direction}`)
    .join(',');
  const columns = table.columns.map((column) => `${column.label}${describeColumn(column)}`);
  return (
    `{"name":${JSON.stringify(table.name)},"definition":{"columns":{${columns.join(',')}},` +
    `"primaryKey":{"partitionBy":${partitionBy},"partitionSort":{${partitionSort}}}}}`
  );
}

function describeBesideRows(column: Column): JsonText {
  const { label, type } = column;
  if (type.isBareBesideRows === true) return `${label}${definitionOf(type)}`;
  return `${label}${describe(column, type.definitionBesideRows ?? definitionOf(type))}`;
}

/** The definition, with `apiSupport` if commands cannot do everything with such a column. */
function describeColumn(column: Column): JsonText {
  return describe(column, definitionOf(column.type));
}

function describe({ type, service }: Column, definition: JsonText): JsonText {
  if (type.apiSupport === undefined) return definition;
  const shown = service?.isEnabled === true ? `,"service":${describeEmbeddingService(service)}` : '';
  const apiSupport = JSON.stringify({ ...type.apiSupport, cqlDefinition: cqlDefinition(type) });
  return `${definition.slice(0, -1)}${shown},"apiSupport":${apiSupport}}`;
}

/** The entry of a type in listTypes with `explain`. */
export function describeUserType(definition: UserTypeDefinition): JsonText {
  const type = userDefinedOf(definition);
  if (!hasReadableFields(definition)) return describeOther(type);
  const apiSupport = JSON.stringify({ ...type.apiSupport, cqlDefinition: cqlDefinition(type) });
  return `${(type.definitionBesideRows ?? definitionOf(type)).slice(0, -1)},"apiSupport":${apiSupport}}`;
}

/** Native queries make types with fields of other types than scalars. */
function describeOther(type: ColumnType): JsonText {
  const { apiSupport, definition } = unsupportedOf(cqlDefinition(type));
  const shown = JSON.stringify({ ...apiSupport, cqlDefinition: cqlDefinition(type) });
  return `${definition?.slice(0, -1)},"apiSupport":${shown}}`;
}

function definitionOf(type: ColumnType): JsonText {
  return type.definition ?? `{"type":${JSON.stringify(type.name)}}`;
}
