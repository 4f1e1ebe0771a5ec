// The tables that malformed bodies are sent to: every type, as values and in keys, and names that trip JavaScript.

import { blob } from '../../src/data-service/column-types/blob.js';
import type { ColumnType } from '../../src/data-service/column-types/column-type.js';
import { listOf, mapOf, setOf } from '../../src/data-service/column-types/containers.js';
import { decimal } from '../../src/data-service/column-types/decimals.js';
import { int } from '../../src/data-service/column-types/integers.js';
import { columnTypes } from '../../src/data-service/column-types/registry.js';
import { ascii, text } from '../../src/data-service/column-types/text.js';
import { userDefinedOf } from '../../src/data-service/column-types/user-types.js';
import type { JsonText } from '../../src/foundation/json/json-value.js';

/** A column of a fuzz table. */
export interface FuzzColumn {
  readonly name: string;
  /** The name of a type. */
  readonly type: string;
}

/** A table as createTable takes it. */
export interface FuzzTable {
  readonly name: string;
  readonly columns: readonly FuzzColumn[];
  readonly partitionBy: readonly string[];
  /** Clustering columns with their direction. */
  readonly partitionSort: Readonly<Record<string, 1 | -1>>;
  /** Whether its server has the extended dialect. Absent: no. */
  readonly isExtended?: true;
}

/** The types that tables can be made of. */
export const fuzzTypes: readonly ColumnType[] = [
  ...columnTypes.filter(({ traits }) => traits.creatable),
  ...[listOf(text), setOf(int), mapOf(text, blob), mapOf(ascii, decimal)],
];
/** Tables of the extended dialect need this type. */
export const fuzzUserType = { name: 'place', fields: '{"street":"text","zip":"int"}' } as const;
const place = userDefinedOf({
  keyspace: '',
  name: fuzzUserType.name,
  fields: [
    { name: 'street', type: text },
    { name: 'zip', type: int },
  ],
});
/** With literals that say more than the examples of the types. */
const extendedTypes: ReadonlyMap<ColumnType, readonly JsonText[]> = new Map([
  [mapOf(int, text), ['[[1,"a"],[2,"b"]]', '[[7,"a"]]', '{}']],
  [place, ['{"street":"a","zip":7}', '{"zip":1}', '[["street","b"]]', '{}']],
  [listOf(place), ['[{"zip":1},{"street":"a"},{"zip":1}]', '[{}]', '[]']],
  [mapOf(text, place), ['{"a":{"zip":1},"b":{}}', '[["c",{"street":"a"}]]']],
]);

/** The type of a fuzz column, in either dialect. */
export function fuzzTypeNamed(name: string): ColumnType | undefined {
  return [...fuzzTypes, ...extendedTypes.keys()].find((type) => type.name === name);
}

/** Literals that a column of the type takes. */
export function literalsOf(type: ColumnType): readonly JsonText[] {
  return extendedTypes.get(type) ?? type.examples.accepts;
}

const valueColumns = fuzzTypes.map(({ name }) => ({ name: `${name}_value`, type: name }));
const keyColumns = fuzzTypes
  .filter(({ traits }) => traits.key)
  .map(({ name }) => ({ name: `${name}_key`, type: name }));
const [firstKey = { name: 'id', type: 'int' }, ...otherKeys] = keyColumns;

/** Names that mean something to JavaScript, JSON, SQL or HTTP. */
export const trickyNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'length',
  '7',
  'a b',
  'é\u{1f600}',
  '$set',
  '$eq',
  '$binary',
  '*',
  'a.b',
  '"; DROP TABLE tables; --',
  '\u0000',
  '\ud800',
  'rowid',
  'row_id',
] as const;

/** Those of them that columns can have. */
const columnNames = trickyNames.filter((name) => !name.startsWith('$'));

/** Each differs in what its columns and its key are made of. */
export const fuzzTables: readonly FuzzTable[] = [
  {
    name: 'every_value',
    columns: [{ name: 'id', type: 'int' }, { name: 'part', type: 'text' }, ...valueColumns],
    partitionBy: ['id'],
    partitionSort: { part: 1 },
  },
  {
    name: 'every_key',
    columns: [...keyColumns, ...valueColumns],
    partitionBy: [firstKey.name],
    partitionSort: Object.fromEntries(otherKeys.map(({ name }, at) => [name, at % 2 === 0 ? -1 : 1])),
  },
  {
    name: 'tricky_names',
    columns: columnNames.map((name, at) => ({
      name,
      type: ['text', 'int', 'blob', 'double'][at % 4] ?? 'text',
    })),
    partitionBy: ['__proto__', 'constructor'],
    partitionSort: { 'a b': -1 },
  },
];

/** Those of the extended dialect: the same, and one with its own types. */
export const extendedFuzzTables: readonly FuzzTable[] = [
  ...fuzzTables.map((table) => ({ ...table, isExtended: true as const })),
  {
    name: 'members',
    columns: [
      { name: 'id', type: 'int' },
      { name: 'part', type: 'text' },
      { name: 'words', type: 'text' },
      { name: 'list', type: 'list<text>' },
      { name: 'set', type: 'set<int>' },
      ...[...extendedTypes.keys()].map(({ name }, at) => ({ name: `own_${at}`, type: name })),
    ],
    partitionBy: ['id'],
    partitionSort: { part: -1 },
    isExtended: true,
  },
];

/** The definition of createTable, as text: an object literal would lose the member `__proto__`. */
export function definitionText({ columns, partitionBy, partitionSort }: FuzzTable): string {
  const columnTexts = columns.map(({ name, type }) => {
    const definition = fuzzTypeNamed(type)?.definition ?? JSON.stringify(type);
    return `${JSON.stringify(name)}:${definition}`;
  });
  const key = JSON.stringify({ partitionBy, partitionSort });
  return `{"columns":{${columnTexts.join(',')}},"primaryKey":${key}}`;
}
