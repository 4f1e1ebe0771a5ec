// A monitored Apache Cassandra cluster: its nodes, their metrics, actions on them, queries to it.

import { collectRows, TooManyRows } from '../../../foundation/cassandra/collect-rows.js';
import { CassandraFailure, type CassandraSession } from '../../../foundation/cassandra/session.js';
import { isSystemKeyspace } from '../../../foundation/cassandra/system-keyspaces.js';
import { getOrMake } from '../../../foundation/get-or-make.js';
import type { JsonText } from '../../../foundation/json/json-value.js';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import type { Logger } from '../../../foundation/telemetry/logger.js';
import { OpsError } from '../../errors/ops-error.js';
import type {
  Cluster,
  ClusterNode,
  HistogramOffer,
  NativeReply,
  NodeAction,
  NodeActionOutcome,
  Reading,
} from '../cluster.js';
import type { ExporterWatch } from './exporter-watch.js';
import { gossipQuery, readGossipEntry } from './gossip-watch.js';
import type { KnownNode } from './known-nodes.js';
import type { NodeActions } from './node-actions.js';
import { NodeReadings } from './node-readings.js';
import { type NodeViews, slowViews, type ViewName, viewNames, viewQuery } from './node-views.js';
import { NodeWatch, type NodeWatchParts } from './node-watch.js';

export interface CassandraClusterParts
  extends Pick<NodeWatchParts, 'seeds' | 'memory' | 'appendEvent' | 'probe'> {
  readonly id: string;
  readonly session: CassandraSession;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Undefined if none is configured. */
  readonly actions: NodeActions | undefined;
  /** The exporters of the nodes; undefined if none is configured. */
  readonly exporters: ExporterWatch | undefined;
  /** The source of a metric key on Cassandra. */
  metricSource(key: string): string | undefined;
  /**
   * Loads what makes the JSON text of a driver's value of a column of this CQL type, in the form of the data service;
   * `null` for none. A server that asks no cluster starts without it.
   */
  loadRenderValue(): Promise<(cqlType: string, value: unknown) => JsonText>;
}

const connectIntervalMs = 10_000;
/** If this number of simultaneous queries to different nodes fails, the session counts as lost. */
const triedQueries = 3;
const tablesIntervalMs = 10_000;
const slowViewsIntervalMs = 60_000;
/** The number of nodes whose tables are read at the same time. */
const concurrentNodes = 8;
const maxTables = 100_000;

/** No call waits for the whole cluster: a node that does not answer is missing from the readings, and is down. */
export class CassandraCluster implements Cluster {
  readonly id: string;
  readonly histograms: HistogramOffer = { parts: ['P50', 'P99', 'MAX'], takesWindow: false };
  readonly #parts: CassandraClusterParts;
  readonly #watch: NodeWatch;
  readonly #readings = new Map<string, NodeReadings>();
  #connectAtMs = Number.NEGATIVE_INFINITY;
  #tablesAtMs = Number.NEGATIVE_INFINITY;
  #slowViewsAtMs = Number.NEGATIVE_INFINITY;
  #connectProblem: string | undefined;
  #hasTables = false;
  /** Undefined until they have been read. */
  #keyspaces: readonly string[] | undefined;
  #isClosed = false;
  tables: readonly string[] = [];

  constructor(parts: CassandraClusterParts) {
    this.id = parts.id;
    this.#parts = parts;
    const { session } = parts;
    this.#watch = new NodeWatch({
      ...parts,
      clusterId: parts.id,
      hosts: () => session.hosts,
      readGossip: (address) => this.#readGossip(address),
    });
  }

  get nodes(): readonly ClusterNode[] {
    return this.#watch.nodes.map((node) =>
      toClusterNode(node, this.#watch.gossipOf(node.hostId)?.hostname ?? null),
    );
  }

  get keyspaces(): readonly string[] {
    return this.#keyspaces ?? [];
  }

  get isLoaded(): boolean {
    return this.#watch.isLoaded && this.#hasTables;
  }

  /**
   * Starts probes, connections and reads of the tables that are due; reconnects when neither probes nor queries are
   * answered. The server calls it every second.
   */
  tick(): void {
    if (this.#isClosed) return;
    this.#watch.tick();
    const now = this.#parts.clock.monotonicMs();
    const seemsLost = !this.#watch.nodes.some(({ address }) => this.#watch.answers(address));
    if (!this.#parts.session.isConnected || seemsLost) {
      if (now - this.#connectAtMs < connectIntervalMs) return;
      this.#connectAtMs = now;
      void this.#connect();
      return;
    }
    this.#connectAtMs = now;
    if (now - this.#tablesAtMs >= tablesIntervalMs) {
      this.#tablesAtMs = now;
      void this.#readTables();
    }
  }

  async readMetrics(): Promise<readonly Reading[]> {
    const { clock } = this.#parts;
    const isSlowTurn = clock.monotonicMs() - this.#slowViewsAtMs >= slowViewsIntervalMs;
    if (isSlowTurn) this.#slowViewsAtMs = clock.monotonicMs();
    const views = viewNames.filter((view) => isSlowTurn || !slowViews.includes(view));
    const answering = this.#watch.nodes.filter(({ address }) => this.#watch.answers(address));
    const all: Reading[] = [...this.#readExporters(answering)];
    const waiting = answering.values();
    const readNext = async () => {
      for (const node of waiting) {
        for (const reading of await this.#readNode(node, views)) all.push(reading);
      }
    };
    await Promise.all(Array.from({ length: concurrentNodes }, readNext));
    this.#forgetReadings();
    return all;
  }

  metricSource(key: string): string | undefined {
    return this.#parts.metricSource(key);
  }

  whyNoMetric(key: string): string | undefined {
    return this.#parts.exporters?.whyNot(key);
  }

  async act(action: NodeAction, signal: AbortSignal): Promise<NodeActionOutcome> {
    const { actions } = this.#parts;
    if (actions === undefined)
      return { state: 'error', detail: 'no way to run actions is configured for this cluster' };
    return actions.run(action, signal);
  }

  async runNative(query: string): Promise<NativeReply> {
    const { session, loadRenderValue } = this.#parts;
    try {
      const ask = (pageRows: number, page: string | null) => session.query(query, pageRows, page);
      const reply = await collectRows(ask, await loadRenderValue());
      if (reply.columns.length === 0) await this.#readTables(); // the statement may have created or dropped some
      return reply;
    } catch (error) {
      if (error instanceof TooManyRows) throw new OpsError('BadRequest', error.message);
      if (!(error instanceof CassandraFailure)) throw error;
      // The message contains parts of the query, which may be secrets: only the caller gets it, not the log.
      if (error.isRefused) throw new OpsError('BadRequest', error.message);
      throw new OpsError('Unavailable', error.message, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#watch.close();
    await this.#parts.exporters?.close();
    await this.#parts.session.close();
  }

  #readExporters(nodes: readonly KnownNode[]): readonly Reading[] {
    const { exporters } = this.#parts;
    if (exporters === undefined) return [];
    return exporters.read(
      nodes.map(({ address, hostId }) => ({
        address,
        generation: this.#watch.gossipOf(hostId)?.generation ?? 0,
      })),
    );
  }

  async #connect(): Promise<void> {
    const { session } = this.#parts;
    if (session.isConnected && (await this.#answersQueries())) return;
    // If all nodes got new addresses at once, only the contact points of the cluster can find them.
    const problem = await (session.isConnected ? session.reconnect() : session.connect());
    if (problem !== undefined && problem !== this.#connectProblem && !this.#isClosed) {
      this.#parts.logger.warn(
        { cluster: this.id, problem },
        'a Cassandra cluster cannot be reached; it is tried again',
      );
    }
    this.#connectProblem = problem;
  }

  /** Nodes may be too busy for probes and still answer on open connections. */
  async #answersQueries(): Promise<boolean> {
    const tries = Array.from({ length: triedQueries }, async () => {
      try {
        await this.#parts.session.query('SELECT key FROM system.local', 1);
        return true;
      } catch (error) {
        if (error instanceof CassandraFailure) return error.isRefused; // a node that refuses is up
        throw error;
      }
    });
    return (await Promise.all(tries)).includes(true);
  }

  async #readTables(): Promise<void> {
    try {
      const [keyspaces, tables] = await Promise.all([
        this.#readNames('SELECT keyspace_name FROM system_schema.keyspaces'),
        this.#readNames('SELECT keyspace_name, table_name FROM system_schema.tables'),
      ]);
      this.#keyspaces = keyspaces.sort();
      this.tables = tables;
      this.#hasTables = true;
    } catch (error) {
      this.#logUnlessUnanswered(error);
    }
  }

  /** One name for each row of users' keyspaces, its parts joined by dots. */
  async #readNames(cql: string): Promise<string[]> {
    const { rows } = await this.#parts.session.query(cql, maxTables);
    return rows
      .filter((names) => names.every(isPlainName) && !isSystemKeyspace(String(names[0])))
      .map((names) => names.join('.'));
  }

  async #readGossip(address: string) {
    try {
      const rows = await this.#parts.session.queryNode(address, gossipQuery);
      return rows.map(readGossipEntry).filter((entry) => entry !== undefined);
    } catch (error) {
      this.#logUnlessUnanswered(error);
      return undefined;
    }
  }

  async #readNode(node: KnownNode, names: readonly ViewName[]): Promise<readonly Reading[]> {
    const gossip = this.#watch.gossipOf(node.hostId);
    const read = await Promise.all(
      names.map(async (name) => {
        try {
          const query = viewQuery(name, this.#keyspaces);
          const rows = query === undefined ? [] : await this.#parts.session.queryNode(node.address, query);
          return [name, rows] as const;
        } catch (error) {
          this.#logUnlessUnanswered(error);
          return undefined;
        }
      }),
    );
    const answered = read.filter((view) => view !== undefined);
    if (answered.length === 0) return [];
    const facts = {
      address: node.address,
      release: node.release,
      generation: gossip?.generation ?? 0,
      loadBytes: node.loadBytes,
    };
    const views: NodeViews = Object.fromEntries(answered);
    return this.#readingsOf(node).read(facts, views, this.#parts.clock.monotonicMs());
  }

  #readingsOf({ hostId, address }: KnownNode): NodeReadings {
    return getOrMake(this.#readings, readingsKey({ hostId, address }), () => new NodeReadings());
  }

  /** Removes the readings of nodes that have left the cluster; otherwise they would accumulate. */
  #forgetReadings(): void {
    const present = new Set(this.#watch.nodes.map(readingsKey));
    for (const key of this.#readings.keys()) if (!present.has(key)) this.#readings.delete(key);
  }

  /** The probes report a node that does not answer; any other failure is logged, until the cluster is removed. */
  #logUnlessUnanswered(error: unknown): void {
    if (error instanceof CassandraFailure && !error.isRefused) return;
    if (this.#isClosed) return; // what was under way fails with the connections
    this.#parts.logger.warn({ err: error, cluster: this.id }, 'a table of a Cassandra node cannot be read');
  }
}

function readingsKey({ hostId, address }: Pick<KnownNode, 'hostId' | 'address'>): string {
  return hostId ?? address;
}

function toClusterNode(node: KnownNode, hostname: string | null): ClusterNode {
  const { address, dc, rack, state, downSinceMs, lastSeenMs, loadBytes, release } = node;
  return {
    address,
    dc,
    rack,
    hostname,
    state,
    ...(downSinceMs === null ? {} : { downSinceMs }),
    lastSeenMs,
    loadBytes,
    version: release,
    os: null,
  };
}

/** Cassandra has no other names. Another server might send some, and names become arguments of programs. */
function isPlainName(name: unknown): boolean {
  return /^\w{1,222}$/.test(String(name));
}
