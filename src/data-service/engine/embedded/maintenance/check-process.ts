// The check process: searches for damage on a read-only connection of its own, so that nothing waits for it. SQLite
// checks a table in one call, which may take minutes and can be interrupted only by ending the process.

import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { shortened } from '../../../../foundation/text/shorten-text.js';
import { giveWay } from '../../../../foundation/threads/give-way.js';
import type { ColumnType } from '../../../column-types/column-type.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import { openForReading } from '../file/open-for-reading.js';
import { type CheckedPostings, hasRightPostings } from '../postings/check-postings.js';
import { checkEntries } from './check-entries.js';
import type { CheckedColumn, CheckedTable, CheckReply, CheckRequest, CheckSettings } from './checker.js';

const cacheSizeBytes = 4 * 1024 * 1024;
/** Other work of the machine has priority. */
const niceness = 10;
/** Further problems are not reported. */
const maxProblems = 100;

function serveChecks({ path }: CheckSettings, send: (message: CheckReply | 'ready') => void): void {
  giveWay(niceness);
  const database = openForReading(path, cacheSizeBytes);
  process.on('message', (request: CheckRequest) => send(check(database, request)));
  // The server ends this process, also when a terminal or a supervisor sends a signal to both.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit());
  send('ready');
}

function check(database: Database, request: CheckRequest): CheckReply {
  try {
    switch (request.kind) {
      case 'structure':
        return checkStructure(database, request.table);
      case 'postings':
        return checkPostings(database, request.postings);
      case 'none':
        return checkNone(database, request.query);
      case 'entries': {
        const { entries, documents } = checkEntries(database, request.id, maxProblems);
        return { problems: entries, damaged: documents, last: null, rows: 0 };
      }
      case 'statics':
        return checkStatics(database, request);
      case 'rows':
        return checkRows(database, request);
    }
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { problems: [], last: null, rows: 0, failure };
  }
}

function checkStructure(database: Database, table: string): CheckReply {
  const rows = database.statement(`PRAGMA integrity_check('${table}')`, { returnArrays: true }).all();
  const problems = rows.map(([text]) => String(text)).filter((text) => text !== 'ok');
  return { problems: problems.slice(0, maxProblems), last: null, rows: 0 };
}

/** @throws DatabaseFailure that says nothing about the index, such as of a disk that cannot be read */
function checkPostings(database: Database, postings: CheckedPostings): CheckReply {
  try {
    const isRight = hasRightPostings(database, postings);
    return { problems: isRight ? [] : ['other tokens'], last: null, rows: 0 };
  } catch (error) {
    if (error instanceof DatabaseFailure && error.kind !== 'corrupt') throw error;
    // Damaged postings, or damaged values, which the check of rows reports.
    const reason = error instanceof Error ? error.message : String(error);
    return { problems: [`it cannot be read: ${reason}`], last: null, rows: 0 };
  }
}

function checkNone(database: Database, query: string): CheckReply {
  try {
    const problems = database.statement(query).get() === undefined ? [] : ['there are rows'];
    return { problems, last: null, rows: 0 };
  } catch {
    return { problems: [], last: null, rows: 0 }; // damaged values, which the check of rows reports
  }
}

function checkRows(
  database: Database,
  { after, count, ...checked }: Extract<CheckRequest, { kind: 'rows' }>,
): CheckReply {
  const { table, columns } = checked;
  const names = columns.map(({ sqlName }) => sqlName).join(', ');
  const rows = database
    .statement(`SELECT row_id, ${names} FROM ${table} NOT INDEXED WHERE row_id > ? ORDER BY row_id LIMIT ?`, {
      returnArrays: true,
      readBigInts: true,
    })
    .all([after, count]);
  const problems = rows.flatMap(([rowId, ...values]) =>
    problemsOf(`row ${rowId} with the key`, values, checked),
  );
  const last = rows.at(-1)?.[0];
  return {
    problems: problems.slice(0, maxProblems),
    last: last === undefined ? null : Number(last),
    rows: rows.length,
  };
}

function checkStatics(database: Database, checked: CheckedTable): CheckReply {
  const { table, columns } = checked;
  const names = columns.map(({ sqlName }) => sqlName).join(', ');
  const rows = database
    .statement(`SELECT ${names} FROM ${table}`, { returnArrays: true, readBigInts: true })
    .iterate();
  const problems: string[] = [];
  for (const values of rows) {
    if (problems.length < maxProblems)
      problems.push(...problemsOf('the static values of the partition', values, checked));
  }
  return { problems, last: null, rows: 0 };
}

/** What is wrong in a row: its key first in `values`. */
function problemsOf(
  title: string,
  values: readonly SqlValue[],
  { columns, keyCount }: CheckedTable,
): readonly string[] {
  const types = columns.map(({ typeName }) => columnTypeOfName(typeName));
  const bad = values.flatMap((value, at) => problemOf(columns[at], types[at], value, at < keyCount));
  if (bad.length === 0) return [];
  const key = values.slice(0, keyCount).map((value, at) => shown(types[at], value));
  return [`${title} (${key.join(', ')}): ${bad.join('; ')}`];
}

function problemOf(
  column: CheckedColumn | undefined,
  type: ColumnType | undefined,
  value: SqlValue | undefined,
  isKey: boolean,
): readonly string[] {
  if (column === undefined || type === undefined || value === undefined) return [`no type for a column`];
  if (value === null) return isKey ? [`${column.name} is missing`] : [];
  if (storageClassOf(value) !== type.sql.columnType) return [`${column.name} is stored as another type`];
  try {
    const decoded = type.sql.decode(value);
    type.serialize(decoded);
    if (type.vector !== undefined && !isVector(decoded, type.vector.dimension))
      return [`${column.name} holds no ${column.typeName}`];
    // Some bytes are decoded as a shorter value, which is stored in other bytes.
    if (typeof value === 'object' && !isSameBytes(value, type.sql.encode(decoded)))
      return [`${column.name} holds no ${column.typeName}`];
    return [];
  } catch {
    // The reason describes bytes, and would not help users.
    return [`${column.name} holds no ${column.typeName}`];
  }
}

/** Reads of vectors take their bytes as they are. */
function isVector(decoded: unknown, dimension: number): boolean {
  return decoded instanceof Float32Array && decoded.length === dimension && decoded.every(Number.isFinite);
}

function isSameBytes(left: Uint8Array, right: SqlValue): boolean {
  return right instanceof Uint8Array && Buffer.compare(left, right) === 0;
}

function storageClassOf(value: Exclude<SqlValue, null>): 'INTEGER' | 'TEXT' | 'BLOB' {
  if (typeof value === 'string') return 'TEXT';
  return typeof value === 'object' ? 'BLOB' : 'INTEGER';
}

function shown(type: ColumnType | undefined, value: SqlValue | undefined): string {
  try {
    if (type === undefined || value === undefined || value === null) return '?';
    return shortened(String(type.serialize(type.sql.decode(value))), 200);
  } catch {
    return '?'; // the value is damaged
  }
}

const [settings] = process.argv.slice(2);
const { send } = process;
// Only `checker.ts` starts it, with these settings.
if (settings !== undefined && send !== undefined) {
  serveChecks(JSON.parse(settings) as CheckSettings, (message) => void send.call(process, message));
}
