// The stored settings of tables as they were read last, by keyspace.
import type { CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import type { ColumnRow, TableRow } from './schema-rows.js';
import { isSettingsTable, readAllSettings, type SettingsRow, settingsTableName } from './settings-table.js';

/** What was found of some keyspaces. */
export interface FoundSettings {
  readonly settings: readonly SettingsRow[];
  /** Why the settings of a keyspace are not known, by its name. */
  readonly problems: ReadonlyMap<string, string>;
}

/** The tables of some keyspaces with their columns. */
export interface KeyspaceDefinitions {
  readonly tables: readonly Pick<TableRow, 'keyspace' | 'name'>[];
  readonly columns: readonly Pick<ColumnRow, 'keyspace' | 'table' | 'name' | 'type' | 'kind'>[];
}

/** Reads them. While nodes do not answer for a keyspace, its settings are those that were read before. */
export class KnownSettings {
  readonly #session: Pick<CqlSession, 'run'>;
  readonly #known = new Map<string, readonly SettingsRow[]>();
  readonly #unread = new Set<string>();

  constructor(session: Pick<CqlSession, 'run'>) {
    this.#session = session;
  }

  /** Keyspaces whose settings could not be read, and may have changed. */
  get unread(): ReadonlySet<string> {
    return this.#unread;
  }

  /** The settings of tables of a keyspace, or with undefined of all. */
  async read(rows: KeyspaceDefinitions, keyspace: string | undefined): Promise<FoundSettings> {
    const names = keyspacesWithSettings(rows);
    for (const name of keyspace === undefined ? [...this.#known.keys(), ...this.#unread] : [keyspace])
      if (!names.includes(name)) {
        this.#known.delete(name);
        this.#unread.delete(name);
      }
    const problems = new Map<string, string>();
    for (const name of names) {
      const problem = await this.#readOne(name);
      if (problem !== undefined) problems.set(name, problem);
    }
    return { settings: names.flatMap((name) => this.#known.get(name) ?? []), problems };
  }

  /** Resolves to the reason where the settings of a keyspace are not known. */
  async #readOne(keyspace: string): Promise<string | undefined> {
    try {
      this.#known.set(keyspace, await readAllSettings(this.#session, keyspace));
      this.#unread.delete(keyspace);
      return undefined;
    } catch (error) {
      if (!(error instanceof CassandraFailure)) throw error;
      this.#unread.add(keyspace);
      return this.#known.has(keyspace) ? undefined : error.message;
    }
  }
}

/** The keyspaces that have a table with settings: a table of another program that has its name is none. */
function keyspacesWithSettings({ tables, columns }: KeyspaceDefinitions): readonly string[] {
  const named = columns.filter(({ table }) => table === settingsTableName);
  const hasSettings = ({ keyspace, name }: KeyspaceDefinitions['tables'][number]) =>
    isSettingsTable(
      name,
      named.filter((column) => column.keyspace === keyspace),
    );
  return tables.filter(hasSettings).map(({ keyspace }) => keyspace);
}
