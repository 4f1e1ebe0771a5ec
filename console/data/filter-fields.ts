// The fields and operators that the filter builder offers.
import type { JsonObject } from '../json/exact-json.js';
import type { FilterFields } from './filter-builder.js';
import { columnsOf, type Index, type Item, unsupported } from './schema.js';

const scalarOperators = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin'];
const textTypes = [
  'text',
  'ascii',
  'varchar',
  'uuid',
  'timeuuid',
  'date',
  'time',
  'timestamp',
  'duration',
  'inet',
];
const noFilter = ['vector', unsupported];

/** Of a table its columns; of a collection the fields of the documents that are loaded, and others that are typed. */
export function filterFieldsOf(
  item: Item,
  rows: readonly JsonObject[],
  indexes: readonly Index[],
): FilterFields {
  if (item.kind === 'collection') {
    const names = new Set(['_id', ...rows.slice(0, 200).flatMap(Object.keys)]);
    return {
      names: [...names].filter((name) => !name.startsWith('$')),
      isOpen: true,
      operators: [...scalarOperators, '$exists', '$all', '$size'],
      isText: () => false,
    };
  }
  const columns = columnsOf(item.definition).filter(({ type }) => !noFilter.includes(type));
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const hasWords = indexes.some(({ type }) => type === 'text');
  return {
    names: columns.map(({ name }) => name),
    isOpen: false,
    operators: [...scalarOperators, ...(hasWords ? ['$match'] : [])],
    isText: (field) => textTypes.includes(types.get(field) ?? ''),
  };
}
