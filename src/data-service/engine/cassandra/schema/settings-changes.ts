// Stores the settings of changes of tables, so that servers that change them at the same time keep each other's.
import { setTimeout as pause } from 'node:timers/promises';
import type { CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import type { Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { writeFailure } from '../engine-failure.js';
import {
  type ChangeOf,
  isOfSettingsAlone,
  placeStatement,
  probeStatement,
  settingsBehind,
  type TableChange,
} from './ddl-statements.js';
import type { KnownTable } from './known-schema.js';
import { readColumns, readNames, readPlace } from './schema-rows.js';
import {
  createSettingsTableStatement,
  forgetSettings,
  isSettingsTable,
  readLatestSettings,
  type SettingsOwner,
  type SettingsRow,
  settingsTableName,
  storeSettings,
} from './settings-table.js';
import { stableId } from './stable-id.js';
import {
  describeSettings,
  placeWithVersion,
  readSettings,
  type SettingsPlace,
  settingsKey,
  type TableSettings,
  versionIn,
} from './table-settings.js';

/** Attempts to store the settings of a table while others store theirs, and the pause behind the first one. */
const mostAttempts = 20;
const pauseMs = 10;
/** The pause behind an attempt where a node lacks the table of settings, which another server has just made. */
const lackingPauseMs = 500;
/**
 * Attempts of a read that failed on the nodes which the asked one asked: the failure does not say whether they lack the
 * table, which takes half a second, or whether they cannot read it.
 */
const mostFailedReads = 4;

/** What settings are stored with. */
export interface SettingsTools {
  /** Has the rights of the user whose change it is. */
  readonly session: CqlSession;
  /** Has the rights of the server, which stores settings of all users. */
  readonly observer: CqlSession;
  /** Runs a change of the schema in `session`. */
  readonly run: (keyspace: string, statement: string) => Promise<void>;
  /** Called when settings are stored. */
  readonly onStored: (keyspace: string) => void;
}

interface Found {
  readonly owner: SettingsOwner;
  readonly place: SettingsPlace;
  readonly row: SettingsRow | undefined;
  /** The table of settings in the keyspace. `otherTable`: one of its name has other columns. */
  readonly settingsTable: 'present' | 'missing' | 'otherTable';
}

/** The settings that the changes of one user store. */
export class SettingsChanges {
  readonly #tools: SettingsTools;

  constructor(tools: SettingsTools) {
    this.#tools = tools;
  }

  /**
   * Stores the settings of a change, if it changes any.
   * @throws EngineError `schemaChanged` where the table is gone or has what is to be added, `refused` where they cannot
   * be stored, `writeFailed`; CassandraFailure
   */
  async store(change: TableChange): Promise<void> {
    if (change.kind === 'dropTable') return;
    let isPrepared = false;
    await this.#untilStored(change.table, async (found, mayBeOwn) => {
      const before = readSettings(found.place);
      if (isStored(change, before)) {
        // Nothing else shows that another server made it at the same time.
        if (!mayBeOwn && change.kind === 'createIndex' && change.index.kind === 'text')
          throw indexExists(change);
        return undefined;
      }
      const missing = await this.#missing(change, before);
      const settings = missing === undefined ? undefined : settingsBehind(missing, before);
      if (settings === undefined) return undefined;
      if (found.settingsTable === 'otherTable') {
        refuseUnstored(change, before, settings);
        return undefined;
      }
      if (!isPrepared) await this.#prepare(change.table, found);
      isPrepared = true;
      return settings;
    });
  }

  /**
   * Stores the settings of what was added again, as they are, under the next version. Another server may have been
   * about to add something of the same name: what it stores behind this is compared with this version, and so refused.
   * @throws EngineError `writeFailed` where it stored its own before
   */
  async confirm(change: TableChange): Promise<void> {
    const isAdded =
      change.kind === 'createIndex' ? change.index.kind === 'vector' : change.kind === 'addColumns';
    if (!isAdded) return;
    await this.#untilStored(change.table, async (found) => {
      const before = readSettings(found.place);
      if (found.row === undefined) return undefined;
      if (isStored(change, before)) return before;
      const problem = 'the change was made, but another server changed the same settings at the same time';
      throw new EngineError('writeFailed', problem);
    });
  }

  /**
   * Stores the settings that `next` makes of those that are found, again where another server was faster. `next`
   * resolves to undefined if nothing is to be stored. `mayBeOwn`: it is not known whether an attempt before stored what
   * is found.
   */
  async #untilStored(
    table: Table,
    next: (found: Found, mayBeOwn: boolean) => Promise<TableSettings | undefined>,
  ): Promise<void> {
    let mayBeOwn = false;
    for (let attempts = 0; attempts < mostAttempts; attempts += 1) {
      const found = await this.#find(table);
      const settings = await next(found, mayBeOwn);
      if (settings === undefined) return;
      const outcome = await this.#tryToStore(found, settings, attempts);
      if (outcome === true) return;
      mayBeOwn ||= outcome === 'unknown';
      await pause(pauseMs * attempts);
    }
    const problem = `other servers change the settings of the table ${table.name} all the time`;
    throw new EngineError('writeFailed', problem);
  }

  /**
   * The change as far as its settings are still wanted: while a server was paused, others may have added what it is to
   * add, or added again what it dropped. Undefined: nothing of it. The schema is read behind the settings, so that what
   * others store meanwhile has another version.
   */
  async #missing(change: TableChange, { textIndexes }: TableSettings): Promise<TableChange | undefined> {
    const { session } = this.#tools;
    switch (change.kind) {
      case 'addColumns': {
        const present = await readNames(session, 'columns', change.table);
        const taken = change.columns.find(({ name }) => present.has(name));
        if (taken !== undefined) throw new EngineError('schemaChanged', `the column ${taken.name} exists`);
        return change;
      }
      case 'createIndex': {
        const { name, kind, column } = change.index;
        // Another client can drop the column of a text index, whose settings then have no effect.
        const ofName = textIndexes.get(name)?.column;
        const isTaken = ofName !== undefined && change.table.columnsByName.has(ofName);
        const isSecond =
          kind === 'text' && [...textIndexes.values()].some((each) => each.column === column.name);
        if (isTaken || isSecond || (await readNames(session, 'indexes', change.table)).has(name))
          throw indexExists(change);
        return change;
      }
      case 'dropColumns': {
        const present = await readNames(session, 'columns', change.table);
        const columns = change.columns.filter(({ name }) => !present.has(name));
        return columns.length === 0 ? undefined : { ...change, columns };
      }
      case 'dropIndex': {
        const isBack = (await readNames(session, 'indexes', change.table)).has(change.index.name);
        return isBack ? undefined : change;
      }
      case 'dropTable':
      case 'changeEmbeddingServices':
        return change;
    }
  }

  /** Deletes the stored settings of a table that was dropped. */
  async forget({ keyspace, name }: Table, { place }: KnownTable): Promise<void> {
    if (place.stored === undefined) return;
    try {
      await forgetSettings(this.#tools.observer, { keyspace, name, made: settingsKey(place) });
    } catch (error) {
      // The table is dropped, and no other table ever reads this row.
      if (!(error instanceof CassandraFailure)) throw error;
    }
  }

  /** Reads the settings, again while nodes lack their table, which others have. */
  async #find(table: Table): Promise<Found> {
    let failedReads = 0;
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await this.#read(table);
      } catch (error) {
        if (error instanceof CassandraFailure && error.kind === 'failed') failedReads += 1;
        else if (!isOfLackingNode(error)) throw error;
        if (failedReads >= mostFailedReads || attempts >= mostAttempts) throw error;
        await pause(lackingPauseMs);
      }
    }
  }

  async #read(table: Table): Promise<Found> {
    const { session, observer } = this.#tools;
    const { keyspace, name } = table;
    const place = await readPlace(session, table);
    if (place === undefined || stableId(place.uuid) !== table.id)
      throw new EngineError('schemaChanged', `the table ${name} is gone`);
    const owner = { keyspace, name, made: settingsKey(place) };
    const settingsTable = await this.#findSettingsTable(keyspace);
    const row = settingsTable === 'present' ? await readLatestSettings(observer, owner) : undefined;
    return { owner, row, settingsTable, place: { ...place, stored: row?.settings } };
  }

  async #findSettingsTable(keyspace: string): Promise<Found['settingsTable']> {
    const columns = await readColumns(this.#tools.observer, { keyspace, name: settingsTableName });
    if (columns.length === 0) return 'missing';
    return isSettingsTable(settingsTableName, columns) ? 'present' : 'otherTable';
  }

  /** The settings are stored with the rights of the server: the user must have the right to change the table. */
  async #prepare(table: Table, { settingsTable }: Found): Promise<void> {
    const { session, observer } = this.#tools;
    if (session !== observer) await session.changeSchema(probeStatement(table));
    if (settingsTable === 'missing')
      await observer.changeSchema(createSettingsTableStatement(table.keyspace));
  }

  /**
   * Where nodes do not say whether they stored them, the next attempt finds it out. Nodes that lack the table of
   * settings store nothing, and the next attempt stores them. `attempts`: those before this one.
   */
  async #tryToStore(
    { owner, row }: Found,
    settings: TableSettings,
    attempts: number,
  ): Promise<boolean | 'unknown'> {
    try {
      const isStored = await storeSettings(this.#tools.observer, owner, row, describeSettings(settings));
      if (isStored) this.#tools.onStored(owner.keyspace);
      return isStored;
    } catch (error) {
      if (isOfLackingNode(error) && attempts < mostAttempts - 1) {
        await pause(lackingPauseMs);
        return false;
      }
      const isUnknown =
        error instanceof CassandraFailure && (error.kind === 'unanswered' || error.kind === 'failed');
      if (!isUnknown || attempts > 0) throw error;
      return 'unknown';
    }
  }

  /** Other servers read the settings when they learn of a change of the schema; some changes make none of their own. */
  async announce(change: TableChange): Promise<void> {
    if (!isOfSettingsAlone(change)) return;
    const { place, row } = await this.#find(change.table);
    if (row === undefined || versionIn(place) === row.version) return;
    const announced = placeWithVersion(place, readSettings(place), row.version);
    await this.#tools.run(change.table.keyspace, placeStatement(change.table, announced));
  }
}

function indexExists({ index: { name, column } }: ChangeOf<'createIndex'>): EngineError {
  return new EngineError(
    'schemaChanged',
    `the index ${name}, or another one on the column ${column.name}, exists`,
  );
}

/** Whether the node that was asked does not have the table, and so neither prepared nor carried the statement out. */
function isOfLackingNode(error: unknown): boolean {
  if (!(error instanceof CassandraFailure)) return false;
  const failure = writeFailure(error);
  return failure instanceof EngineError && failure.kind === 'schemaChanged';
}

/** Whether these settings are those behind the change. */
function isStored(change: TableChange, settings: TableSettings): boolean {
  const behind = settingsBehind(change, settings);
  return behind === undefined || describeSettings(behind) === describeSettings(settings);
}

/**
 * Refuses a change whose settings cannot be stored. The order of columns need not be: without it, new columns come by
 * name. Settings of what is dropped may stay, because a later change that adds its name with others is refused.
 * @throws EngineError `refused` for other changes
 */
function refuseUnstored({ kind, table }: TableChange, before: TableSettings, settings: TableSettings): void {
  if (kind === 'dropColumns' || kind === 'dropIndex') return;
  const { columnOrder } = before;
  if (describeSettings({ ...settings, columnOrder }) === describeSettings(before)) return;
  const problem =
    `the keyspace ${table.keyspace} has another table named ${settingsTableName}, so services of columns, ` +
    'models of indexes and text indexes cannot be stored; leave them out, or drop that table';
  throw new EngineError('refused', problem);
}
