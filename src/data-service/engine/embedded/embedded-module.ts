// The embedded engine as the server opens it.
import { ownMemoryOf } from '../../../foundation/threads/worker-thread.js';
import type { EngineModule } from '../engine-module.js';
import type { EngineHost } from './guest-engine.js';
import { rowsTooLargeForm } from './writes/write-errors.js';

/**
 * Reads with more bytes of rows take the main thread more than about 10 ms, so the thread for large requests runs them.
 */
const mostBytesOfRead = 256 * 1024;

/** Rows in a SQLite file of the data directory. The thread for large requests has a guest of the engine. */
export const embeddedModule: EngineModule<EngineHost, undefined> = {
  open: async (config, { wrap, whyReadOnly, ...surroundings }) => {
    const { dataDir: dataDirectory, dialect, vectorQuantization } = config;
    const options = { dataDirectory, dialect, vectorQuantization, mostBytesOfRead, ...surroundings };
    const engine =
      whyReadOnly === undefined
        ? await (await import('./embedded-engine.js')).openEmbeddedEngine(options)
        : await (await import('./following-engine.js')).openFollowingEngine({ ...options, whyReadOnly });
    const { host } = engine;
    return {
      engine: wrap(engine),
      users: undefined,
      shared: undefined,
      hostThread: () => ({ calls: host, ended: () => {} }),
    };
  },
  openForLargeRequests: async ({ dataDir: dataDirectory, dialect }, _shared, link, surroundings) => {
    const { openGuestEngine } = await import('./guest-engine.js');
    const { clock, readTimeoutMs, wrap } = surroundings;
    const guest = openGuestEngine(
      { dataDirectory, dialect, clock, readTimeoutMs },
      {
        write: (write) => link.call('write', write, undefined, ownMemoryOf(write.packed)),
        writeDocuments: (write) => link.call('writeDocuments', write),
        deleteAll: (table) => link.call('deleteAll', table),
        findNearest: (search) => link.call('findNearest', search),
        schemaGeneration: (wanted) => link.call('schemaGeneration', wanted),
      },
    );
    return { engine: wrap(guest), users: undefined };
  },
  errorForms: [rowsTooLargeForm],
  files: async (dataDirectory) =>
    (await import('./maintenance/storage-files.js')).storageFiles(dataDirectory),
  readTableBytes: async (dataDirectory, signal) =>
    (await import('./maintenance/table-sizes.js')).readTableSizes(dataDirectory, signal),
};
