// Starts a Cassandra cluster and keeps it until Ctrl-C: `npm run cassandra -- DIRECTORY [NODES] [users]`.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingForCassandra } from './cassandra-jars.js';
import { startCassandra } from './start-cassandra.js';

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
  // The build holds no pom: it stands beside the source, three folders up from the built file.
  const toolFolder = fileURLToPath(new URL('../../../tools/start-cassandra', import.meta.url));
  const cluster = await startCassandra({
    directory: resolve(directory),
    toolFolder,
    nodeCount: Number(nodeCount),
    security: { hasUsers: users === 'users' },
  });
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
  const stop = () => void cluster.stop();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}
