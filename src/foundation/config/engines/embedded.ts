// The embedded engine, as the configuration and commands see it.
import type { EngineDescription } from './engine-description.js';

/** Rows in a file of the data directory, which one process uses. */
export const embedded = {
  help: 'embedded is a SQLite file in the data directory',
  capabilities: { hasUsers: false, hasWorkers: false },
  rowsFile: 'data.db',
  needs: {},
} as const satisfies EngineDescription;
