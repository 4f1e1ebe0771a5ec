// Declares what every operator does on a type, cell by cell: what is found, what is warned of, how misuse is refused.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { ColumnType } from '../../src/data-service/column-types/column-type.js';
import { columnTypes } from '../../src/data-service/column-types/registry.js';
import type { JsonText } from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import { shortened, type WireServer } from './wire-server.js';

const ok = '{"status":{"ok":1}}';

/** Operator → whether a value matches whose order relative to each operand is given. */
export const operators: Readonly<Record<string, (orders: readonly number[]) => boolean>> = {
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
    '<REQUEST WARNING NOT_EQUALS_UNSUPPORTED_BY_INDEXING: Inequality not supported by the index>',
  ],
  $nin: [
    ['text', 'ascii', 'boolean', 'uuid'],
    '<REQUEST WARNING NOT_IN_FILTER_UNSUPPORTED_BY_INDEXING: Exclusion not supported by the index>',
  ],
  ...Object.fromEntries(
    ranges.map((range) => [
      range,
      [
        ['text', 'ascii', 'boolean', 'uuid'],
        '<REQUEST WARNING COMPARISON_FILTER_UNSUPPORTED_BY_INDEXING: Range not fully supported by the index>',
      ],
    ]),
  ),
};

/** The error for an operator that the type of the column does not take. */
export const impossible = 'FILTER INVALID_FILTER_EXPRESSION: Filter operation not possible on the column';
const misshapen = 'FILTER FILTER_INVALID_EXPRESSION: Filter expression not well-formed';
const tooManyDigits = 'DOCUMENT SHRED_DOC_LIMIT_VIOLATION: Limit of a document exceeded';
const wrongValue = 'FILTER INVALID_FILTER_COLUMN_VALUES: Filter value does not fit the column';

const types = columnTypes.filter(({ traits }) => traits.creatable && traits.filterable);
const inShortRun = ({ name }: ColumnType) => ['boolean', 'int', 'timestamp', 'duration'].includes(name);

/** Types with and without an order, an index and one that serves ranges. */
export const typesOfShortRun: readonly ColumnType[] = types.filter(inShortRun);

/** All others. */
export const typesOfLongRun: readonly ColumnType[] = types.filter((type) => !inShortRun(type));

/** What the tests of a type have in common: its tables, which have its examples as rows, and reads of them. */
class TypeUnderTest {
  readonly type: ColumnType;
  readonly tables: readonly string[];
  readonly values: readonly JsonText[];
  readonly parsed: readonly unknown[];
  readonly #server: WireServer;

  constructor(type: ColumnType, server: WireServer) {
    this.type = type;
    this.#server = server;
    this.tables = ['blob', 'duration'].includes(type.name) ? ['plain'] : ['plain', 'indexed'];
    this.values = type.examples.accepts
      .filter((text) => text.length < 100 && !/e[-+]?\d{4}/i.test(text))
      .slice(0, 45);
    this.parsed = this.values.map((text) => parsedValue(type, text));
  }

  async makeTables(): Promise<void> {
    const { at, send } = this.#server;
    for (const table of this.tables) {
      const name = `${table}_${this.type.name}`;
      const path = this.#path(table);
      const definition = `{"columns":{"id":"int","v":"${this.type.name}"},"primaryKey":"id"}`;
      await at('/v1/default_keyspace')(`{"createTable":{"name":"${name}","definition":${definition}}}`, ok);
      if (table === 'indexed')
        await at(path)(`{"createIndex":{"name":"${name}","definition":{"column":"v"}}}`, ok);
      // The last two rows have no value.
      const rows = [
        ...this.values.map((text, id) => `{"id":${id},"v":${text}}`),
        '{"id":98}',
        '{"id":99,"v":null}',
      ];
      const { text } = await send({ path, body: `{"insertMany":{"documents":[${rows.join(',')}]}}` });
      assert.ok(!text.includes('"errors"'), text);
    }
  }

  async finds(
    table: string,
    filter: string,
    ids: readonly number[],
    warnings: readonly string[],
  ): Promise<void> {
    const { text } = await this.#server.send({
      path: this.#path(table),
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
  }

  warningsOf(table: string, operator: string): readonly string[] {
    if (table === 'plain') return [missingIndex];
    const [types, warning] = unserved[operator] ?? [[], ''];
    return types.includes(this.type.name) ? [warning] : [];
  }

  async refuses(filter: string, problem: string): Promise<void> {
    for (const command of ['find', 'findOne']) {
      const { text } = await this.#server.send({
        path: this.#path('plain'),
        body: `{"${command}":{"filter":${filter}}}`,
      });
      assert.equal(shortened(text), `{"errors":[<REQUEST ${problem}>]}`, filter);
    }
  }

  #path(table: string): string {
    return `/v1/default_keyspace/${table}_${this.type.name}`;
  }
}

/** Declares the tests of a type. */
export function describeOperators(type: ColumnType, server: WireServer): void {
  describe(`filters on ${type.name}`, () => {
    const tested = new TypeUnderTest(type, server);
    before(() => tested.makeTables());
    for (const [operator, matches] of Object.entries(operators)) {
      if (type.name === 'duration' && ranges.includes(operator)) {
        it(`${operator} is refused`, async () => {
          await tested.refuses(`{"v":{"${operator}":"1h"}}`, impossible);
          await tested.refuses(`{"$not":{"v":{"${operator}":"1h"}}}`, impossible);
        });
        continue;
      }
      it(`${operator} finds what compares so`, () => checkFinds(tested, operator, matches));
      it(`${operator} refuses what it cannot compare with`, () => checkRefusals(tested, operator));
    }
    it('several operators hold together, and a missing value matches none', () => checkTogether(tested));
    it('other operators and shapes are refused', () => checkOthers(tested));
  });
}

const takesList = (operator: string) => operator === '$in' || operator === '$nin';

async function checkFinds(
  tested: TypeUnderTest,
  operator: string,
  matches: (orders: readonly number[]) => boolean,
): Promise<void> {
  const { type, values, parsed } = tested;
  for (const chosen of operandsOf(values.length, takesList(operator))) {
    const list = chosen.map((place) => values[place]).join(',');
    const filter = `{"v":{"${operator}":${takesList(operator) ? `[${list}]` : list}}}`;
    const orders = (value: unknown) => chosen.map((place) => type.compare(value, parsed[place]));
    const found = parsed.flatMap((value, id) => (matches(orders(value)) ? [id] : []));
    const others = parsed.flatMap((_, id) => (found.includes(id) ? [] : [id]));
    for (const table of tested.tables) {
      // A choice of one value is that value.
      const inEffect = operator === '$in' && chosen.length === 1 ? '$eq' : operator;
      await tested.finds(table, filter, found, tested.warningsOf(table, inEffect));
      const negated = tested.warningsOf(table, negations[operator] ?? '');
      await tested.finds(table, `{"$not":${filter}}`, others, negated);
      if (operator === '$eq')
        await tested.finds(table, `{"v":${list}}`, found, tested.warningsOf(table, '$eq'));
    }
  }
}

async function checkRefusals(tested: TypeUnderTest, operator: string): Promise<void> {
  const { type, values } = tested;
  const given = (operand: string) =>
    `{"v":{"${operator}":${takesList(operator) ? `[${operand}]` : operand}}}`;
  const isRange = /^\$[gl]te?$/.test(operator);
  await tested.refuses(given('null'), isRange ? misshapen : impossible);
  if (isRange) await tested.refuses(given('{"x":1}'), misshapen);
  if (takesList(operator)) {
    for (const operand of ['null', '{}', '"x"', '1', 'true'])
      await tested.refuses(`{"v":{"${operator}":${operand}}}`, misshapen);
    const many = Array.from({ length: 101 }, () => values[0]).join(',');
    await tested.refuses(given(many), misshapen);
  }
  await tested.refuses(given('[1]'), misshapen);
  for (const example of type.examples.rejects) {
    if (/^[[{n]/.test(example) || example.length > 100) continue;
    const isTooLong = /e-?\d{5}/i.test(example) && ['varint', 'decimal'].includes(type.name);
    await tested.refuses(given(example), isTooLong ? tooManyDigits : wrongValue);
    await tested.refuses(`{"$not":${given(example)}}`, isTooLong ? tooManyDigits : wrongValue);
  }
}

async function checkTogether(tested: TypeUnderTest): Promise<void> {
  const { values } = tested;
  const [first = ''] = values;
  for (const table of tested.tables) {
    const warnings = (operator: string) => tested.warningsOf(table, operator);
    await tested.finds(table, `{"v":{"$eq":${first},"$ne":${first}}}`, [], warnings('$ne'));
    const everything = `{"$or":[{"v":{"$in":[${first}]}},{"v":{"$nin":[${first}]}}]}`;
    await tested.finds(table, everything, [...values.keys()], warnings('$nin'));
    await tested.finds(table, '{"v":{"$in":[]}}', [], warnings('$in'));
    await tested.finds(table, '{"v":{"$nin":[]}}', [...values.keys()], warnings('$nin'));
  }
}

async function checkOthers(tested: TypeUnderTest): Promise<void> {
  await tested.refuses('{"v":null}', impossible);
  for (const [operator, operand] of [
    ['$exists', 'true'],
    ['$size', '1'],
    ['$all', `[${tested.values[0]}]`],
  ] as const)
    await tested.refuses(`{"v":{"${operator}":${operand}}}`, impossible);
  const unknown = 'FILTER FILTER_UNSUPPORTED_OPERATOR: Filter operator unknown';
  await tested.refuses('{"v":{"$regex":"x"}}', unknown);
  await tested.refuses('{"v":[1]}', misshapen);
  const otherKind = 'FILTER FILTER_UNSUPPORTED_DATA_TYPE: Filter value of an unsupported kind';
  await tested.refuses('{"v":{"a":1}}', otherKind);
  const noTextIndex = 'FILTER CANNOT_LEXICAL_FILTER_NON_INDEXED_COLUMNS: Text search needs a text index';
  await tested.refuses('{"v":{"$match":"x"}}', noTextIndex);
}

/** Places of operands: the first value, the last, and some between; for lists some of them together. */
function operandsOf(count: number, areLists: boolean): readonly (readonly number[])[] {
  const places = [...new Set([0, 1, count >> 1, count - 2, count - 1])].filter((place) => place >= 0);
  return areLists ? [[0], [count - 1, 0, 0], places] : places.map((place) => [place]);
}

function parsedValue(type: ColumnType, text: JsonText): unknown {
  return type.parse(parseJson(text, { maxDepth: 10, maxNumberLength: 1000 }));
}
