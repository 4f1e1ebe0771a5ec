// A piece of SQL with the values bound in it, in order.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { Column } from '../../../schema/table.js';

/** SQL text with a value for each of its placeholders. */
export interface SqlFragment {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * A limit that is bound. SQLite looks at the value of a bare placeholder to plan by it, and prepares the statement anew
 * each time that one is bound, which takes longer than reading a page.
 */
export const boundLimit = 'LIMIT ? + 0';

/** Joins pieces with a separator such as ` AND `. */
export function joinSql(fragments: readonly SqlFragment[], separator: string): SqlFragment {
  return {
    sql: fragments.map(({ sql }) => sql).join(separator),
    values: fragments.flatMap(({ values }) => values),
  };
}

/** A value as the column stores it; null for none. */
export function encodeValue(column: Column, value: unknown): SqlValue {
  return value === null || value === undefined ? null : column.type.sql.encode(value);
}

const conditionsPerGroup = 50;

/** Any number of conditions. SQLite limits the depth of an expression to 1000, and a plain chain is as deep as long. */
export function joinFlat(conditions: readonly string[], operator: 'AND' | 'OR'): string {
  const groups: string[] = [];
  for (let at = 0; at < conditions.length; at += conditionsPerGroup) {
    groups.push(conditions.slice(at, at + conditionsPerGroup).join(` ${operator} `));
  }
  return groups.length === 1 ? groups.join() : groups.map((group) => `(${group})`).join(` ${operator} `);
}
