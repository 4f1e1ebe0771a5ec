// Tables that a node has and no schema shows. Each change of the schema has the time of the node that made it. Where a
// table was dropped by a node whose clock was ahead, Cassandra hides what is stored of a table of the same name until
// that time has come; the node that makes it has it until it is started again.
import type { CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import { EngineError } from '../../engine-error.js';
import { readTableUuids, readViewNames, type TableRow } from './schema-rows.js';

type TableName = Pick<TableRow, 'keyspace' | 'name'>;

/** Whether a node refused to make a table because it has one of the name. */
export function saysThatItExists(error: unknown): boolean {
  return (
    error instanceof CassandraFailure && error.kind === 'refused' && /already exist/i.test(error.message)
  );
}

/** Whether no node that answers shows a table or a view of the name. @throws CassandraFailure where none answers */
export async function isHidden(session: Pick<CqlSession, 'nodes'>, table: TableName): Promise<boolean> {
  if ((await readTableUuids(session, table)).size > 0) return false;
  return !(await readViewNames(session, table.keyspace)).has(table.name);
}

/** The error for a table that was made, and dropped again because no schema shows it. */
export function wouldBeHidden({ name }: TableName): EngineError {
  const problem =
    `a table ${name} was dropped at a time that is still to come, because the clock of a node was ahead; ` +
    'until then Cassandra hides every table of this name; nothing was changed';
  return new EngineError('unavailable', problem);
}

/** The error for a table that a node has and no schema shows. Another client made it, and rows may be in it. */
export function isHiddenAlready({ keyspace, name }: TableName): EngineError {
  const problem =
    `a node has a table ${name} that no schema shows, because a table of this name was dropped by a node whose ` +
    `clock was ahead; "DROP TABLE ${keyspace}.${name}" on that node removes it, and so does a restart of the node`;
  return new EngineError('unavailable', problem);
}

/** The error for a table that is still there behind its drop. */
export function isBack({ name }: TableName): EngineError {
  const problem =
    `the drop of the table ${name} had no effect, because the table was made by a node whose clock was ahead; ` +
    'it can be dropped when that time has come and the nodes were restarted';
  return new EngineError('writeFailed', problem);
}
