// A repository: the stored entities of one kind, in memory and in a table. A change is on disk before it is in memory.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Database } from '../../foundation/sqlite/open-database.js';
import { OpsError } from '../errors/ops-error.js';
import type { Store } from './store.js';

/** How the entities of one kind are stored. */
export interface EntityFormat<Entity> {
  /** The table has an ascending number `id`, and the columns in `columns`. */
  readonly table: string;
  /** Default: `cluster_id` and `body`. */
  readonly columns?: EntityColumns;
  /** The maximum number of entities of one owner. */
  readonly most: number;
  /** The message of the refusal when there are too many. */
  readonly tooMany: string;
  /** The entity of a row that `bodyOf` wrote; undefined for a row that is kept but cannot be used. */
  read(id: string, owner: string, body: unknown): Entity | undefined;
  /** The value that is stored as JSON. */
  bodyOf(entity: Entity): unknown;
  /** The error for an unknown id. */
  missing(owner: string, id: string): OpsError;
}

/** The columns of a table of entities. */
export interface EntityColumns {
  /** JSON. */
  readonly body: string;
  /** Absent if the entities belong to the server: then their owner is the empty text. */
  readonly owner?: string;
}

const clusterColumns: EntityColumns = { owner: 'cluster_id', body: 'body' };

/** Entities by owner (the id of a cluster), each list in the order of creation. Ids are unique over all owners. */
export class Repository<Entity extends { readonly id: string }> {
  readonly #store: Store;
  readonly #format: EntityFormat<Entity>;
  readonly #columns: EntityColumns;
  readonly #byId = new Map<string, Entity>();
  readonly #byOwner = new Map<string, Map<string, Entity>>();

  /** Loads the stored entities. */
  constructor(store: Store, format: EntityFormat<Entity>) {
    this.#store = store;
    this.#format = format;
    this.#columns = format.columns ?? clusterColumns;
    const { body, owner = "''" } = this.#columns;
    const sql = `SELECT id, ${owner} AS owner, ${body} AS body FROM ${format.table} ORDER BY rowid`;
    for (const row of store.read((database) => database.statement(sql).all())) {
      const owner = String(row['owner']);
      const entity = format.read(String(row['id']), owner, JSON.parse(String(row['body'])));
      if (entity !== undefined) this.#put(owner, entity);
    }
  }

  /** The entities of all owners. */
  all(): Iterable<Entity> {
    return this.#byId.values();
  }

  /** The entities of one owner. */
  list(owner: string): readonly Entity[] {
    return [...(this.#byOwner.get(owner)?.values() ?? [])];
  }

  /** The entity with this id, of any owner. */
  find(id: string): Entity | undefined {
    return this.#byId.get(id);
  }

  /** The entity, if it belongs to the owner. */
  findOf(owner: string, id: string): Entity | undefined {
    return this.#byOwner.get(owner)?.get(id);
  }

  /** @throws OpsError `NotFound` */
  get(owner: string, id: string): Entity {
    const entity = this.findOf(owner, id);
    if (entity === undefined) throw this.#format.missing(owner, id);
    return entity;
  }

  /** @throws OpsError `Conflict` when the owner has the maximum number */
  requireRoom(owner: string): void {
    const { most, tooMany } = this.#format;
    if ((this.#byOwner.get(owner)?.size ?? 0) >= most) throw new OpsError('Conflict', tooMany);
  }

  /** @throws OpsError `Conflict` with too many, `Unavailable` when the file cannot be written */
  create(owner: string, entity: Entity): void {
    this.requireRoom(owner);
    const { table } = this.#format;
    const columns = this.#columns;
    const body = this.#bodyOf(entity);
    this.#store.change((database) =>
      columns.owner === undefined
        ? database
            .statement(`INSERT INTO ${table} (id, ${columns.body}) VALUES (?, ?)`)
            .run([entity.id, body])
        : database
            .statement(`INSERT INTO ${table} (id, ${columns.owner}, ${columns.body}) VALUES (?, ?, ?)`)
            .run([entity.id, owner, body]),
    );
    this.#put(owner, entity);
  }

  /** Replaces the entity with the same id. @throws OpsError `Unavailable` */
  replace(owner: string, entity: Entity): void {
    this.#store.change(this.#update(entity));
    this.#put(owner, entity);
  }

  /** Does what `replace` does, but writes at the end of the turn, or when the file can be written again. */
  record(owner: string, entity: Entity): void {
    this.#store.record(this.#update(entity), { key: this.#recordingKey(entity.id) });
    this.#put(owner, entity);
  }

  /** @throws OpsError `Unavailable` */
  delete(owner: string, id: string): void {
    this.#store.change(this.#deletion(id));
    this.#remove(owner, id);
  }

  /** Does what `delete` does, but writes as `record` does. */
  recordDeletion(owner: string, id: string): void {
    this.#store.record(this.#deletion(id), { key: this.#recordingKey(id) });
    this.#remove(owner, id);
  }

  /** Deletes the entities of a removed cluster and returns them. Written as `record` writes. */
  forgetCluster(owner: string): readonly Entity[] {
    const entities = this.list(owner);
    for (const { id } of entities) this.recordDeletion(owner, id);
    return entities;
  }

  #put(owner: string, entity: Entity): void {
    this.#byId.set(entity.id, entity);
    getOrMake(this.#byOwner, owner, () => new Map()).set(entity.id, entity);
  }

  #remove(owner: string, id: string): void {
    this.#byId.delete(id);
    const left = this.#byOwner.get(owner);
    left?.delete(id);
    if (left?.size === 0) this.#byOwner.delete(owner);
  }

  #update(entity: Entity): (database: Database) => void {
    const sql = `UPDATE ${this.#format.table} SET ${this.#columns.body} = ? WHERE id = ?`;
    const body = this.#bodyOf(entity);
    return (database) => {
      database.statement(sql).run([body, entity.id]);
    };
  }

  #deletion(id: string): (database: Database) => void {
    return (database) => {
      database.statement(`DELETE FROM ${this.#format.table} WHERE id = ?`).run([id]);
    };
  }

  #bodyOf(entity: Entity): string {
    return JSON.stringify(this.#format.bodyOf(entity));
  }

  #recordingKey(id: string): string {
    return `${this.#format.table} ${id}`;
  }
}
