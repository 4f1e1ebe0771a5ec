// Static columns: columns of partitions, whose values all rows of a partition share.
import { getOrMake } from '../../foundation/get-or-make.js';
import { type ColumnType, labelOf } from './column-type.js';
import { unsupportedDefinition } from './unsupported.js';

const known = new WeakMap<ColumnType, ColumnType>();

/** The type of a static column with the values of `type`. The same type always gives the same object. */
export function staticOf(type: ColumnType): ColumnType {
  return getOrMake(known, type, makeStatic);
}

/** Whether static columns of the type have values. */
export function canBeStatic({ name, add, vector, static: inside }: ColumnType): boolean {
  const isSupported = unsupportedDefinition(name) === undefined;
  return isSupported && add === undefined && vector === undefined && inside === undefined;
}

/** Without `container`: commands change static values as a whole. */
function makeStatic(type: ColumnType): ColumnType {
  const { container: _, extendedLiteral: __, ...rest } = type;
  return {
    ...rest,
    name: `static<${type.name}>`,
    label: `static ${labelOf(type)}`,
    help: `${type.help}; shared by the rows of a partition`,
    definition: type.definition ?? `{"type":${JSON.stringify(type.name)}}`,
    cql: { ...type.cql, type: `static ${type.cql.type}` },
    traits: { ...type.traits, key: false, index: 'none', searchable: false, creatable: false },
    apiSupport: { createTable: false, insert: true, read: true, filter: type.traits.filterable },
    // Clients search for the texts of some scalar types beside rows.
    ...(type.definition === undefined && { isBareBesideRows: true }),
    isExtended: true,
    static: type,
  };
}
