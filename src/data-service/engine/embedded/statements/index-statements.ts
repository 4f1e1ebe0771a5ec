// Changes of indexes → SQL: what the file has of an index, and its row in the schema tables.
import { isExact } from '../../../column-types/text-fold.js';
import {
  type ContainerIndex,
  indexOrder,
  type RegularIndex,
  type Table,
  type TableIndex,
  type TextIndex,
} from '../../../schema/table.js';
import { refusesZeroVectors } from '../../refused-changes.js';
import type { StoredAnalyzer } from '../file/schema-store.js';
import { foldExpression } from '../file/sql-functions.js';
import { sqlColumn, sqlIndex, sqlTable } from '../file/sql-names.js';
import {
  beginMembersBuild,
  createMembersStatements,
  endMembersBuild,
  leaveMembersStatements,
} from './member-statements.js';
import { newVersion } from './schema-lines.js';
import { createTextStatements, leaveTextStatements } from './text-statements.js';
import { createVectorLogStatements, leaveVectorLogStatements } from './vector-statements.js';
import type { WriteStatement } from './write-statements.js';

/** Creates the index, and its row in the schema tables. The file has the log of a vector index, but not its graph. */
export function createIndexStatements(after: Table, index: TableIndex): readonly WriteStatement[] {
  const line = {
    sql:
      'INSERT INTO indexes (table_id, id, name, column_id, fold, vector, part, analyzer) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    valueSets: [[after.id, index.id, index.name, index.column.id, ...optionsOf(index)]],
  };
  const begins = index.kind === 'container' ? [beginMembersBuild(after, index)] : [];
  return [...dataOfIndex(after, index), line, ...begins, newVersion(after)];
}

/** Creates what the file has of an index. */
export function dataOfIndex(after: Table, index: TableIndex): readonly WriteStatement[] {
  switch (index.kind) {
    case 'regular':
      return [createRegularIndex(after, index)];
    case 'container':
      return createMembersStatements(after, index);
    case 'vector':
      return [
        ...(refusesZeroVectors(index) ? [zeroVectorCheck(after, index)] : []),
        ...createVectorLogStatements(after, index),
      ];
    case 'text':
      return [longTextCheck(after, index), ...createTextStatements(after, index)];
  }
}

/** Finds the keys of some rows with texts that are too long for the index. */
function longTextCheck(table: Table, { column, analyzer }: TextIndex): WriteStatement {
  const [keys, text] = [table.keyColumns.map(sqlColumn).join(', '), sqlColumn(column)];
  const most = analyzer.mostCharacters;
  // Counting the characters reads the text; its size in bytes is known.
  const condition = `octet_length(${text}) > ${most} AND length(${text}) > ${most}`;
  return { ...once(`SELECT ${keys} FROM ${sqlTable(table)} WHERE ${condition} LIMIT 4`), isCheck: true };
}

/** Records that all rows are in an index. `after` is the table with it. */
export function builtIndexStatements(
  after: Table,
  index: TextIndex | ContainerIndex,
): readonly WriteStatement[] {
  const ends = index.kind === 'text' ? [analyzerLine(after, index)] : endMembersBuild(after, index);
  return [...ends, newVersion(after)];
}

/**
 * Replaces an index by one of another id without the rows, in the time that a change of the schema takes. What the
 * index had is removed later, see `Leftovers`. `after` is the table with the index to build.
 */
export function emptiedIndexStatements(
  after: Table,
  before: TextIndex | ContainerIndex,
  index: TextIndex | ContainerIndex,
): readonly WriteStatement[] {
  const line = {
    sql: 'UPDATE indexes SET id = ? WHERE table_id = ? AND id = ?',
    valueSets: [[index.id, after.id, before.id]],
  };
  return [
    ...leaveIndex(after, before),
    line,
    ...(index.kind === 'text'
      ? [...createTextStatements(after, index), analyzerLine(after, index)]
      : [...createMembersStatements(after, index), beginMembersBuild(after, index)]),
    newVersion(after),
  ];
}

/** Records the analyzer of an index, and whether the index is being built. */
function analyzerLine(after: Table, index: TextIndex): WriteStatement {
  const [, , , analyzer] = optionsOf(index);
  return {
    sql: 'UPDATE indexes SET analyzer = ? WHERE table_id = ? AND id = ?',
    valueSets: [[analyzer, after.id, index.id]],
  };
}

/** Finds the keys of some rows with zero vectors, which an index of directions cannot contain. */
function zeroVectorCheck(table: Table, { column }: TableIndex): WriteStatement {
  const keys = table.keyColumns.map(sqlColumn).join(', ');
  const sql = `SELECT ${keys} FROM ${sqlTable(table)} WHERE is_zero_vector(${sqlColumn(column)}) LIMIT 4`;
  return { ...once(sql), isCheck: true };
}

/** The columns `fold`, `vector` and `analyzer`, JSON texts, and `part`, the name of a part; `loadSchema` reads them. */
function optionsOf(
  index: TableIndex,
): readonly [fold: string | null, vector: string | null, part: string | null, analyzer: string | null] {
  switch (index.kind) {
    case 'regular':
      return [index.fold && JSON.stringify(index.fold), null, null, null];
    case 'container':
      return [index.fold && JSON.stringify(index.fold), null, index.part, null];
    case 'vector': {
      const { metric, sourceModel } = index;
      return [null, JSON.stringify({ metric, sourceModel }), null, null];
    }
    case 'text': {
      const { analyzer, isBuilding = false } = index;
      const stored: StoredAnalyzer = { definition: analyzer.definition, isBuilding };
      return [null, null, null, JSON.stringify(stored)];
    }
  }
}

/** The index over its column and the key, so that its rows are in the order of the key. */
function createRegularIndex(after: Table, index: RegularIndex): WriteStatement {
  // Rows with the same folded text are in the order of the whole key, which may include the column.
  const parts =
    index.fold === null || isExact(index.fold)
      ? orderParts(indexOrder(index, after))
      : [foldExpression(sqlColumn(index.column), index.fold), ...orderParts(after.keyOrder)];
  return once(`CREATE INDEX ${sqlIndex(after, index)} ON ${sqlTable(after)} (${parts.join(', ')})`);
}

/** Drops the index and its row in the schema tables. Tables with its data are removed later, see `Leftovers`. */
export function dropIndexStatements(after: Table, index: TableIndex): readonly WriteStatement[] {
  return [
    ...(index.kind === 'regular' ? [once(`DROP INDEX ${sqlIndex(after, index)}`)] : leaveIndex(after, index)),
    { sql: 'DELETE FROM indexes WHERE table_id = ? AND id = ?', valueSets: [[after.id, index.id]] },
    newVersion(after),
  ];
}

/** Drops the triggers that keep the data of the index. SQLite drops a regular index with its table. */
export function leaveIndex(table: Table, index: TableIndex): readonly WriteStatement[] {
  switch (index.kind) {
    case 'regular':
      return [];
    case 'container':
      return leaveMembersStatements(table, index);
    case 'vector':
      return leaveVectorLogStatements(table, index);
    case 'text':
      return leaveTextStatements(table, index);
  }
}

/** The columns of an index of SQLite with their directions. */
export function orderParts(order: Table['keyOrder']): readonly string[] {
  return order.map(({ column, direction }) => `${sqlColumn(column)} ${direction === 1 ? 'ASC' : 'DESC'}`);
}

function once(sql: string): WriteStatement {
  return { sql, valueSets: [[]] };
}
