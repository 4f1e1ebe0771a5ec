// The fields and operators that the filter builder offers.
import type { JsonObject } from '../json/exact-json.js';
import type { FilterFields } from './filter-builder.js';
import { fieldPath } from './find-command.js';
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
/** The operators of lists, sets and maps compare the members. */
const memberTypes = ['list', 'set', 'map'];
const memberOperators = ['$in', '$nin', '$all'];

/**
 * What a filter can compare: the columns of a table, or the fields of the loaded documents of a collection, where other
 * fields can be typed.
 */
export function filterFieldsOf(
  item: Item,
  rows: readonly JsonObject[],
  indexes: readonly Index[],
): FilterFields {
  if (item.kind === 'collection') {
    const names = new Set(['_id', ...rows.slice(0, 200).flatMap(Object.keys)]);
    const operators = [...scalarOperators, '$exists', '$all', '$size'];
    return {
      names: [...names].filter((name) => !name.startsWith('$')).map(fieldPath),
      isOpen: true,
      operatorsOf: () => operators,
      isText: () => false,
    };
  }
  const columns = columnsOf(item.definition).filter(({ type }) => !noFilter.includes(type));
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const hasWords = indexes.some(({ type }) => type === 'text');
  const ofScalars = [...scalarOperators, ...(hasWords ? ['$match'] : [])];
  return {
    names: columns.map(({ name }) => name),
    isOpen: false,
    operatorsOf: (field) => (memberTypes.includes(types.get(field) ?? '') ? memberOperators : ofScalars),
    isText: (field) => textTypes.includes(types.get(field) ?? ''),
  };
}
