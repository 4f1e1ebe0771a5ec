// A piece of SQL text with the values for its placeholders, in order.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { Column } from '../../../schema/table.js';

/** SQL text with a value for each of its placeholders. */
export interface SqlFragment {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * A limit that is bound. SQLite uses the value of a bare placeholder for its query plan, and prepares the statement
 * again each time that a value is bound, which takes longer than reading a page.
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

/** Joins any number of conditions. SQLite limits the depth of an expression to 1000; a plain chain is too deep. */
export function joinFlat(conditions: readonly string[], operator: 'AND' | 'OR'): string {
  const groups: string[] = [];
  for (let at = 0; at < conditions.length; at += conditionsPerGroup) {
    groups.push(conditions.slice(at, at + conditionsPerGroup).join(` ${operator} `));
  }
  return groups.length === 1 ? groups.join() : groups.map((group) => `(${group})`).join(` ${operator} `);
}
