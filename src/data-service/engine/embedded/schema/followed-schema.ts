// The present schema of a data file that another thread changes page by page.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { Dialect } from '../../../column-types/dialect.js';
import type { Schema } from '../../../schema/keyspace.js';
import { EngineError } from '../../engine-error.js';
import { inSnapshot } from '../file/open-for-reading.js';
import { loadSchema, schemaVersion } from '../file/schema-store.js';
import { toReadError } from '../file/storage-failure.js';

/** A change of the schema changes one of these. Each change of columns raises the version of their table. */
const partsOfSchema = [
  'SELECT id, version, keyspace, name, collection, first_id, entries_id, last IS NULL FROM tables',
  'SELECT table_id, id, name, column_id, fold, vector, part, analyzer, last IS NULL FROM indexes',
  'SELECT name, replication FROM keyspaces ORDER BY rowid',
  'SELECT keyspace, name, type FROM user_types',
];

/**
 * Looks at the file each time it is asked, so the schema is never older than what a read saw that has ended. A look
 * takes some microseconds unless something was committed since the last one.
 */
export class FollowedSchema {
  readonly #database: Database;
  readonly #dialect: Dialect;
  #looked: unknown;
  #parts = '';
  #generation = 0;
  #current: Schema = { keyspaces: new Map() };

  /** `database` is used by nobody else. */
  constructor(database: Database, dialect: Dialect) {
    this.#database = database;
    this.#dialect = dialect;
  }

  /** @throws EngineError */
  get current(): Schema {
    this.#look();
    return this.#current;
  }

  /** Another number for each state of the schema. @throws EngineError */
  get generation(): number {
    this.#look();
    return this.#generation;
  }

  #look(): void {
    try {
      // It changes with each commit of another connection.
      const version = this.#database.statement('PRAGMA data_version', { returnArrays: true }).get()?.[0];
      if (version === this.#looked) return;
      inSnapshot(this.#database, (database) => this.#load(database));
      this.#looked = version;
    } catch (error) {
      throw toReadError(error);
    }
  }

  #load(database: Database): void {
    expectVersion(database);
    const rows = partsOfSchema.map((sql) => database.statement(sql, { returnArrays: true }).all());
    const parts = JSON.stringify(rows);
    if (parts === this.#parts) return;
    this.#current = loadSchema(database, this.#dialect);
    this.#parts = parts;
    this.#generation += 1;
  }
}

/** The first server may be updated while it is followed. @throws EngineError */
function expectVersion(database: Database): void {
  const version = Number(database.statement('PRAGMA user_version', { returnArrays: true }).get()?.[0]);
  if (version === schemaVersion) return;
  throw new EngineError(
    'readFailed',
    `the server that is followed is of ${version > schemaVersion ? 'a later' : 'an earlier'} release, whose data ` +
      `file has version ${version} and not ${schemaVersion}: start this server with the same release`,
  );
}
