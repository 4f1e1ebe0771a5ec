// The table of a collection in CQL: the names of its columns, the columns that only this engine sees, and its indexes.
import { type Collection, collectionTable, isCollection } from '../../../schema/collection.js';
import type { CollectionSettings } from '../../../schema/collection-settings.js';
import { makeTable, type Table, type TableDefinition } from '../../../schema/table.js';
import { quotedName, quotedTable } from '../cql-names.js';
import type { OtherName } from '../schema/engine-state.js';
import { createIndexStatement } from '../schema/index-statement.js';
import { stableId } from '../schema/stable-id.js';
import { vectorLimits } from '../vector-limits.js';
import { termsColumn } from './document-terms.js';

/** Cassandra has indexes only on columns whose names have letters, digits and underscores. */
function cqlNameIn(name: string): string {
  return name.replace(/^\$/, '');
}

/**
 * Columns beside those of documents:
 * - `version`: another one after each write; writes have the condition that it is the one that they read.
 * - `former`: the versions before it, the newest first, by which a write of unknown outcome is found out.
 * - `born`: the version of the insert, by which an insert of unknown outcome is found out. It says whether a node may
 *   still carry out another insert of the document (`isRepeated`): then a row without a document stays behind a delete.
 * - `terms`: by which filters find the document, see `entry-terms.ts`; it has an index.
 */
const hiddenColumns = {
  version: 'uuid',
  former: 'frozen<list<uuid>>',
  born: 'uuid',
  [termsColumn]: 'set<int>',
} as const;

export function termsIndexName(collection: string): string {
  return `${collection}_query_terms_value`;
}

/** A collection as all layers see it, whose columns know their names in CQL. */
export function collectionNamed(
  identity: Pick<Table, 'id' | 'version' | 'keyspace'>,
  name: string,
  settings: CollectionSettings,
): Collection {
  const definition = collectionTable(name, settings);
  const columns = definition.columns.map((column) =>
    column.type.vector === undefined ? column : { ...column, vectorLimits },
  );
  const places = columns.map((column) => {
    const engineState: OtherName = { cqlName: cqlNameIn(column.name) };
    return { id: stableId(column.name), engineState };
  });
  const table = makeTable(identity, { ...definition, columns }, places);
  if (!isCollection(table)) throw new TypeError(`the table ${name} has no settings of a collection`);
  return table;
}

/** What stands between the parentheses of the statement that makes the table of a collection. */
export function collectionMembers({ columns, partitionKey }: TableDefinition): readonly string[] {
  const own = columns.map(({ name, type }) => `${quotedName(cqlNameIn(name))} ${type.cql.type}`);
  const hidden = Object.entries(hiddenColumns).map(([name, type]) => `${quotedName(name)} ${type}`);
  return [...own, ...hidden, `PRIMARY KEY (${partitionKey.map(quotedName).join(', ')})`];
}

/**
 * The statements that make the indexes of a collection, unless they are there, by the names of the indexes. Cassandra
 * has no index of words: texts are compared by the server.
 */
export function indexStatements(collection: Collection): ReadonlyMap<string, string> {
  return new Map(
    collection.indexes.flatMap((index) =>
      index.kind === 'text'
        ? []
        : [[index.name, createIndexStatement(collection, index, 'IF NOT EXISTS ')] as const],
    ),
  ).set(termsIndexName(collection.name), termsIndexStatement(collection));
}

function termsIndexStatement(collection: Collection): string {
  const name = quotedName(termsIndexName(collection.name));
  const target = `${quotedTable(collection)} (values(${quotedName(termsColumn)}))`;
  return `CREATE CUSTOM INDEX IF NOT EXISTS ${name} ON ${target} USING 'StorageAttachedIndex'`;
}
