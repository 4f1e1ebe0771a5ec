// A piece of SQL text with the values for its placeholders, in order.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { Column } from '../../../schema/table.js';

/** SQL text with a value for each of its placeholders. */
export interface SqlFragment {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * A limit with a bound value. For a plain placeholder, SQLite uses the value in its query plan, and prepares the
 * statement again whenever a value is bound, which takes longer than reading a page.
 */
export const boundLimit = 'LIMIT ? + 0';

/** Joins pieces with a separator such as ` AND `. */
export function joinSql(fragments: readonly SqlFragment[], separator: string): SqlFragment {
  return {
    sql: fragments.map(({ sql }) => sql).join(separator),
    values: fragments.flatMap(({ values }) => values),
  };
}

/** A value in its stored form; null for none. */
export function encodeValue(column: Column, value: unknown): SqlValue {
  return value === null || value === undefined ? null : column.type.sql.encode(value);
}

const conditionsPerGroup = 50;

/** Joins any number of conditions without a deep expression: SQLite limits the depth to 1000. */
export function joinFlat(conditions: readonly string[], operator: 'AND' | 'OR'): string {
  const groups: string[] = [];
  for (let at = 0; at < conditions.length; at += conditionsPerGroup) {
    groups.push(conditions.slice(at, at + conditionsPerGroup).join(` ${operator} `));
  }
  return groups.length === 1 ? groups.join() : groups.map((group) => `(${group})`).join(` ${operator} `);
}
