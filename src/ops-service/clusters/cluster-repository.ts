// The configurations of all clusters except `local`: stores and changes them, and creates the monitored clusters.
import type * as v from 'valibot';
import type { ConnectionTrial, ShownConfig } from '../../descriptions/operations-replies.js';
import { OpsError } from '../errors/ops-error.js';
import { unknownName } from '../errors/unknown-name.js';
import { badRequest } from '../errors/validation.js';
import type { Caller } from '../events/event.js';
import type { EventLog } from '../events/event-log.js';
import { Repository } from '../store/repository.js';
import type { Migration, Store } from '../store/store.js';
import type { Cluster } from './cluster.js';
import {
  type ClusterConfig,
  type configBody,
  mergeConfig,
  newConfig,
  type partialConfigBody,
  replaceConfig,
  showConfig,
  splitSeeds,
} from './cluster-config.js';
import type { ClusterRegistry } from './registry.js';

/** The table of the configurations. */
export const clusterMigrations: readonly Migration[] = [
  {
    name: 'clusters-1',
    sql: 'CREATE TABLE cluster_configs (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, config TEXT NOT NULL)',
  },
];

/** What the repository needs from outside. */
export interface ClusterRepositoryParts {
  readonly store: Store;
  readonly events: EventLog;
  readonly registry: ClusterRegistry;
  /** Starts to monitor a cluster. */
  readonly makeCluster: (config: ClusterConfig) => Cluster;
  /** Connects once, without monitoring the cluster. */
  readonly tryConnection: (config: ClusterConfig) => Promise<ConnectionTrial>;
  /** Called with the id of a removed cluster, whose data all parts must delete. */
  readonly forgetCluster: (id: string) => void;
}

const localConfig: ShownConfig = { id: 'local', cassandra: { seed_hosts: '127.0.0.1' } };
/** The owner of all configurations. */
const server = '';
const maxClusters = 100;
const maxIdLength = 48;

/** Stores the configurations; their clusters are in the registry. */
export class ClusterRepository {
  readonly #parts: ClusterRepositoryParts;
  readonly #configs: Repository<ClusterConfig>;

  /** Reads the stored configurations and starts to monitor their clusters. */
  constructor(parts: ClusterRepositoryParts) {
    this.#parts = parts;
    this.#configs = new Repository(parts.store, {
      table: 'cluster_configs',
      columns: { body: 'config' },
      most: maxClusters,
      tooMany: `a server watches at most ${maxClusters} clusters: delete one first`,
      read: (_id, _owner, body) => body as ClusterConfig, // written by `bodyOf`
      bodyOf: (config) => config,
      missing: (_, id) => unknownName('cluster', id, ['local', ...this.#ids()]),
    });
    for (const config of this.#configs.all()) this.#watch(config);
  }

  /** All configurations by id, `local` first. */
  list(): Readonly<Record<string, ShownConfig>> {
    const shown = [...this.#configs.all()].map((config) => [config.id, showConfig(config)]);
    return Object.fromEntries([['local', localConfig], ...shown]);
  }

  /** @throws OpsError `NotFound` */
  get(id: string): ShownConfig {
    return id === 'local' ? localConfig : showConfig(this.#configs.get(server, id));
  }

  /**
   * The id must not be one of `reservedIds`. Returns the id. @throws OpsError `BadRequest`, `Conflict`, `Unavailable`
   */
  create(body: v.InferOutput<typeof configBody>, reservedIds: ReadonlySet<string>, caller: Caller): string {
    this.#configs.requireRoom(server); // before the id is checked
    const config = newConfig(this.#idFor(body, reservedIds), body);
    this.#configs.create(server, config);
    this.#watch(config);
    this.#report('clusterAdded', config.id, `the cluster ${config.id} was added`, caller);
    return config.id;
  }

  /** Connects to the cluster of a body, which is not stored. An absent password is that of the cluster with its id. */
  async tryConnection(body: v.InferOutput<typeof configBody>): Promise<ConnectionTrial> {
    const known = body.id === undefined ? undefined : this.#configs.find(body.id);
    const config = known === undefined ? newConfig('a trial', body) : replaceConfig(known, body);
    return this.#parts.tryConnection(config);
  }

  /** @throws OpsError `BadRequest`, `NotFound`, `Conflict`, `Unavailable` */
  replace(id: string, body: v.InferOutput<typeof configBody>, caller: Caller): void {
    this.#change(id, body.id, (known) => replaceConfig(known, body), caller);
  }

  /** @throws OpsError `BadRequest`, `NotFound`, `Conflict`, `Unavailable` */
  merge(id: string, body: v.InferOutput<typeof partialConfigBody>, caller: Caller): void {
    this.#change(id, body.id, (known) => mergeConfig(known, body), caller);
  }

  /** Its events stay until they are too old. @throws OpsError `NotFound`, `Conflict`, `Unavailable` */
  remove(id: string, caller: Caller): void {
    refuseLocal(id);
    this.#configs.get(server, id);
    this.#configs.delete(server, id);
    this.#report('clusterRemoved', id, `the cluster ${id} was removed`, caller);
    this.#parts.registry.remove(id);
    this.#parts.forgetCluster(id);
  }

  #change(
    id: string,
    givenId: string | undefined,
    next: (known: ClusterConfig) => ClusterConfig,
    caller: Caller,
  ): void {
    refuseLocal(id);
    const known = this.#configs.get(server, id);
    if (givenId !== undefined && givenId !== id) {
      throw new OpsError('Conflict', `the id of a cluster cannot be changed: it is ${JSON.stringify(id)}`);
    }
    const config = next(known);
    this.#configs.replace(server, config);
    this.#watch(config);
    this.#report('clusterChanged', id, `the configuration of the cluster ${id} was changed`, caller);
  }

  #ids(): readonly string[] {
    return [...this.#configs.all()].map(({ id }) => id);
  }

  #idFor({ id, cassandra }: v.InferOutput<typeof configBody>, reservedIds: ReadonlySet<string>): string {
    if (id !== undefined) {
      if (reservedIds.has(id))
        throw badRequest([{ path: 'id', message: 'is reserved: paths of this port begin with it' }]);
      if (id === 'local' || this.#configs.find(id) !== undefined) {
        throw new OpsError('Conflict', `the cluster ${JSON.stringify(id)} already exists`);
      }
      return id;
    }
    const slug = slugOf(splitSeeds(cassandra.seed_hosts)[0] ?? '');
    for (let number = 1; ; number += 1) {
      const suffix = number === 1 ? '' : `-${number}`;
      const candidate = slug.slice(0, maxIdLength - suffix.length) + suffix;
      const isFree = candidate !== 'local' && this.#configs.find(candidate) === undefined;
      if (isFree && !reservedIds.has(candidate)) return candidate;
    }
  }

  #watch(config: ClusterConfig): void {
    this.#parts.registry.put(this.#parts.makeCluster(config));
  }

  #report(
    action: 'clusterAdded' | 'clusterChanged' | 'clusterRemoved',
    id: string,
    message: string,
    caller: Caller,
  ): void {
    this.#parts.events.append(id, { action, level: 'INFO', message, caller });
  }
}

function refuseLocal(id: string): void {
  if (id === 'local') {
    throw new OpsError('Conflict', 'the cluster local is the engine of this process: it cannot be changed');
  }
}

function slugOf(seed: string): string {
  const slug = seed
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .replace(/-+$/, '');
  return slug === '' ? 'cluster' : slug.slice(0, maxIdLength);
}
