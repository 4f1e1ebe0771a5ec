// One round of histories: loads on rows and documents, each kind of fault once, and the checks behind them.
import { readFileSync } from 'node:fs';
import type { CassandraNodes } from '../../../tools/start-cassandra/start-cassandra.js';
import type { RunningServer } from '../../acceptance/start-server.js';
import { withDataClient } from '../../faults/data-client.js';
import { residentMbOf } from '../../faults/resident-memory.js';
import { seededRandom } from '../../seeded-random.js';
import type { CallCounts, ClientLoad } from '../client-load.js';
import { createRegisterTable, untilAccepted } from '../cluster-servers.js';
import { untilSchemasAgree } from '../nodes-up.js';
import { describeAnomaly, findAnomalies } from '../register-history.js';
import { RegisterLoad, registerTable } from '../register-load.js';
import { findWrongDocuments } from './document-history.js';
import { changedCollection, createChangedCollection, DocumentLoad } from './document-load.js';
import { carryOut, describeFault, type FaultyNode, planFaults } from './node-faults.js';
import { SchemaLoad } from './schema-load.js';

/** What a round is played on. */
export interface Stage {
  readonly cluster: CassandraNodes;
  readonly nodes: readonly FaultyNode[];
  readonly servers: readonly RunningServer[];
  /** Those whose clocks agree: the servers that rows are changed through. */
  readonly agreeing: readonly RunningServer[];
  /** Ends the round early: no further fault begins. */
  readonly interruption: AbortSignal;
}

/** What was found in a round. */
export interface RoundResult {
  readonly faults: readonly string[];
  /** By load. */
  readonly calls: Readonly<Record<string, CallCounts & { readonly codes: Readonly<Record<string, number>> }>>;
  /** In a soak: what was made and dropped again, and why steps were repeated. */
  readonly schema?: {
    readonly made: SchemaLoad['made'];
    readonly repeated: Readonly<Record<string, number>>;
  };
  /** The memory of the nodes, and that of the servers with their workers, in MB. */
  readonly memoryMb: readonly number[];
  /** In words; empty where everything is as it should be. */
  readonly problems: readonly string[];
  /** What every client noted, for the search behind a failure. */
  readonly notes: unknown;
}

const clientsPerServer = 3;
const mostRestMs = 200;

/** Plays the round of a seed: the same calls and faults, at about the same times. `changesSchema`: as in a soak. */
export async function playRound(stage: Stage, seed: number, changesSchema: boolean): Promise<RoundResult> {
  const { cluster, nodes, servers, agreeing, interruption } = stage;
  await removeKeyspaces(servers); // of a round that could not end
  await createRegisterTable(servers);
  await createIndexOfCopies(firstOf(servers));
  await createChangedCollection(servers);
  await untilSchemasAgree(cluster);
  const options = { seed, clientsPerServer, mostRestMs };
  const rows = new RegisterLoad({ ...options, urls: agreeing.map(({ url }) => url) });
  const documents = new DocumentLoad({ ...options, urls: servers.map(({ url }) => url) });
  const schema = new SchemaLoad({ ...options, clientsPerServer: 1, urls: servers.map(({ url }) => url) });
  await documents.prepare();
  const loads: Readonly<Record<string, ClientLoad>> = {
    rows,
    documents,
    ...(changesSchema ? { schema } : {}),
  };
  for (const load of Object.values(loads)) load.start();
  const faults: string[] = [];
  try {
    for (const fault of planFaults(seededRandom(seed), nodes.length)) {
      if (interruption.aborted) break;
      faults.push(describeFault(fault));
      await carryOut(fault, cluster, nodes, interruption);
    }
  } finally {
    await Promise.all(Object.values(loads).map((load) => load.stop()));
  }
  await rows.readAll();
  const wrongRows = await rows.compareIndex();
  const all = await documents.readAll();
  await documents.compareIndexes(all);
  for (const load of Object.values(loads)) load.close();
  await removeKeyspaces(servers);
  const problems = [
    ...findAnomalies(rows.calls).map(describeAnomaly),
    ...wrongRows,
    ...findWrongDocuments(documents, all),
    ...documents.wrong,
    ...Object.values(loads).flatMap(({ unexpected }) => unexpected),
  ];
  const { marks, calls, observations, changes } = documents;
  return {
    faults,
    calls: Object.fromEntries(Object.entries(loads).map(([name, load]) => [name, countsOf(load)])),
    ...(changesSchema && {
      schema: { made: schema.made, repeated: Object.fromEntries(schema.repeated) },
    }),
    memoryMb: [...nodes.map(({ node }) => node.pid), ...servers.map(({ pid }) => pid)].map(memoryOf),
    problems,
    notes: {
      rows: rows.calls,
      documents: { marks: [...marks], calls, observations, changes, all },
      schema: schema.calls,
    },
  };
}

/** The memory of a process and of those that it started, in MB. */
function memoryOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  const sizes = [pid, ...children.map(Number)].map((each) => residentMbOf(each) ?? 0);
  return Math.round(sizes.reduce((sum, size) => sum + size));
}

function countsOf(load: ClientLoad) {
  return { ...load.counts(), codes: Object.fromEntries(load.failures) };
}

async function createIndexOfCopies(server: RunningServer): Promise<void> {
  const { keyspace, name } = registerTable;
  const definition = { name: `${name}_copy`, definition: { column: 'copy' }, options: { ifNotExists: true } };
  await withDataClient(server, (client) =>
    untilAccepted(client, `/${keyspace}/${name}`, { createIndex: definition }),
  );
}

function removeKeyspaces(servers: readonly RunningServer[]): Promise<void> {
  return withDataClient(firstOf(servers), async (client) => {
    for (const { keyspace } of [registerTable, changedCollection])
      await untilAccepted(client, '', { dropKeyspace: { name: keyspace } });
  });
}

function firstOf([first]: readonly RunningServer[]): RunningServer {
  if (first === undefined) throw new Error('there is no server');
  return first;
}
