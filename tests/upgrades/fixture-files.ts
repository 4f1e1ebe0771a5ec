// Where fixtures are, and which files of a data directory they have.
import { fileURLToPath } from 'node:url';

/** The folder with a folder for each released format. */
export const fixturesFolder = fileURLToPath(new URL('../../../tests/upgrades/fixtures', import.meta.url));

/** The files by their names in a fixture and their places in a data directory. */
export const fixtureFiles: readonly { readonly stored: string; readonly place: string }[] = [
  { stored: 'data.db.gz', place: 'data.db' },
  { stored: 'ops.db.gz', place: 'ops/ops.db' },
  { stored: 'page-state.key', place: 'page-state.key' },
  { stored: 'key-store.key', place: 'key-store.key' },
  { stored: 'key-store.enc', place: 'key-store.enc' },
];
