// Starts a Cassandra cluster and keeps it until Ctrl-C: `npm run cassandra -- DIRECTORY [NODES] [users]`.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingForCassandra } from './cassandra-jars.js';
import { type CassandraNodes, startCassandra } from './start-cassandra.js';

// The build has no pom: it is beside the source, three folders up from the built file.
const toolFolder = fileURLToPath(new URL('../../../tools/start-cassandra', import.meta.url));

const [directory, nodeCount = '1', users] = process.argv.slice(2);
const missing = missingForCassandra();
if (
  directory === undefined ||
  directory.startsWith('-') ||
  !/^[1-3]$/.test(nodeCount) ||
  ![undefined, 'users'].includes(users)
) {
  process.stderr.write(
    'npm run cassandra -- DIRECTORY [NODES] [users]: a folder for the data, 1 to 3 nodes, and with users the user ' +
      'cassandra with the password cassandra\n',
  );
  process.exitCode = 2;
} else if (missing !== undefined) {
  process.stderr.write(`Cassandra cannot be started: ${missing}\n`);
  process.exitCode = 1;
} else {
  await serveNodes(directory, Number(nodeCount), users === 'users');
}

async function serveNodes(directory: string, nodeCount: number, hasUsers: boolean): Promise<void> {
  // A node takes seconds to start, and must not stay behind where the start is interrupted.
  const interruption = new AbortController();
  let stop = () => interruption.abort();
  process.once('SIGINT', () => stop()).once('SIGTERM', () => stop());
  try {
    const cluster = await startCassandra({
      directory: resolve(directory),
      toolFolder,
      nodeCount,
      security: { hasUsers },
      interruption: interruption.signal,
    });
    stop = () => void cluster.stop();
    printPlaces(cluster);
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    process.stderr.write('interrupted while the nodes started; they were ended\n');
    process.exitCode = 1;
  }
}

function printPlaces(cluster: CassandraNodes): void {
  for (const node of cluster.nodes) {
    const { address, nativePort, jmxPort } = node.place;
    process.stdout.write(
      `CQL on ${address}:${nativePort}, JMX on 127.0.0.1:${jmxPort}, process ${node.pid}\n`,
    );
  }
  for (const node of cluster.nodes) {
    const words = cluster.nodetool(node).map((word) => `'${word}'`);
    process.stdout.write(`nodetool of ${node.place.address}: ${words.join(' ')}\n`);
  }
}
