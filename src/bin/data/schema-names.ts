// The names of a schema, for the operations service.
import type { Schema } from '../../data-service/schema/keyspace.js';
import type { SchemaNames } from '../../ops-service/clusters/schema-news.js';

/** The names of all keyspaces, tables and collections. */
export function schemaNames({ keyspaces }: Schema): SchemaNames {
  const tables = [...keyspaces.values()].flatMap(({ name, tables }) =>
    [...tables.keys()].map((table) => `${name}.${table}`),
  );
  return { keyspaces: [...keyspaces.keys()], tables };
}
