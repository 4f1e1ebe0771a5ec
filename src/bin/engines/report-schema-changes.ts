// Reports every completed change of the schema to the operations service.
import type { Engine } from '../../data-service/engine/engine.js';
import type { NativeResult, RunNative } from '../../data-service/engine/native-result.js';
import { changesNothing, describeSchemaChange } from '../../data-service/schema/describe-schema-change.js';
import type { Schema } from '../../data-service/schema/keyspace.js';
import type { SchemaChange } from '../../data-service/schema/schema-change.js';
import type { SchemaNames, SchemaNews } from '../../ops-service/clusters/schema-news.js';
import type { Caller } from '../../ops-service/events/event.js';

/**
 * A wrapper of the engine that calls `report` after each change. An error of `report` is a bug and fails the command.
 */
export function reportSchemaChanges(engine: Engine, report: (news: SchemaNews) => void): Engine {
  const { runNative } = engine;
  return {
    ...engine,
    changeSchema: async (change) => {
      const before = await engine.readSchema();
      await engine.changeSchema(change);
      if (changesNothing(change, before)) return;
      const sender = senders.get(change);
      const names = schemaNames(await engine.readSchema());
      report({
        message: describeSchemaChange(change),
        ...names,
        ...(sender === undefined ? {} : { sender }),
      });
    },
    ...(runNative === undefined
      ? {}
      : { runNative: (query) => reportNative(query, runNative, engine, report) }),
  };
}

/** Who sent the changes that the operations port passed on. */
const senders = new WeakMap<SchemaChange, Caller>();

/** A view of the engine for the commands of one sender: the reports of changes name who it is. */
export function withSender(engine: Engine, sender: Caller): Engine {
  return {
    ...engine,
    changeSchema: (change) => {
      senders.set(change, sender);
      return engine.changeSchema(change);
    },
  };
}

/** An engine with a language of its own changes its schema by statements, too. */
async function reportNative(
  query: string,
  runNative: RunNative,
  engine: Engine,
  report: (news: SchemaNews) => void,
): Promise<NativeResult> {
  const before = await engine.readSchema();
  const result = await runNative(query);
  if (result.columns.length > 0) return result; // of a read
  const after = await engine.readSchema();
  if (!hasSameTables(before, after))
    report({ message: 'changed the schema by a native query', ...schemaNames(after) });
  return result;
}

/** A table that has changed is another object. */
function hasSameTables(before: Schema, after: Schema): boolean {
  const present = [...after.keyspaces.values()];
  return (
    before.keyspaces.size === present.length &&
    present.every(({ name, tables }) => {
      const known = before.keyspaces.get(name)?.tables;
      return known?.size === tables.size && [...tables].every(([table, one]) => known.get(table) === one);
    })
  );
}

/** The names of all keyspaces, tables and indexes. */
export function schemaNames({ keyspaces }: Schema): SchemaNames {
  const tables = [...keyspaces.values()].flatMap(({ name, tables }) =>
    [...tables.keys()].map((table) => `${name}.${table}`),
  );
  return { keyspaces: [...keyspaces.keys()], tables };
}
