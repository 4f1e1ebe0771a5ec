// Changes of user-defined types: checks against the present ones, and statements one after another.
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import type { UserTypeDefinition } from '../../../column-types/column-type.js';
import { columnTypeNamed } from '../../../column-types/registry.js';
import { userTypesIn } from '../../../column-types/replace-user-type.js';
import { userDefinedOf } from '../../../column-types/user-types.js';
import type { ColumnDefinition } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import type { KnownKeyspace } from './known-schema.js';

/** Types of Cassandra that no column of commands has by its name alone. */
const otherTypeWords: ReadonlySet<string> = new Set([
  'list',
  'set',
  'map',
  'frozen',
  'tuple',
  'vector',
  'empty',
]);

/**
 * A node writes the names of types into its schema without the keyspace: it would read another type there.
 * @throws EngineError `refused` for the name of a type that Cassandra has
 */
export function refuseTypeName(name: string): void {
  if (columnTypeNamed(name) === undefined && !otherTypeWords.has(name)) return;
  throw new EngineError('refused', `Cassandra has a type ${name} of its own; use another name`);
}

/** @throws EngineError `schemaChanged` for a type that was changed or dropped since it was planned */
export function refuseOtherType(keyspace: KnownKeyspace | undefined, type: UserTypeDefinition): void {
  const present = keyspace?.userTypes.get(type.name);
  const isSame = present !== undefined && userDefinedOf(present).name === userDefinedOf(type).name;
  if (!isSame) throw new EngineError('schemaChanged', `the type ${type.name} is gone or changed`);
}

/** Refuses columns whose types are gone or changed. @throws EngineError `schemaChanged` */
export function refuseOtherTypes(
  keyspace: KnownKeyspace | undefined,
  columns: readonly ColumnDefinition[],
): void {
  for (const type of columns.flatMap((column) => userTypesIn(column.type))) refuseOtherType(keyspace, type);
}

/**
 * Runs the statements of one change. Behind a first one that was made, the plan must not be made again.
 * @throws EngineError `writeFailed` where a later one is refused, and as `run` does
 */
export async function runInOrder(
  statements: readonly string[],
  run: (statement: string) => Promise<void>,
): Promise<void> {
  for (const [at, statement] of statements.entries()) {
    try {
      await run(statement);
    } catch (error) {
      if (at === 0 || !(error instanceof CassandraFailure) || error.kind !== 'refused') throw error;
      throw new EngineError('writeFailed', `only a part of the change is made: ${error.message}`, error);
    }
  }
}
