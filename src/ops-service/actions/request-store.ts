// The requests for actions on disk.
import type { Migration, Store } from '../store/store.js';
import type { ActionRequest } from './action-request.js';

/** The tables of actions. */
export const actionMigrations: readonly Migration[] = [
  {
    name: 'actions-1',
    clusterTables: { action_requests: 'cluster_id' },
    sql: `
      CREATE TABLE action_requests (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, cluster_id TEXT NOT NULL, body TEXT NOT NULL
      );
      CREATE INDEX action_requests_of_cluster ON action_requests (cluster_id, number);
    `,
  },
];

/** Every request, oldest first. */
export function loadRequests(store: Store): readonly ActionRequest[] {
  const rows = store.read((database) =>
    database.statement('SELECT body FROM action_requests ORDER BY number').all(),
  );
  // Written by `saveRequest`.
  return rows.map((row) => JSON.parse(String(row['body'])) as ActionRequest);
}

/** Writes a new or changed request; it waits in memory while the disk is full. */
export function saveRequest(store: Store, request: ActionRequest, change?: 'new'): void {
  const body = JSON.stringify(request);
  const { id, clusterId } = request;
  store.record(
    (database) =>
      void database
        .statement(
          `INSERT INTO action_requests (id, cluster_id, body) VALUES (?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET body = excluded.body`,
        )
        .run([id, clusterId, body]),
    { key: recordingKey(id), sizeBytes: 400 + body.length, ...(change === undefined ? {} : { change }) },
  );
}

/** Forgets a request. */
export function deleteRequest(store: Store, id: string): void {
  store.record((database) => void database.statement('DELETE FROM action_requests WHERE id = ?').run([id]), {
    key: recordingKey(id),
    change: 'gone',
  });
}

function recordingKey(id: string): string {
  return `action_requests ${id}`;
}
