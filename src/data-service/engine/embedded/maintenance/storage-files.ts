// The files of the engine in a data directory, for starts, backups and checks.
import { join } from 'node:path';
import { embedded } from '../../../../foundation/config/engines/embedded.js';
import type { EngineFiles } from '../../engine-module.js';
import { dataFile } from '../file/open-for-reading.js';
import { schemaVersion } from '../file/schema-store.js';
import { refusedInDataFile } from '../opening/unknown-objects.js';
import { checkDataFile } from './check-data-file.js';

/** The data file, and the snapshots of vector indexes beside it. */
export function storageFiles(dataDirectory: string): EngineFiles {
  const path = dataFile(dataDirectory);
  const vectors = join(dataDirectory, 'vectors');
  return {
    rows: {
      name: embedded.rowsFile,
      path,
      content: 'rows and documents',
      isOptional: false,
      version: { of: (query) => Number(query('PRAGMA user_version')), newest: schemaVersion },
      refused: refusedInDataFile,
      companions: [vectors],
      check: (signal, onProgress) => checkDataFile(path, signal, onProgress),
    },
    derived: { directory: vectors, ending: '.graph' },
  };
}
