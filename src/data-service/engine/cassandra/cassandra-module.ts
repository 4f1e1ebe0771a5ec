// The Cassandra engine as the server opens it.
import type { CqlTls } from '../../../foundation/cassandra/cql-session.js';
import type { EngineModule } from '../engine-module.js';
import { type ChangeCalls, changesOver, hostChanges } from './change-host.js';
import { sharedWriteTime } from './write-times.js';

/**
 * The limit of a read on the main thread, in bytes of rows. It is higher than that of a file, because these reads
 * mostly wait for the cluster, and few of the others can run at a time.
 */
const mostBytesOfRead = 1024 * 1024;

interface Shared {
  readonly writeTime: SharedArrayBuffer;
  readonly tls: CqlTls | undefined;
}

/**
 * Rows in a cluster. The thread for large requests has an engine of its own, which asks this one about changes of the
 * schema. What both get is the time of the last write, and the files for TLS.
 */
export const cassandraModule: EngineModule<ChangeCalls, Shared> = {
  open: async (config, surroundings) => {
    const { openCassandra, readClusterTls } = await import('./open-cassandra.js');
    const shared = { writeTime: sharedWriteTime(), tls: readClusterTls(config) };
    const { host, ...open } = await openCassandra(config, { ...surroundings, ...shared, mostBytesOfRead });
    return { ...open, shared, hostThread: () => hostChanges(host) };
  },
  openForLargeRequests: async (config, shared, link, surroundings) => {
    const { openCassandra } = await import('./open-cassandra.js');
    const { engine, users } = await openCassandra(config, {
      ...surroundings,
      ...shared,
      changeHost: changesOver(link),
    });
    return { engine, users };
  },
  errorForms: [],
};
