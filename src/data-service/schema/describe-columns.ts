// Column definitions as replies show them: long form, compact, members in a fixed order.
import type { JsonText } from '../../foundation/json/json-value.js';
import type { Column, Table } from './table.js';
import { describeVectorizer } from './vectorizer.js';

const described = new WeakMap<readonly Column[], JsonText>();

/**
 * `{"id":{"type":"uuid"},…}`, for projectionSchema and primaryKeySchema.
 * Clients look for the exact text `{"type":"varint"}`, so there is no other member and no space.
 */
export function describeColumns(columns: readonly Column[]): JsonText {
  let text = described.get(columns);
  if (text === undefined) {
    text = `{${columns.map((column) => `${column.label}${describeColumn(column)}`).join(',')}}`;
    described.set(columns, text);
  }
  return text;
}

/** The definition that listTables shows with `explain`. */
export function describeTable(table: Table): JsonText {
  const partitionBy = JSON.stringify(table.partitionKey.map((column) => column.name));
  const partitionSort = table.clustering
    .map(({ column, direction }) => `${column.label}${direction}`)
    .join(',');
  return (
    `{"name":${JSON.stringify(table.name)},"definition":{"columns":${describeColumns(table.columns)},` +
    `"primaryKey":{"partitionBy":${partitionBy},"partitionSort":{${partitionSort}}}}}`
  );
}

function describeColumn({ type, service }: Column): JsonText {
  const definition = type.definition ?? `{"type":${JSON.stringify(type.name)}}`;
  if (type.apiSupport === undefined) return definition;
  const shown = service?.isEnabled === true ? `,"service":${describeVectorizer(service.service)}` : '';
  const apiSupport = JSON.stringify({ ...type.apiSupport, cqlDefinition: type.cql.type });
  return `${definition.slice(0, -1)}${shown},"apiSupport":${apiSupport}}`;
}
