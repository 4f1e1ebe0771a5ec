// Stores the known nodes of Cassandra clusters across restarts.
import type { Migration, Store } from '../../store/store.js';
import type { KnownNode } from './known-nodes.js';

/** The table of known nodes. */
export const nodeMemoryMigrations: readonly Migration[] = [
  {
    name: 'cassandra-nodes-1',
    clusterTables: { cassandra_nodes: 'cluster' },
    sql: 'CREATE TABLE cassandra_nodes (cluster TEXT PRIMARY KEY, nodes TEXT NOT NULL) WITHOUT ROWID;',
  },
];

/** The stored nodes of one cluster. */
export interface NodeMemory {
  load(): readonly KnownNode[];
  save(nodes: readonly KnownNode[]): void;
}

/** The nodes of a cluster in the file of the service. */
export function nodeMemory(store: Store, clusterId: string): NodeMemory {
  return {
    load() {
      const row = store.read((database) =>
        database.statement('SELECT nodes FROM cassandra_nodes WHERE cluster = ?').get([clusterId]),
      );
      return row === undefined ? [] : (JSON.parse(String(row['nodes'])) as readonly KnownNode[]); // written by `save`
    },
    save(nodes) {
      const text = JSON.stringify(nodes);
      store.record(
        (database) => {
          database.statement('INSERT OR REPLACE INTO cassandra_nodes VALUES (?, ?)').run([clusterId, text]);
        },
        { key: recordingKey(clusterId), sizeBytes: 400 + text.length },
      );
    },
  };
}

/** Deletes the nodes of a removed cluster. */
export function forgetNodes(store: Store, clusterId: string): void {
  store.record(
    (database) => {
      database.statement('DELETE FROM cassandra_nodes WHERE cluster = ?').run([clusterId]);
    },
    { key: recordingKey(clusterId) },
  );
}

function recordingKey(clusterId: string): string {
  return `cassandra_nodes ${clusterId}`;
}
