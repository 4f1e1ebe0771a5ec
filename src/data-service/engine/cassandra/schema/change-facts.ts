// What is known of a change of the schema before it is made.
import { isCollection } from '../../../schema/collection.js';
import { equalSettings } from '../../../schema/describe-collection.js';
import type { SchemaChange } from '../../../schema/schema-change.js';
import type { Table, TableDefinition } from '../../../schema/table.js';
import type { ChangeOfTables } from './changes-under-way.js';
import type { TableChange } from './ddl-statements.js';

/** The keyspace that a change is made in. */
export function keyspaceOf(change: SchemaChange): string {
  switch (change.kind) {
    case 'createKeyspace':
    case 'dropKeyspace':
      return change.name;
    case 'createTable':
      return change.keyspace;
    case 'createType':
    case 'dropType':
      return change.type.keyspace;
    case 'alterType':
      return change.after.keyspace;
    case 'dropTable':
    case 'addColumns':
    case 'createIndex':
    case 'dropIndex':
    case 'changeEmbeddingServices':
    case 'dropColumns':
      return change.table.keyspace;
  }
}

/** The statements that a change of a table blocks. */
export function blockedBy({ kind }: TableChange): ChangeOfTables['blocks'] {
  switch (kind) {
    case 'dropIndex':
      // 5.0 finds no rows by an index that it is dropping, and reports no failure. A read that is under way then
      // deletes the files of the index when it ends, also those of the next index of this name: see decision 0129.
      return 'reads';
    case 'dropTable':
    // Nobody knows whether a write took effect that a node gets behind the drop of its table.
    case 'dropColumns':
    // A node that stores a value behind the drop of its column fails reads of the table.
    case 'changeEmbeddingServices':
      // Texts must not become vectors by the former service.
      return 'writes';
    default:
      return undefined;
  }
}

/**
 * Whether the table is that of the definition: one that others made under its name may be another one. Nodes call
 * `varchar` by its other name.
 */
export function isMadeOf(table: Table, definition: TableDefinition): boolean {
  const { columns, partitionKey, clustering, collection } = definition;
  if (collection !== undefined || table.collection !== undefined)
    return collection !== undefined && isCollection(table) && equalSettings(table.collection, collection);
  const shown = (all: readonly { readonly name: string; readonly type: { readonly name: string } }[]) =>
    all
      .map(({ name, type }) => `${name} ${type.name.replaceAll(' ', '').replaceAll(/\bvarchar\b/g, 'text')}`)
      .sort()
      .join();
  const key = [...partitionKey, ...clustering.map(({ name, direction }) => `${name} ${direction}`)].join();
  const ownKey = [
    ...table.partitionKey.map(({ name }) => name),
    ...table.clustering.map(({ column, direction }) => `${column.name} ${direction}`),
  ].join();
  return key === ownKey && shown(columns) === shown(table.columns);
}
