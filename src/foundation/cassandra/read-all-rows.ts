// Reads every page of a result that fits into memory, such as a part of the schema.
import type { CqlNode, CqlStatement } from './cql-session.js';

/** The rows of all pages of a statement, asked of a node or of a session. @throws CassandraFailure */
export async function readAllRows(
  asked: Pick<CqlNode, 'run'>,
  statement: CqlStatement,
): Promise<readonly (readonly unknown[])[]> {
  const rows: (readonly unknown[])[] = [];
  for (let page: string | null | undefined; page !== null; ) {
    const found = await asked.run(statement, page);
    for (const row of found.rows) rows.push(row);
    page = found.next;
  }
  return rows;
}
