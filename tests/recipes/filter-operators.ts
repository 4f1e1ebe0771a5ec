// The recipes for filter operators.
import assert from 'node:assert/strict';
import type { BuiltCopy, FollowedRecipe } from './follow-recipes.js';
import { sendCommands } from './send-commands.js';

const descriptions = 'src/descriptions/filter-operators.ts';

/** Adds `$within` and its negation, which compare with a least and a greatest value. */
export const tableOperatorRecipe: FollowedRecipe = {
  title: 'A filter operator of tables',
  files: {},
  changes: [
    {
      path: descriptions,
      from: '  $exists: {',
      to:
        "  $within: { label: 'within', operand: 'list', on: ['values'] },\n" +
        "  $outside: { label: 'outside', operand: 'list', on: ['values'] },\n  $exists: {",
    },
    {
      path: 'src/data-service/query/filter-operators.ts',
      from: '  $in: {',
      to: `  $within: { ...operator('$within', '$outside', isWithin), isRange: true },
  $outside: { ...operator('$outside', '$within', isOutside), isRange: true },
  $in: {`,
    },
    {
      path: 'src/data-service/query/filter-operators.ts',
      from: 'function isOneOf(',
      to: `function isWithin(type: ColumnType, value: unknown, [least, most]: readonly unknown[]): boolean {
  return value !== null && type.compare(value, least) >= 0 && type.compare(value, most) <= 0;
}

function isOutside(type: ColumnType, value: unknown, [least, most]: readonly unknown[]): boolean {
  return value !== null && (type.compare(value, least) < 0 || type.compare(value, most) > 0);
}

function isOneOf(`,
    },
  ],
  async find({ server, load }) {
    const replies = await sendCommands(server, [
      ['', '{"createTable":{"name":"numbers","definition":{"columns":{"id":"int"},"primaryKey":"id"}}}'],
      ['/numbers', '{"insertMany":{"documents":[{"id":1},{"id":5},{"id":9}]}}'],
      ['/numbers', '{"find":{"filter":{"id":{"$within":[2,6]}}}}'],
      ['/numbers', '{"find":{"filter":{"$not":{"id":{"$outside":[2,6]}}}}}'],
    ]);
    for (const reply of replies.slice(2)) assert.match(reply, /"documents":\[\{"id":5\}\]/);
    assert.equal(await labelInConsole(load, '$within', 'values'), 'within');
    const { argumentSchemas } =
      await load<typeof import('../../src/cli/mcp/mcp-tool.js')>('src/cli/mcp/mcp-tool.js');
    assert.match(argumentSchemas.filter.description, / \$within /);
  },
};

/** Adds `$begins` and its negation. */
export const documentOperatorRecipe: FollowedRecipe = {
  title: 'A filter operator of documents',
  files: {},
  changes: [
    {
      path: descriptions,
      from: '  $size: {',
      to:
        "  $begins: { label: 'begins with', operand: 'value', on: ['documents'] },\n" +
        "  $beginsNot: { label: 'begins not with', operand: 'value', on: ['documents'] },\n  $size: {",
    },
    {
      path: 'src/data-service/documents/condition-operators.ts',
      from: "  $ne: { negation: '$eq',",
      to: `  $begins: { negation: '$beginsNot', read: readBound, test: beginsWith },
  $beginsNot: { negation: '$begins', read: readBound, test: inverted(beginsWith) },
  $ne: { negation: '$eq',`,
    },
    {
      path: 'src/data-service/documents/condition-operators.ts',
      from: 'function isFoundInArrays(',
      to: `function beginsWith(operand: JsonValue): ValueTest {
  return (value) => typeof value === 'string' && typeof operand === 'string' && value.startsWith(operand);
}

function isFoundInArrays(`,
    },
  ],
  async find({ server, load }) {
    const replies = await sendCommands(server, [
      ['', '{"createCollection":{"name":"words"}}'],
      ['/words', '{"insertMany":{"documents":[{"_id":1,"word":"begin"},{"_id":2,"word":"end"}]}}'],
      ['/words', '{"find":{"filter":{"word":{"$begins":"be"}}}}'],
      ['/words', '{"find":{"filter":{"$not":{"word":{"$beginsNot":"be"}}}}}'],
    ]);
    for (const reply of replies.slice(2)) assert.match(reply, /"documents":\[\{"_id":1,"word":"begin"\}\]/);
    assert.equal(await labelInConsole(load, '$begins', 'documents'), 'begins with');
  },
};

/** The label of an operator in the filter builder, which offers it in this place. */
async function labelInConsole(
  load: BuiltCopy['load'],
  name: string,
  place: 'values' | 'documents',
): Promise<string | undefined> {
  const { operatorsOn, describedOperator } = await load<
    typeof import('../../src/descriptions/filter-operators.js')
  >('console-modules/src/descriptions/filter-operators.js');
  assert.ok(operatorsOn(place).includes(name));
  return describedOperator(name)?.label;
}
