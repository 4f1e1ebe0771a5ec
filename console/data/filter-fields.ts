// The fields and operators that the filter builder offers.
import { operatorsOn } from '../../src/descriptions/filter-operators.js';
import { isTypedAsText } from '../../src/descriptions/type-description.js';
import type { TypeDescription } from '../../src/descriptions/value-input.js';
import type { JsonObject } from '../json/exact-json.js';
import type { FilterFields } from './filter-builder.js';
import { fieldPath } from './find-command.js';
import { columnsOf, type Index, type Item } from './schema.js';

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
    const operators = operatorsOn('documents');
    return {
      names: [...names].filter((name) => !name.startsWith('$')).map(fieldPath),
      isOpen: true,
      operatorsOf: () => operators,
      isText: () => false,
    };
  }
  const columns = columnsOf(item.definition).filter(({ described }) => canFilter(described));
  const types = new Map(columns.map(({ name, described }) => [name, described]));
  const hasWords = indexes.some(({ type }) => type === 'text');
  const ofValues = [...operatorsOn('values'), ...(hasWords ? operatorsOn('words') : [])];
  const ofMembers = operatorsOn('members');
  return {
    names: columns.map(({ name }) => name),
    isOpen: false,
    operatorsOf: (field) => (types.get(field)?.uses.includes('members') === true ? ofMembers : ofValues),
    isText: (field) => {
      const type = types.get(field);
      return type !== undefined && isTypedAsText(type);
    },
  };
}

function canFilter({ uses }: TypeDescription): boolean {
  return uses.includes('filter') || uses.includes('members');
}
