// Every operator on every type, cell by cell: what is found, what is warned of, and how misuse is refused.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { ColumnType } from '../../src/data-service/column-types/column-type.js';
import { columnTypes } from '../../src/data-service/column-types/registry.js';
import type { JsonText } from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import { shortened, useWireServer } from './wire-server.js';

const { at, send } = useWireServer();
const keyspace = at('/v1/default_keyspace');
const ok = '{"status":{"ok":1}}';

/** Operator → whether a value matches whose order relative to each operand is given. */
const operators: Readonly<Record<string, (orders: readonly number[]) => boolean>> = {
  $eq: ([order]) => order === 0,
  $ne: ([order]) => order !== 0,
  $gt: ([order = 0]) => order > 0,
  $gte: ([order = 0]) => order >= 0,
  $lt: ([order = 0]) => order < 0,
  $lte: ([order = 0]) => order <= 0,
  $in: (orders) => orders.includes(0),
  $nin: (orders) => !orders.includes(0),
};
const negations: Readonly<Record<string, string>> = {
  ...{ $eq: '$ne', $ne: '$eq', $in: '$nin', $nin: '$in' },
  ...{ $gt: '$lte', $lte: '$gt', $lt: '$gte', $gte: '$lt' },
};
const ranges = ['$gt', '$gte', '$lt', '$lte'];

const missingIndex = '<REQUEST WARNING MISSING_INDEX: Filter without an index>';
/** Operator → the types whose index does not serve it, and the warning. */
const unserved: Readonly<Record<string, readonly [types: readonly string[], warning: string]>> = {
  $ne: [
    ['text', 'ascii', 'boolean', 'uuid'],
    '<REQUEST WARNING NOT_EQUALS_UNSUPPORTED_BY_INDEXING: Inequality that an index does not serve>',
  ],
  $nin: [
    ['text', 'ascii', 'boolean', 'uuid'],
    '<REQUEST WARNING NOT_IN_FILTER_UNSUPPORTED_BY_INDEXING: Exclusion that an index does not serve>',
  ],
  ...Object.fromEntries(
    ranges.map((range) => [
      range,
      [
        ['text', 'ascii', 'boolean', 'uuid'],
        '<REQUEST WARNING COMPARISON_FILTER_UNSUPPORTED_BY_INDEXING: Range that an index does not serve everywhere>',
      ],
    ]),
  ),
};

const impossible = 'FILTER INVALID_FILTER_EXPRESSION: Filter operation not possible on the column';
const misshapen = 'FILTER FILTER_INVALID_EXPRESSION: Filter expression not well-formed';
const tooManyDigits = 'DOCUMENT SHRED_DOC_LIMIT_VIOLATION: Limit of a document exceeded';
const wrongValue = 'FILTER INVALID_FILTER_COLUMN_VALUES: Filter value does not fit the column';

for (const type of columnTypes.filter(({ traits }) => traits.creatable && traits.filterable)) {
  describe(`filters on ${type.name}`, () => {
    const isIndexable = !['blob', 'duration'].includes(type.name);
    const tables = isIndexable ? ['plain', 'indexed'] : ['plain'];
    const values = type.examples.accepts
      .filter((text) => text.length < 100 && !/e[-+]?\d{4}/i.test(text))
      .slice(0, 45);
    const parsed = values.map((text) => parsedValue(type, text));
    const path = (table: string) => `/v1/default_keyspace/${table}_${type.name}`;

    before(async () => {
      for (const table of tables) {
        const name = `${table}_${type.name}`;
        const definition = `{"columns":{"id":"int","v":"${type.name}"},"primaryKey":"id"}`;
        await keyspace(`{"createTable":{"name":"${name}","definition":${definition}}}`, ok);
        if (table === 'indexed')
          await at(path(table))(`{"createIndex":{"name":"${name}","definition":{"column":"v"}}}`, ok);
        // The last two rows have no value.
        const rows = [
          ...values.map((text, id) => `{"id":${id},"v":${text}}`),
          '{"id":98}',
          '{"id":99,"v":null}',
        ];
        const { text } = await send({
          path: path(table),
          body: `{"insertMany":{"documents":[${rows.join(',')}]}}`,
        });
        assert.ok(!text.includes('"errors"'), text);
      }
    });

    const finds = async (
      table: string,
      filter: string,
      ids: readonly number[],
      warnings: readonly string[],
    ) => {
      const { text } = await send({
        path: path(table),
        body: `{"find":{"filter":${filter},"projection":{"id":1}}}`,
      });
      // An index gives rows by their values.
      const reply = text.replace(/"documents":\[(.*?)\]/, (_, documents: string) => {
        const found = [...documents.matchAll(/\{"id":(\d+)\}/g)].map((match) => Number(match[1]));
        return `"documents":${JSON.stringify(found.toSorted((one, other) => one - other))}`;
      });
      const warned = warnings.length === 0 ? '' : `,"warnings":[${warnings.join(',')}]`;
      assert.equal(
        shortened(reply),
        `{"data":{"documents":${JSON.stringify(ids)},"nextPageState":null},` +
          `"status":{"projectionSchema":{"id":{"type":"int"}}${warned}}}`,
        `${table}: ${filter}`,
      );
    };
    const warningsOf = (table: string, operator: string) => {
      if (table === 'plain') return [missingIndex];
      const [types, warning] = unserved[operator] ?? [[], ''];
      return types.includes(type.name) ? [warning] : [];
    };
    const refuses = async (filter: string, problem: string) => {
      for (const command of ['find', 'findOne']) {
        const { text } = await send({ path: path('plain'), body: `{"${command}":{"filter":${filter}}}` });
        assert.equal(shortened(text), `{"errors":[<REQUEST ${problem}>]}`, filter);
      }
    };

    for (const [operator, matches] of Object.entries(operators)) {
      const takesList = operator === '$in' || operator === '$nin';
      if (type.name === 'duration' && ranges.includes(operator)) {
        it(`${operator} is refused`, async () => {
          await refuses(`{"v":{"${operator}":"1h"}}`, impossible);
          await refuses(`{"$not":{"v":{"${operator}":"1h"}}}`, impossible);
        });
        continue;
      }

      it(`${operator} finds what compares so`, async () => {
        for (const chosen of operandsOf(values.length, takesList)) {
          const list = chosen.map((place) => values[place]).join(',');
          const filter = `{"v":{"${operator}":${takesList ? `[${list}]` : list}}}`;
          const orders = (value: unknown) => chosen.map((place) => type.compare(value, parsed[place]));
          const found = parsed.flatMap((value, id) => (matches(orders(value)) ? [id] : []));
          const others = parsed.flatMap((_, id) => (found.includes(id) ? [] : [id]));
          for (const table of tables) {
            // A choice of one value is that value.
            const inEffect = operator === '$in' && chosen.length === 1 ? '$eq' : operator;
            await finds(table, filter, found, warningsOf(table, inEffect));
            await finds(table, `{"$not":${filter}}`, others, warningsOf(table, negations[operator] ?? ''));
            if (operator === '$eq') await finds(table, `{"v":${list}}`, found, warningsOf(table, '$eq'));
          }
        }
      });

      it(`${operator} refuses what it cannot compare with`, async () => {
        const given = (operand: string) => `{"v":{"${operator}":${takesList ? `[${operand}]` : operand}}}`;
        const isRange = /^\$[gl]te?$/.test(operator);
        await refuses(given('null'), isRange ? misshapen : impossible);
        if (isRange) await refuses(given('{"x":1}'), misshapen);
        if (takesList) {
          for (const operand of ['null', '{}', '"x"', '1', 'true'])
            await refuses(`{"v":{"${operator}":${operand}}}`, misshapen);
          const many = Array.from({ length: 101 }, () => values[0]).join(',');
          await refuses(given(many), misshapen);
        }
        await refuses(given('[1]'), misshapen);
        for (const example of type.examples.rejects) {
          if (/^[[{n]/.test(example) || example.length > 100) continue;
          const isTooLong = /e-?\d{5}/i.test(example) && ['varint', 'decimal'].includes(type.name);
          await refuses(given(example), isTooLong ? tooManyDigits : wrongValue);
          await refuses(`{"$not":${given(example)}}`, isTooLong ? tooManyDigits : wrongValue);
        }
      });
    }

    it('several operators hold together, and a missing value matches none', async () => {
      const [first = ''] = values;
      for (const table of tables) {
        await finds(table, `{"v":{"$eq":${first},"$ne":${first}}}`, [], warningsOf(table, '$ne'));
        const everything = `{"$or":[{"v":{"$in":[${first}]}},{"v":{"$nin":[${first}]}}]}`;
        await finds(table, everything, [...values.keys()], warningsOf(table, '$nin'));
        await finds(table, '{"v":{"$in":[]}}', [], warningsOf(table, '$in'));
        await finds(table, '{"v":{"$nin":[]}}', [...values.keys()], warningsOf(table, '$nin'));
      }
    });

    it('other operators and shapes are refused', async () => {
      await refuses('{"v":null}', impossible);
      for (const [operator, operand] of [
        ['$exists', 'true'],
        ['$size', '1'],
        ['$all', `[${values[0]}]`],
      ] as const)
        await refuses(`{"v":{"${operator}":${operand}}}`, impossible);
      await refuses('{"v":{"$regex":"x"}}', 'FILTER FILTER_UNSUPPORTED_OPERATOR: Filter operator unknown');
      await refuses('{"v":[1]}', misshapen);
      await refuses(
        '{"v":{"a":1}}',
        'FILTER FILTER_UNSUPPORTED_DATA_TYPE: Filter value of an unsupported kind',
      );
      await refuses(
        '{"v":{"$match":"x"}}',
        'FILTER CANNOT_LEXICAL_FILTER_NON_INDEXED_COLUMNS: Text search needs a text index',
      );
    });
  });
}

describe('filters on lists, sets and maps', () => {
  before(() =>
    keyspace(
      `{"createTable":{"name":"containers","definition":{"columns":{"id":"int","l":{"type":"list","valueType":"text"},
        "s":{"type":"set","valueType":"int"},"m":{"type":"map","keyType":"text","valueType":"int"}},
        "primaryKey":"id"}}}`,
      ok,
    ),
  );
  for (const [column, operand] of [
    ['l', '["a"]'],
    ['s', '[1]'],
    ['m', '{"a":1}'],
  ] as const) {
    for (const operator of [...Object.keys(operators), '$all', '$exists', '$size']) {
      it(`list, set, map in filters: ${operator} on ${column} is refused`, async () => {
        for (const given of [operand, '"a"', '1', 'null']) {
          const { text } = await send({
            path: '/v1/default_keyspace/containers',
            body: `{"find":{"filter":{"${column}":{"${operator}":${given}}}}}`,
          });
          assert.equal(shortened(text), `{"errors":[<REQUEST ${impossible}>]}`, given);
        }
      });
    }
  }
});

/** Places of operands: the first value, the last, and some between; for lists some of them together. */
function operandsOf(count: number, areLists: boolean): readonly (readonly number[])[] {
  const places = [...new Set([0, 1, count >> 1, count - 2, count - 1])].filter((place) => place >= 0);
  return areLists ? [[0], [count - 1, 0, 0], places] : places.map((place) => [place]);
}

function parsedValue(type: ColumnType, text: JsonText): unknown {
  return type.parse(parseJson(text, { maxDepth: 10, maxNumberLength: 1000 }));
}
