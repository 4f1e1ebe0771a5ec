// Converts a statement to a plan for the engine, with the schema.

import { NativeQueryRefused } from '../engine/native-result.js';
import { listed } from '../errors/error-entry.js';
import type { ReadPlan } from '../query/read.js';
import type { ChangePlan, DeletePlan, InsertPlan } from '../query/write.js';
import { isCollection, plainTables } from '../schema/collection.js';
import type { Keyspace, Schema } from '../schema/keyspace.js';
import type { SchemaChange } from '../schema/schema-change.js';
import type { Table } from '../schema/table.js';
import { planDelete, planInsert, planSelect, planUpdate } from './plan-row-statement.js';
import {
  planAlterType,
  planCreateIndex,
  planCreateType,
  planDropIndex,
  planDropType,
} from './plan-schema-change.js';
import { planAddColumns, planCreateTable, planDropColumns } from './plan-table-change.js';
import type { Statement } from './statement.js';

/** A plan that commands also make. */
export type NativePlan =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'changeSchema'; readonly change: SchemaChange }
  | { readonly kind: 'insertRow'; readonly insert: InsertPlan }
  | { readonly kind: 'changeRow'; readonly change: ChangePlan }
  | { readonly kind: 'deleteRows'; readonly deletion: DeletePlan }
  /** `isLimited`: the statement has a LIMIT, so it may return fewer rows than there are. */
  | { readonly kind: 'readRows'; readonly read: ReadPlan; readonly isLimited: boolean };

const nothing: NativePlan = { kind: 'nothing' };

/** @throws NativeQueryRefused, ApiError */
export function planStatement(statement: Statement, schema: Schema): NativePlan {
  switch (statement.kind) {
    case 'createTable':
      return schemaPlan(planCreateTable(statement, keyspaceOf(statement, schema)));
    case 'createType':
      return schemaPlan(planCreateType(statement, keyspaceOf(statement, schema)));
    case 'alterType':
      return schemaPlan(planAlterType(statement, keyspaceOf(statement, schema)));
    case 'dropType':
      return schemaPlan(planDropType(statement, keyspaceOf(statement, schema)));
    case 'dropIndex':
      return schemaPlan(planDropIndex(statement, keyspaceOf(statement, schema)));
    default:
      return planWithTable(statement, schema);
  }
}

type KeyspaceStatement = 'createTable' | 'createType' | 'alterType' | 'dropType' | 'dropIndex';
type TableStatement = Exclude<Statement, { kind: KeyspaceStatement }>;

function planWithTable(statement: TableStatement, schema: Schema): NativePlan {
  const { target } = statement;
  const keyspace = schema.keyspaces.get(target.keyspace);
  const table = keyspace?.tables.get(target.table);
  if (keyspace !== undefined && table !== undefined && !isCollection(table))
    return planOn(statement, { keyspace, table });
  if ('ifExists' in statement && statement.ifExists) return nothing;
  throw unknownTable(statement, keyspaceOf(statement, schema));
}

function planOn(
  statement: TableStatement,
  place: { readonly keyspace: Keyspace; readonly table: Table },
): NativePlan {
  const { table } = place;
  switch (statement.kind) {
    case 'addColumns':
      return schemaPlan(planAddColumns(statement, table, place.keyspace));
    case 'dropColumns':
      return schemaPlan(planDropColumns(statement, table));
    case 'dropTable':
      return schemaPlan({ kind: 'dropTable', table });
    case 'createIndex':
      return schemaPlan(planCreateIndex(statement, place));
    case 'insert':
      return { kind: 'insertRow', insert: planInsert(statement, table) };
    case 'update':
      return { kind: 'changeRow', change: planUpdate(statement, table) };
    case 'delete': {
      const plan = planDelete(statement, table);
      return 'filter' in plan ? { kind: 'deleteRows', deletion: plan } : { kind: 'changeRow', change: plan };
    }
    case 'select':
      return {
        kind: 'readRows',
        read: planSelect(statement, table),
        isLimited: statement.limit !== undefined,
      };
  }
}

function schemaPlan(change: SchemaChange | null): NativePlan {
  return change === null ? nothing : { kind: 'changeSchema', change };
}

function keyspaceOf({ target }: Statement, { keyspaces }: Schema): Keyspace {
  const keyspace = keyspaces.get(target.keyspace);
  if (keyspace !== undefined) return keyspace;
  throw new NativeQueryRefused(
    `there is no keyspace ${target.keyspace}; there are: ${listed([...keyspaces.keys()])}`,
  );
}

function unknownTable({ target: { keyspace, table } }: Statement, found: Keyspace): NativeQueryRefused {
  const existing = plainTables(found).map(({ name }) => name);
  const there =
    existing.length === 0
      ? `${keyspace} has no tables`
      : `the tables of ${keyspace} are: ${listed(existing)}`;
  return new NativeQueryRefused(`there is no table ${keyspace}.${table}; ${there}`);
}
