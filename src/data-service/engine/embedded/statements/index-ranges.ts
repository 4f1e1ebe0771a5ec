// Comparisons and a position → ranges of an index.
import { filterOperators } from '../../../query/filter-operators.js';
import type { Position, ReadPlan, RowOrder } from '../../../query/read.js';
import type { Column } from '../../../schema/table.js';
import { encodeValue, joinSql, type SqlFragment } from '../file/sql-fragment.js';
import { sqlColumn } from '../file/sql-names.js';
import { comparisonCondition } from './filter-condition.js';
import type { Seeks } from './index-seeks.js';

/** The ranges that together hold, in order, what lies behind `after`; each is one seek. */
export function indexRanges(
  plan: Pick<ReadPlan, 'order'>,
  seeks: Seeks,
  after: Position | null,
): readonly SqlFragment[] {
  const [first] = plan.order;
  const choice = seeks.find(({ column, operator }) => column === first?.column && operator.name === '$in');
  if (first === undefined || choice === undefined) return rangesBehind(plan.order, seeks, after);
  // A choice of values is one range after the other, in the order of the values.
  const others = seeks.filter((seek) => seek !== choice);
  const compare = (left: unknown, right: unknown) => first.column.type.compare(left, right) * first.direction;
  return choice.operands
    .filter((operand, at) => choice.operands.findIndex((other) => compare(other, operand) === 0) === at)
    .filter((operand) => after === null || compare(operand, after[0]) >= 0)
    .toSorted(compare)
    .flatMap((operand) => {
      const only = { ...choice, operator: filterOperators.$eq, operands: [operand] };
      const isReached = after !== null && compare(operand, after[0]) === 0;
      return rangesBehind(plan.order, [only, ...others], isReached ? after : null);
    });
}

function rangesBehind(order: RowOrder, seeks: Seeks, after: Position | null): readonly SqlFragment[] {
  const always = seeks.map(comparisonCondition);
  if (after === null) return [joinSql(always, ' AND ')];
  // A folded text stands for several: their rows lie behind one another. A position among several ranges may have
  // another value than the only one of this range.
  const isFixed = (column: Column, value: unknown) =>
    seeks.some(
      (one) =>
        one.column === column &&
        one.operator.name === '$eq' &&
        one.fold === undefined &&
        column.type.compare(one.operands[0], value) === 0,
    );
  // Same as the position up to a column, behind it in that column: from the last column to the first.
  return order
    .flatMap(({ column, direction }, at) => {
      if (isFixed(column, after[at])) return []; // nothing is behind the only value
      const same = order.slice(0, at).map((before, place) => ({
        sql: `${sqlColumn(before.column)} = ?`,
        values: [encodeValue(before.column, after[place])],
      }));
      const behind = {
        sql: `${sqlColumn(column)} ${direction === 1 ? '>' : '<'} ?`,
        values: [encodeValue(column, after[at])],
      };
      return [joinSql([...same, behind, ...always], ' AND ')];
    })
    .reverse();
}
