// The boolean type.
import type { ColumnType } from './column-type.js';
import { unexpected } from './driver-values.js';
import { wrongKind } from './expect-json.js';
import { ordinaryTraits } from './ordinary-traits.js';

export const boolean: ColumnType<boolean> = {
  name: 'boolean',
  help: 'true or false',
  input: { kind: 'boolean', example: 'true or false' },
  parse(json) {
    if (typeof json === 'boolean') return json;
    throw wrongKind(json, 'true or false');
  },
  serialize: (value) => (value ? 'true' : 'false'),
  compare: (left, right) => Number(left) - Number(right),
  sql: {
    columnType: 'INTEGER',
    readsBigInt: false,
    encode: (value) => (value ? 1 : 0),
    decode: (stored) => Number(stored) !== 0,
    serialized: (column) => `iif(${column}, 'true', 'false')`,
  },
  cql: {
    type: 'boolean',
    encode: (value) => Buffer.from([value ? 1 : 0]),
    fromDriver(value) {
      if (typeof value === 'boolean') return value;
      throw unexpected('a boolean', value);
    },
  },
  traits: { ...ordinaryTraits, index: 'equality' },
  examples: {
    accepts: ['false', 'true'],
    rejects: ['0', '1', '"true"', '"false"', '""', '[]', '[true]', '{}'],
  },
};
