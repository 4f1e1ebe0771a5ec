// Marks the indexes that nodes cannot read yet, or that lack rows. It remembers which indexes all nodes have built, so
// that a change of the schema asks them only for new ones.
import type { CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { isSystemKeyspace } from '../../../../foundation/cassandra/system-keyspaces.js';
import { readIndexBuilds } from './index-builds.js';
import { laterIndexes, readLacking } from './lacking-indexes.js';
import { isStorageAttached } from './parse-indexes.js';
import type { DefinitionRows, IndexRow } from './schema-rows.js';

/** The indexes that are built, and the keyspaces with others. */
export class BuiltIndexes {
  readonly #session: Pick<CqlSession, 'nodes'>;
  /** What describes the built indexes of a keyspace. */
  readonly #built = new Map<string, ReadonlySet<string>>();
  readonly #unbuilt = new Set<string>();
  readonly #lacking = new Set<string>();

  constructor(session: Pick<CqlSession, 'nodes'>) {
    this.#session = session;
  }

  /** Keyspaces with an index that is still being built. */
  get unbuilt(): ReadonlySet<string> {
    return this.#unbuilt;
  }

  /** Keyspaces with an index that may lack rows. */
  get lacking(): ReadonlySet<string> {
    return this.#lacking;
  }

  /** The nodes are asked again for all indexes of the keyspace. */
  forget(keyspace: string): void {
    this.#built.delete(keyspace);
  }

  /**
   * The indexes of a keyspace, or with undefined all of them, marked where a node that answers is still building them,
   * and where they may lack rows, which is asked each time: a compaction ends it.
   * @throws CassandraFailure
   */
  async marked(rows: DefinitionRows, keyspace: string | undefined): Promise<readonly IndexRow[]> {
    const { indexes } = rows;
    const own = indexes.filter((row) => isStorageAttached(row) && !isSystemKeyspace(row.keyspace));
    const wanted = own.filter((row) => this.#built.get(row.keyspace)?.has(JSON.stringify(row)) !== true);
    const { unbuilt } =
      wanted.length === 0 ? { unbuilt: new Set<IndexRow>() } : await readIndexBuilds(this.#session, wanted);
    for (const name of keyspace === undefined ? this.#built.keys() : [keyspace]) this.#built.delete(name);
    for (const marked of [this.#unbuilt, this.#lacking])
      for (const name of keyspace === undefined ? [...marked] : [keyspace]) marked.delete(name);
    for (const name of new Set(own.map((row) => row.keyspace))) {
      const built = own.filter((row) => row.keyspace === name && !unbuilt.has(row));
      this.#built.set(name, new Set(built.map((row) => JSON.stringify(row))));
    }
    for (const row of unbuilt) this.#unbuilt.add(row.keyspace);
    const lacking = await readLacking(this.#session, laterIndexes({ ...rows, indexes: own }));
    for (const row of lacking) this.#lacking.add(row.keyspace);
    if (unbuilt.size === 0 && lacking.size === 0) return indexes;
    return indexes.map((row) => {
      if (unbuilt.has(row)) return { ...row, isBuilding: true };
      return lacking.has(row) ? { ...row, isLacking: true } : row;
    });
  }
}
