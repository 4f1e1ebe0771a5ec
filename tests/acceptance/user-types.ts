// User-defined types for tests: the embedded engine lists columns of any type, a cluster wants its definition first.
import { openCqlSession } from '../../src/foundation/cassandra/open-cql-session.js';
import { serverArgs } from './server-args.js';

/** Defines a type where the rows of the servers are in a cluster; `name`: with its keyspace. */
export async function defineUserType(name: string): Promise<void> {
  const args = serverArgs();
  const port = args[args.indexOf('--cassandra-port') + 1];
  if (args.length === 0) return;
  const session = await openCqlSession({
    contactPoints: ['127.0.0.1'],
    port: Number(port),
    localDataCenter: 'datacenter1',
    timeoutMs: 20_000,
  });
  try {
    await session.changeSchema(`CREATE TYPE IF NOT EXISTS ${name} (street text)`);
  } finally {
    await session.close();
  }
}
