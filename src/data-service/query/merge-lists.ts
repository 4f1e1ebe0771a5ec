// Filters with several lists of values for one column: only values that are on all of them can match.
import type { Comparison, Filter } from './filter.js';
import { filterOperators } from './filter-operators.js';

/**
 * An equal filter, in which a column that must have one of some values has no other comparison beside them. Without
 * this, a read along an index would compare each value of one list with all values of the others. Filters without such
 * columns are returned as they are.
 */
export function mergeLists(filter: Filter): Filter {
  if (filter.kind !== 'and' || hasOnePart(filter.filters)) return filter;
  const parts = conjuncts(filter);
  const groups = groupsOf(parts);
  const merged = new Map<Filter, Filter | undefined>();
  for (const group of groups) {
    const [first] = group.length > 1 ? group.filter(({ operator }) => operator.namesValues) : [];
    if (first === undefined) continue;
    for (const one of group) merged.set(one, undefined);
    merged.set(first, withSharedValues(first, group));
  }
  if (merged.size === 0) return filter;
  const filters = parts.flatMap((part) => (merged.has(part) ? (merged.get(part) ?? []) : part));
  return { kind: 'and', filters };
}

/** Whether no two comparisons can meet, as in most filters. */
function hasOnePart([first, second]: readonly Filter[]): boolean {
  return second === undefined && first?.kind !== 'and';
}

function conjuncts(filter: Filter): readonly Filter[] {
  return filter.kind === 'and' ? filter.filters.flatMap(conjuncts) : [filter];
}

/** The comparisons of each column that are made in the same form. */
function groupsOf(parts: readonly Filter[]): readonly (readonly Comparison[])[] {
  const groups: Comparison[][] = [];
  for (const part of parts) {
    if (part.kind !== 'comparison' || part.analyzer !== undefined) continue;
    const group = groups.find(([first]) => first?.column === part.column && first.fold === part.fold);
    if (group === undefined) groups.push([part]);
    else group.push(part);
  }
  return groups;
}

function withSharedValues(first: Comparison, group: readonly Comparison[]): Comparison {
  const { type } = first.column;
  const others = group.filter((one) => one !== first);
  const isShared = (value: unknown) =>
    others.every(({ operator, operands }) => operator.matches(type, value, operands));
  const operands = first.operands.filter(isShared);
  // The operator of a single value needs one.
  const isNone = operands.length === 0 && first.operator.operand === 'value';
  return { ...first, operator: isNone ? filterOperators.$in : first.operator, operands };
}
