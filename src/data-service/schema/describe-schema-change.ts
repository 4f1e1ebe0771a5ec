// Changes of the schema in words.
import type { UserTypeDefinition } from '../column-types/column-type.js';
import type { Schema } from './keyspace.js';
import type { SchemaChange } from './schema-change.js';

/** Whether the change leaves a schema as it is: it creates a keyspace that exists, or drops one that does not. */
export function changesNothing(change: SchemaChange, { keyspaces }: Schema): boolean {
  switch (change.kind) {
    case 'createKeyspace':
      return keyspaces.has(change.name);
    case 'dropKeyspace':
      return !keyspaces.has(change.name);
    case 'createTable':
    case 'dropTable':
    case 'addColumns':
    case 'dropColumns':
    case 'createIndex':
    case 'dropIndex':
    case 'changeEmbeddingServices':
    case 'createType':
    case 'alterType':
    case 'dropType':
      return false;
  }
}

/** The change in the past tense, for events: `created the table ks.t`. */
export function describeSchemaChange(change: SchemaChange): string {
  switch (change.kind) {
    case 'createKeyspace':
      return `created the keyspace ${change.name}`;
    case 'dropKeyspace':
      return `dropped the keyspace ${change.name}`;
    case 'createTable':
      return `created the table ${change.keyspace}.${change.definition.name}`;
    case 'dropTable':
      return `dropped the table ${nameOf(change.table)}`;
    case 'addColumns':
      return `added ${namesOf(change.columns)} to the table ${nameOf(change.table)}`;
    case 'dropColumns':
      return `dropped ${namesOf(change.columns)} from the table ${nameOf(change.table)}`;
    case 'createIndex':
      return `created the index ${change.index.name} on the table ${nameOf(change.table)}`;
    case 'dropIndex':
      return `dropped the index ${change.index.name} from the table ${nameOf(change.table)}`;
    case 'changeEmbeddingServices':
      return `changed the services of ${namesOf([...change.services.keys()])} of the table ${nameOf(change.table)}`;
    case 'createType':
      return `created the type ${typeName(change.type)}`;
    case 'alterType':
      return `changed the type ${typeName(change.after)}`;
    case 'dropType':
      return `dropped the type ${typeName(change.type)}`;
  }
}

function typeName({ keyspace, name }: UserTypeDefinition): string {
  return `${keyspace}.${name}`;
}

function nameOf({ keyspace, name }: { readonly keyspace: string; readonly name: string }): string {
  return `${keyspace}.${name}`;
}

function namesOf(columns: readonly { readonly name: string }[]): string {
  const names = columns.map(({ name }) => name).join(', ');
  return `the ${columns.length === 1 ? 'column' : 'columns'} ${names}`;
}
