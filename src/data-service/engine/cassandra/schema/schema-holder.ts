// The schema of a cluster as this process knows it: read at the start, and again after changes by anyone.
import { setTimeout as pause } from 'node:timers/promises';
import type { CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { findSchemaSource } from '../../../../foundation/cassandra/schema-agreement.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import type { Dialect } from '../../../column-types/dialect.js';
import type { Schema } from '../../../schema/keyspace.js';
import type { Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { readFailure } from '../engine-failure.js';
import { BuiltIndexes } from './built-indexes.js';
import { type KnownKeyspace, type KnownTable, schemaOf } from './known-schema.js';
import { KnownSettings } from './known-settings.js';
import { parseKeyspaces } from './parse-schema.js';
import { readSchemaRows, type SchemaRows } from './schema-rows.js';

/**
 * Until the first read after an event, because one change comes as several, and between further reads: while some nodes
 * do not have a change yet, the node that was asked may be one of them. In all more than the minute that it may take.
 */
const followPauseMs = { first: 20, most: 2_000 };
const mostTries = 50;
/**
 * How often nodes are asked whether an index is built, and for settings that they did not answer for, and whether a
 * compaction has completed an index.
 */
const nodePollMs = { first: 20, most: 1_000 };
const lackingPollMs = { first: 60_000, most: 60_000 };

/** A node that was started has the present schema within this time, where nothing else is wrong. */
const latestWaitMs = 5_000;
const noSchemaOfMost = 'the nodes have different schemas, or most of them do not answer';

/** Holds the schema, and follows its changes until it is closed. */
export class SchemaHolder {
  readonly #session: CqlSession;
  readonly #dialect: Dialect;
  readonly #onWarning: (error: Error) => void;
  #onLoad: ((keyspaces: readonly KnownKeyspace[]) => void) | undefined;
  #known: ReadonlyMap<string, KnownKeyspace> | undefined;
  #schema: Schema = { keyspaces: new Map() };
  #lastVersion = 0;
  /** Whether the last load has what most nodes have. */
  #isOfMost = false;
  readonly #builds: BuiltIndexes;
  readonly #settings: KnownSettings;
  /** Settles with the last load: each begins behind the one before, so that none brings back an older state. */
  #loaded: Promise<unknown> = Promise.resolve();
  /** Loads that have not begun: a call for the same keyspace joins them. */
  readonly #waiting = new Map<string | undefined, Promise<void>>();
  #firstLoad: Promise<void> | undefined;
  /** Keyspaces that have changed; undefined stands for all. */
  #changed = new Set<string | undefined>();
  #following: Promise<void> | undefined;
  #followingNodes: Promise<void> | undefined;
  #followingLacking: Promise<void> | undefined;
  readonly #ending = new AbortController();

  /** `dialect`: what columns and types become. */
  constructor(session: CqlSession, onWarning: (error: Error) => void, dialect: Dialect = 'strict') {
    this.#session = session;
    this.#dialect = dialect;
    this.#onWarning = onWarning;
    this.#builds = new BuiltIndexes(session);
    this.#settings = new KnownSettings(session);
    session.onSchemaChange((keyspace) => this.#note(keyspace));
  }

  /** The schema; reads it where it is not known yet. @throws EngineError `unavailable` */
  async read(): Promise<Schema> {
    if (this.#known === undefined) {
      this.#firstLoad ??= this.load(undefined).finally(() => {
        this.#firstLoad = undefined;
      });
      await this.#firstLoad;
    }
    return this.#schema;
  }

  /** Resolves when the loads that were asked for are done or have failed. */
  async settled(): Promise<void> {
    await this.#loaded;
  }

  /** A keyspace as it was last read. */
  keyspace(name: string): KnownKeyspace | undefined {
    return this.#known?.get(name);
  }

  /** What is known of the present version of a table. @throws EngineError `schemaChanged` for another version */
  present(table: Table): KnownTable {
    const keyspace = this.#known?.get(table.keyspace);
    const known = keyspace?.tables.get(table.name) ?? keyspace?.unfinished.get(table.name);
    if (known?.table === table) return known;
    throw new EngineError('schemaChanged', `the table ${table.name} is gone or changed`);
  }

  /** Calls the listener after each read with all keyspaces. One listener at most. */
  onLoad(listener: (keyspaces: readonly KnownKeyspace[]) => void): void {
    this.#onLoad = listener;
  }

  /** Reads a keyspace, or with undefined all of them. @throws EngineError */
  load(keyspace: string | undefined): Promise<void> {
    const waiting = this.#waiting.get(keyspace);
    if (waiting !== undefined) return waiting;
    const loading = this.#loaded.then(() => {
      this.#waiting.delete(keyspace);
      return this.#load(keyspace);
    });
    this.#waiting.set(keyspace, loading);
    this.#loaded = loading.catch(() => undefined); // the caller of `loading` gets the failure
    return loading;
  }

  /**
   * Reads a keyspace, or with undefined all of them, as most nodes have it: with every change that any server has
   * acknowledged. @throws EngineError `unavailable` where most nodes do not have one schema, or do not answer
   */
  async loadLatest(keyspace: string | undefined): Promise<void> {
    // Two nodes that were down may both have an old one for some seconds.
    await findSchemaSource(() => this.#session.nodes(), 'all', latestWaitMs).catch((error: unknown) => {
      throw readFailure(error);
    });
    await this.load(keyspace);
    if (!this.#isOfMost) throw new EngineError('unavailable', `${noSchemaOfMost}; nothing was changed`);
  }

  /** Loads the schema, and asks the nodes again whether they have built indexes that they had built before. */
  reload(keyspace: string): Promise<void> {
    this.#builds.forget(keyspace);
    return this.load(keyspace);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#following;
    await this.#followingNodes;
    await this.#followingLacking;
    await this.#loaded;
  }

  async #load(wanted: string | undefined): Promise<void> {
    const before = this.#known ?? new Map<string, KnownKeyspace>();
    const keyspace = this.#known === undefined ? undefined : wanted;
    const { rows, isOfMost } = await this.#read(keyspace).catch((error: unknown) => {
      throw readFailure(error);
    });
    this.#isOfMost = isOfMost;
    if (!isOfMost) this.#note(keyspace);
    const nextVersion = () => {
      this.#lastVersion += 1;
      return this.#lastVersion;
    };
    const read = parseKeyspaces(rows, before, nextVersion, this.#dialect);
    const others = keyspace === undefined ? [] : [...before.values()].filter(({ name }) => name !== keyspace);
    const all = [...others, ...read].sort((left, right) => (left.name < right.name ? -1 : 1));
    this.#known = new Map(all.map((each) => [each.name, each]));
    this.#schema = schemaOf(all);
    this.#onLoad?.(all);
    if (this.#incomplete().size > 0)
      this.#followingNodes ??= this.#loadAgain(() => this.#incomplete(), nodePollMs).finally(() => {
        this.#followingNodes = undefined;
      });
    if (this.#builds.lacking.size > 0)
      this.#followingLacking ??= this.#loadAgain(() => this.#builds.lacking, lackingPollMs).finally(() => {
        this.#followingLacking = undefined;
      });
  }

  async #read(
    keyspace: string | undefined,
  ): Promise<{ readonly rows: SchemaRows; readonly isOfMost: boolean }> {
    const { rows, isOfMost } = await readSchemaRows(this.#session, keyspace);
    const indexes = await this.#builds.marked(rows, keyspace);
    return { rows: { ...rows, indexes, ...(await this.#settings.read(rows, keyspace)) }, isOfMost };
  }

  /** Keyspaces with an index that nodes are still building, or with settings that they did not answer for. */
  #incomplete(): ReadonlySet<string> {
    return new Set([...this.#builds.unbuilt, ...this.#settings.unread]);
  }

  /** Reads some keyspaces until there are none. */
  async #loadAgain(
    keyspaces: () => ReadonlySet<string>,
    { first, most }: { readonly first: number; readonly most: number },
  ): Promise<void> {
    for (let pauseMs = first; keyspaces().size > 0; ) {
      try {
        await pause(pauseMs, undefined, { ref: false, signal: this.#ending.signal });
        for (const keyspace of [...keyspaces()]) await this.load(keyspace);
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        if (!(error instanceof EngineError)) throw error; // nodes that do not answer now are asked again
      }
      pauseMs = Math.min(2 * pauseMs, most);
    }
  }

  #note(keyspace: string | undefined): void {
    this.#changed.add(keyspace);
    this.#following ??= this.#follow().finally(() => {
      this.#following = undefined;
    });
  }

  /** Reads what has changed, until nothing more has and all nodes have the same schema. */
  async #follow(): Promise<void> {
    for (let tries = 0; this.#changed.size > 0 && tries < mostTries; ) {
      const wanted = this.#changed;
      const pauseMs = Math.min(followPauseMs.first * 2 ** tries, followPauseMs.most);
      tries += 1;
      try {
        await pause(pauseMs, undefined, { ref: false, signal: this.#ending.signal });
        this.#changed = new Set();
        // Asked first: a node that gets the change between the load and the question was read without it.
        const isAgreed = await this.#session.isInAgreement();
        for (const keyspace of wanted.has(undefined) ? [undefined] : wanted) await this.load(keyspace);
        if (isAgreed) {
          tries = 0;
          continue;
        }
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        if (!(error instanceof EngineError || error instanceof CassandraFailure)) throw error;
        if (tries === mostTries) this.#onWarning(new Error('the schema could not be read', { cause: error }));
      }
      this.#changed = new Set([...this.#changed, ...wanted]);
    }
  }
}
