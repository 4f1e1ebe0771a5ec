// The structure of a SQLite file, by SQLite's own checks.
import { openDatabase } from '../../foundation/sqlite/open-database.js';

/** `quick_check` compares no indexes with their tables, and takes a third of the time. */
export type StructureCheck = 'integrity_check' | 'quick_check';

/** Sentences of SQLite about damage. @throws DatabaseFailure if the file cannot be read at all */
export function checkStructure(path: string, check: StructureCheck): readonly string[] {
  const database = openDatabase({ path, readOnly: true, busyTimeoutMs: 10_000 });
  try {
    const rows = database.statement(`PRAGMA ${check}`, { returnArrays: true }).all();
    return rows.map(([text]) => String(text)).filter((text) => text !== 'ok');
  } finally {
    database.close();
  }
}
