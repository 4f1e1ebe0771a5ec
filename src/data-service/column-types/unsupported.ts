// Types of existing columns whose values the server does not support: static columns, tuples, user-defined types.
import { getOrMake } from '../../foundation/get-or-make.js';
import { type ColumnType, ValueMismatch } from './column-type.js';
import { ordinaryTraits } from './ordinary-traits.js';

const prefix = 'unsupported ';
const known = new Map<string, ColumnType<never>>();

/** The definition in the name of an unsupported type; undefined for the name of another type. */
export function unsupportedDefinition(name: string): string | undefined {
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}

/** The type with this definition in the native query language; the same one always gives the same object. */
export function unsupportedOf(definition: string): ColumnType<never> {
  return getOrMake(known, definition, makeUnsupported);
}

function makeUnsupported(definition: string): ColumnType<never> {
  const hasNoValues = (): never => {
    throw new TypeError(`columns of the type ${definition} hold no values`);
  };
  return {
    name: `${prefix}${definition}`,
    help: 'a type that is listed and holds no values',
    input: { kind: 'word' },
    definition: '{"type":"UNSUPPORTED"}',
    parse: () => {
      throw new ValueMismatch(`columns of the type ${definition} can be listed, but not read or written`);
    },
    serialize: hasNoValues,
    compare: hasNoValues,
    sql: { columnType: 'BLOB', readsBigInt: false, encode: hasNoValues, decode: hasNoValues },
    cql: { type: definition, encode: hasNoValues, fromDriver: hasNoValues },
    traits: {
      ...ordinaryTraits,
      key: false,
      filterable: false,
      range: false,
      index: 'none',
      creatable: false,
    },
    apiSupport: { createTable: false, insert: false, read: false, filter: false },
    examples: { accepts: [], rejects: ['1', 'true', '"a"', '[]', '{}'] },
  };
}
