// The Cassandra engine as the server opens it.
import type { EngineModule } from '../engine-module.js';
import { type ChangeCalls, changesOver, hostChanges } from './change-host.js';
import { sharedWriteTime } from './write-times.js';

/**
 * The limit of a read on the main thread, in bytes of rows. It is higher than that of a file, because these reads
 * mostly wait for the cluster, and few of the others can run at a time.
 */
const mostBytesOfRead = 1024 * 1024;

/**
 * Rows in a cluster. The thread for large requests has an engine of its own, which asks this one about changes of the
 * schema. What both get is the time of the last write.
 */
export const cassandraModule: EngineModule<ChangeCalls, SharedArrayBuffer> = {
  open: async (config, surroundings) => {
    const { openCassandra } = await import('./open-cassandra.js');
    const writeTime = sharedWriteTime();
    const { host, ...open } = await openCassandra(config, { ...surroundings, writeTime, mostBytesOfRead });
    return { ...open, shared: writeTime, hostThread: () => hostChanges(host) };
  },
  openForLargeRequests: async (config, writeTime, link, surroundings) => {
    const { openCassandra } = await import('./open-cassandra.js');
    const { engine, users } = await openCassandra(config, {
      ...surroundings,
      writeTime,
      changeHost: changesOver(link),
    });
    return { engine, users };
  },
  errorForms: [],
};
