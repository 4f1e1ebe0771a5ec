// Converts statements about user-defined types and indexes to changes of the schema.
import { firstRepeated } from '../../foundation/first-repeated.js';
import { labelOf, type UserTypeField } from '../column-types/column-type.js';
import { columnTypeNamed } from '../column-types/registry.js';
import { exactText } from '../column-types/text-fold.js';
import { NativeQueryRefused } from '../engine/native-result.js';
import { listed } from '../errors/error-entry.js';
import { indexedPart, planIndex, refuseUnindexable } from '../query/indexed-part.js';
import { checkNewColumnName, checkNewName } from '../schema/identifier.js';
import { indexNamed, type Keyspace, tablesWithUserType } from '../schema/keyspace.js';
import { changedUserType, refuseTooManyFields } from '../schema/parse-user-type.js';
import type { SchemaChange } from '../schema/schema-change.js';
import type { Table } from '../schema/table.js';
import type { StatedField, Statement } from './statement.js';

type Of<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>;

/** Null if the type exists and IF NOT EXISTS is given. @throws NativeQueryRefused, ApiError */
export function planCreateType(
  { target: { table: name }, ifNotExists, fields: stated }: Of<'createType'>,
  keyspace: Keyspace,
): SchemaChange | null {
  checkNewName('user-defined type', name);
  const fields = fieldsOf(stated);
  const twice = firstRepeated(fields.map((field) => field.name));
  if (twice !== undefined) throw new NativeQueryRefused(`the field ${twice} is named twice`);
  refuseTooManyFields('CREATE TYPE', fields);
  if (!keyspace.userTypes.has(name))
    return { kind: 'createType', type: { keyspace: keyspace.name, name, fields } };
  if (ifNotExists) return null;
  throw new NativeQueryRefused(`the type ${keyspace.name}.${name} already exists`);
}

/** Null if the type does not exist and IF EXISTS is given. @throws NativeQueryRefused, ApiError */
export function planAlterType(statement: Of<'alterType'>, keyspace: Keyspace): SchemaChange | null {
  const { target, ifExists, added, renames } = statement;
  const before = keyspace.userTypes.get(target.table);
  if (before === undefined) return missingType(target.table, ifExists, keyspace);
  for (const [, name] of renames) checkNewColumnName(name);
  const after = changedUserType(before, renames, fieldsOf(added));
  refuseTooManyFields('ALTER TYPE', after.fields);
  return { kind: 'alterType', before, after };
}

/** Null if the type does not exist and IF EXISTS is given. @throws NativeQueryRefused */
export function planDropType({ target, ifExists }: Of<'dropType'>, keyspace: Keyspace): SchemaChange | null {
  const type = keyspace.userTypes.get(target.table);
  if (type === undefined) return missingType(target.table, ifExists, keyspace);
  const using = tablesWithUserType(keyspace, type.name).map(({ name }) => name);
  if (using.length === 0) return { kind: 'dropType', type };
  throw new NativeQueryRefused(`the type ${type.name} is used by the tables ${listed(using)}`);
}

/** Null if the index exists and IF NOT EXISTS is given. @throws NativeQueryRefused, ApiError */
export function planCreateIndex(
  { name: given, column: columnName, part, ifNotExists }: Of<'createIndex'>,
  place: { readonly keyspace: Keyspace; readonly table: Table },
): SchemaChange | null {
  const { table } = place;
  const name = given ?? `${table.name}_${columnName}_idx`;
  checkNewName('index', name);
  const column = table.columnsByName.get(columnName);
  if (column === undefined) {
    const columns = listed(table.columns.map((each) => each.name));
    throw new NativeQueryRefused(`there is no column ${columnName}; the table has ${columns}`);
  }
  const indexed = indexedPart(column, part);
  if (part !== undefined && indexed.part !== part && !(part === 'values' && indexed.part === 'elements'))
    throw new NativeQueryRefused(`the column ${column.name} (${labelOf(column.type)}) has no ${part}`);
  refuseUnindexable(indexed, table);
  const fold = indexed.part === undefined && column.type.traits.text ? exactText : null;
  return planIndex({ name, indexed, fold, ifNotExists }, place);
}

/** Null if the index does not exist and IF EXISTS is given. @throws NativeQueryRefused */
export function planDropIndex(
  { target: { table: name }, ifExists }: Of<'dropIndex'>,
  keyspace: Keyspace,
): SchemaChange | null {
  const found = indexNamed(keyspace, name);
  if (found !== undefined) return { kind: 'dropIndex', ...found };
  if (ifExists) return null;
  throw new NativeQueryRefused(`there is no index ${keyspace.name}.${name}`);
}

function missingType(name: string, ifExists: boolean, { name: keyspace, userTypes }: Keyspace): null {
  if (ifExists) return null;
  const there = userTypes.size === 0 ? 'it has no types' : `its types are: ${listed([...userTypes.keys()])}`;
  throw new NativeQueryRefused(`there is no type ${keyspace}.${name}; ${there}`);
}

function fieldsOf(stated: readonly StatedField[]): readonly UserTypeField[] {
  return stated.map(({ name, type: typeIn }) => {
    checkNewColumnName(name);
    const type = typeIn(new Map());
    if (columnTypeNamed(type.name) !== undefined && type.add === undefined) return { name, type };
    throw new NativeQueryRefused(`the field ${name} must have a scalar type, not ${labelOf(type)}`);
  });
}
