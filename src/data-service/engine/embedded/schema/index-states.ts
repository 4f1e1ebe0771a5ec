// The states of what is built in steps: an index, or the entries of documents, begins to be built and is built.
import {
  type ContainerIndex,
  type Table,
  type TableIndex,
  type TextIndex,
  withIndexes,
} from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { entriesOf, withEntries } from '../file/engine-state.js';
import { isBuiltInSteps } from '../statements/build-steps.js';
import { beginEntriesStatements, endEntriesStatement } from '../statements/entry-statements.js';
import { builtIndexStatements, emptiedIndexStatements } from '../statements/index-statements.js';
import { countUp } from '../statements/schema-lines.js';
import type { WriteStatement } from '../statements/write-statements.js';

/**
 * Works out a change of the present table, which is undefined if it is gone; undefined if nothing is to be changed.
 * `takeId` returns an id that no table and no entries have. @throws EngineError `schemaChanged`
 */
export type StateChange = (
  table: Table | undefined,
  takeId: () => number,
) => { readonly after: Table; readonly statements: readonly WriteStatement[] } | undefined;

/**
 * A text or container index has all rows: the one that was built. Nothing is changed if another one has its place, or
 * if it was emptied meanwhile.
 */
export function builtIndex(built: TextIndex | ContainerIndex): StateChange {
  return (table) => {
    const index = table?.indexes.find((each) => each.name === built.name);
    if (table === undefined || index === undefined || !isBuiltInSteps(index))
      throw gone(`the index ${built.name}`);
    if (index !== built) return undefined;
    const { isBuilding: _, ...complete } = index;
    const after = withIndex(table, index, complete);
    return { after, statements: builtIndexStatements(after, complete) };
  };
}

/** A text or container index is empty and has another id, to be built again. */
export function emptiedIndex(name: string): StateChange {
  return (table) => {
    const index = table?.indexes.find((each) => each.name === name);
    if (table === undefined || index === undefined || !isBuiltInSteps(index)) throw gone(`the index ${name}`);
    const unbuilt = { ...index, id: newIndexId(table), isBuilding: true };
    const after = withIndex(table, index, unbuilt);
    return { after, statements: emptiedIndexStatements(after, index, unbuilt) };
  };
}

/**
 * Each change of indexes creates a new version, so no id is used twice and no data of an old index can be taken for
 * that of a new one.
 */
export function newIndexId({ version, indexes }: Table): number {
  return Math.max(version, ...indexes.map(({ id }) => id)) + 1;
}

/** The documents of a collection have no index entries, which are to be built again. */
export const emptiedEntries: StateChange = (table, takeId) => {
  if (table === undefined) throw gone('the collection');
  const id = takeId();
  const after = withEntries(table, { id, isBuilding: true });
  return { after, statements: [...beginEntriesStatements(after), countUp(id)] };
};

/** All documents of a collection have their index entries, those with an id: nothing is changed if others are there. */
export function builtEntries(id: number): StateChange {
  return (table) => {
    if (table === undefined) throw gone('the collection');
    const entries = entriesOf(table);
    if (entries?.isBuilding !== true || entries.id !== id) return undefined;
    const after = withEntries(table, { id, isBuilding: false });
    return { after, statements: [endEntriesStatement(after)] };
  };
}

function withIndex(table: Table, index: TableIndex, by: TableIndex): Table {
  return withIndexes(
    table,
    table.indexes.map((each) => (each === index ? by : each)),
  );
}

function gone(what: string): EngineError {
  return new EngineError('schemaChanged', `${what} is gone`);
}
