// Starts real Cassandra nodes for the tests of a file, where that was asked for: it takes Java, Maven and a minute.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { missingForCassandra } from '../../tools/start-cassandra/cassandra-jars.js';
import type { NodeSecurity } from '../../tools/start-cassandra/cassandra-yaml.js';
import { type CassandraNodes, startCassandra } from '../../tools/start-cassandra/start-cassandra.js';

/** Set to anything, the tests with real nodes run. */
const wantedBy = 'COLONNADE_TEST_CASSANDRA';

/** Why tests with real nodes are left out here; false when they run. */
export function cassandraSkipReason(): string | false {
  if (process.env[wantedBy] === undefined) return `set ${wantedBy}=1 to start real nodes`;
  return missingForCassandra() ?? false;
}

/** Nodes for the tests of one `describe`; they are there within its tests. */
export function useCassandra(options: {
  readonly nodeCount: number;
  readonly plannedCount?: number;
  readonly security?: NodeSecurity;
  /** Further environment variables of a node, by its address. */
  readonly environmentOf?: (address: string) => Readonly<Record<string, string>>;
  /** Changes of the schema are on disk at once, for nodes that are killed; this takes longer. Default: false. */
  readonly keepsSchema?: boolean;
}): () => CassandraNodes {
  const { keepsSchema = false, ...nodes } = options;
  let cluster: CassandraNodes | undefined;
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-cassandra-'));
  before(async () => {
    // The build holds no pom: it stands beside the source.
    const toolFolder = fileURLToPath(new URL('../../../tools/start-cassandra', import.meta.url));
    cluster = await startCassandra({
      directory,
      toolFolder,
      forgetsSchema: !keepsSchema,
      compilesSimply: true,
      ...nodes,
    });
  });
  after(async () => {
    await cluster?.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  return () => {
    if (cluster === undefined) throw new Error('the nodes are there within tests only');
    return cluster;
  };
}
