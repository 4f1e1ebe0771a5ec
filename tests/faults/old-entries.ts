// Index entries of documents as an earlier release left them in a data file: they are built again.
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

/** Works on the file behind the engine's back. */
export function withFile(directory: string, work: (database: DatabaseSyncInstance) => void): void {
  const database = new DatabaseSync(join(directory, 'data.db'), { defensive: false });
  try {
    work(database);
  } finally {
    database.close();
  }
}

/** What an earlier release, without segments, would have left. */
export function makeOld(directory: string): void {
  withFile(directory, (database) => {
    const [row] = database.prepare("SELECT id FROM tables WHERE name = 'docs'").all();
    const id = String(row?.['id']);
    database.exec(
      `DROP TABLE d${id}; DROP TABLE e${id}; CREATE TABLE d${id} (path INTEGER NOT NULL, value, ` +
        'document INTEGER NOT NULL, PRIMARY KEY (path, value, document)) WITHOUT ROWID',
    );
  });
}

/** Whether entries of some collection are being built, or are to be. */
export function isBuilding(directory: string): boolean {
  let found = true;
  withFile(directory, (database) => {
    found = database.prepare('SELECT 1 FROM tables WHERE last IS NOT NULL').all().length > 0;
  });
  return found;
}
