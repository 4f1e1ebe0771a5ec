// Types of the native query language: supported types of columns, and those that are stored as unsupported.
import { nearestName } from '../../foundation/nearest-name.js';
import { type ColumnType, cqlDefinition, type UserTypeDefinition } from '../column-types/column-type.js';
import { listOf, mapOf, setOf } from '../column-types/containers.js';
import { frozenOf } from '../column-types/frozen.js';
import { columnTypeNamed, columnTypes } from '../column-types/registry.js';
import { canBeStatic, staticOf } from '../column-types/static.js';
import { columnTypeOfName } from '../column-types/type-names.js';
import { unsupportedOf } from '../column-types/unsupported.js';
import { userDefinedOf } from '../column-types/user-types.js';
import { maxDimension } from '../column-types/vector.js';
import { NativeQueryRefused } from '../engine/native-result.js';
import { counted } from '../errors/error-entry.js';
import { maxDepth, type TokenReader } from './token-reader.js';

/** The user-defined types of a keyspace, by their names. */
export type UserTypes = ReadonlyMap<string, UserTypeDefinition>;

/** The type that a statement names, with the user-defined types of the keyspace. @throws NativeQueryRefused */
export type StatedType = (userTypes: UserTypes) => ColumnType;

interface TypePlace {
  readonly isInFrozen: boolean;
  readonly userTypes: UserTypes;
}

/** A type as written: a name, with the types or the number in its angle brackets. */
interface TypeExpression {
  readonly name: string;
  readonly isQuoted: boolean;
  readonly parts: readonly TypeExpression[];
}

/** The names that Cassandra allows. */
const typeName = /^\w{1,48}$/;
/** The number of parameters of types; a tuple has any number. */
const partCounts: Readonly<Record<string, number | undefined>> = {
  list: 1,
  set: 1,
  map: 2,
  frozen: 1,
  vector: 2,
};

const typeNames = [...columnTypes.map(({ name }) => name), ...Object.keys(partCounts), 'tuple'];

/**
 * Reads the type of a column. A name that is not a type of the language, and not similar to one, names a user-defined
 * type, which need not exist: then the column is only listed.
 * @throws NativeQueryRefused for types that Cassandra refuses, too
 */
export function readColumnType(reader: TokenReader): StatedType {
  const expression = readExpression(reader, 0);
  const typeIn = (userTypes: UserTypes) => columnTypeOf(expression, { isInFrozen: false, userTypes });
  typeIn(new Map()); // refuses what no user-defined type makes possible
  return typeIn;
}

/** The type of a static column; unsupported for types that have no static values here. */
export function sharedTypeOf(type: ColumnType): ColumnType {
  return canBeStatic(type) ? staticOf(type) : unsupportedOf(`static ${cqlDefinition(type)}`);
}

function readExpression(reader: TokenReader, depth: number): TypeExpression {
  if (depth > maxDepth) throw reader.refusal(`a type that is nested at most ${maxDepth} deep`);
  const { kind, text } = reader.peek();
  if (kind === 'number') {
    reader.take();
    return { name: text, isQuoted: false, parts: [] };
  }
  if ((kind !== 'name' && kind !== 'quotedName') || !typeName.test(text)) throw reader.refusal('a type');
  reader.take();
  // The only type with two names; replies show both as text.
  const name = text === 'varchar' ? 'text' : text;
  const isQuoted = kind === 'quotedName';
  if (!reader.takeSymbol('<')) return { name, isQuoted, parts: [] };
  const parts = reader.list(() => readExpression(reader, depth + 1));
  reader.expectSymbol('>');
  return { name, isQuoted, parts };
}

function columnTypeOf(expression: TypeExpression, place: TypePlace): ColumnType {
  const { name, parts } = expression;
  const wanted = partCounts[name];
  const userType = place.userTypes.get(name);
  if (!expression.isQuoted && userType === undefined) refuseMisspelt(name);
  if (name !== 'tuple' && parts.length !== (wanted ?? 0)) {
    throw new NativeQueryRefused(
      `the type ${shown(expression)} has ${counted(parts.length, 'part')}, not ${wanted ?? 0}`,
    );
  }
  switch (name) {
    case 'list':
    case 'set':
    case 'map':
      return containerOf(expression, place);
    case 'frozen':
      return frozenTypeOf(parts, place.userTypes);
    case 'tuple':
      if (parts.length === 0)
        throw new NativeQueryRefused('a tuple needs the types of its parts: tuple<int, text>');
      for (const part of parts) refuseCounter(columnTypeOf(part, { ...place, isInFrozen: true }), expression);
      return unsupportedOf(shown(expression));
    case 'vector':
      return vectorOf(expression);
    default:
      return columnTypeNamed(name) ?? (userType === undefined ? userTypeOf(name) : userDefinedOf(userType));
  }
}

function containerOf(expression: TypeExpression, place: TypePlace): ColumnType {
  const { name, parts } = expression;
  const types = parts.map((part) => {
    const type = columnTypeOf(part, place);
    refuseCounter(type, expression);
    const mustBeFrozen = type.userType !== undefined || (part.name in partCounts && part.name !== 'vector');
    if (!place.isInFrozen && mustBeFrozen && part.name !== 'frozen')
      throw new NativeQueryRefused(`${shown(part)} inside ${shown(expression)} must be frozen`);
    // Values of user-defined types in containers are always frozen.
    return type.frozen?.userType === undefined ? type : type.frozen;
  });
  const [first, second] = types;
  if (first === undefined) throw new TypeError(`${name} has no parts`);
  if (name !== 'list' && first === columnTypeNamed('duration'))
    throw new NativeQueryRefused(`${shown(expression)} is not possible, because durations have no order`);
  const isScalar = (type: ColumnType) => columnTypeNamed(type.name) === type;
  if (!types.every((type) => isScalar(type) || type.userType !== undefined))
    return unsupportedOf(shown(expression));
  if (name === 'list') return listOf(first);
  if (name === 'set' || second === undefined) return setOf(first);
  return isScalar(first) ? mapOf(first, second) : unsupportedOf(shown(expression));
}

function frozenTypeOf([part]: readonly TypeExpression[], userTypes: UserTypes): ColumnType {
  if (part === undefined) throw new TypeError('frozen has no part');
  const type = columnTypeOf(part, { isInFrozen: true, userTypes });
  if (type.container !== undefined || type.userType !== undefined) return frozenOf(type);
  const isScalar = columnTypeNamed(type.name) === type;
  if (isScalar || part.name === 'vector' || part.name === 'frozen')
    throw new NativeQueryRefused(
      `${shown(part)} cannot be frozen; lists, sets, maps, tuples and user-defined types can`,
    );
  return unsupportedOf(shown({ name: 'frozen', isQuoted: false, parts: [part] }));
}

function vectorOf(expression: TypeExpression): ColumnType {
  const type = columnTypeOfName(`vector<${expression.parts.map(shown).join(',')}>`);
  if (type !== undefined) return type;
  throw new NativeQueryRefused(
    `${shown(expression)} is not a type: vectors are vector<float, n>, with n from 1 to ${maxDimension}`,
  );
}

/** A user-defined type can have such a name, too: then it is written in quotes. */
function refuseMisspelt(name: string): void {
  if (typeNames.includes(name) || /^\d/.test(name)) return;
  const nearest = nearestName(name, typeNames);
  if (nearest === undefined) return;
  throw new NativeQueryRefused(
    `${name} is not a type; did you mean ${nearest}? If it is a user-defined type, write "${name}" with its quotes`,
  );
}

function userTypeOf(name: string): ColumnType {
  if (/^\d/.test(name)) throw new NativeQueryRefused(`${name} is not a type`);
  return unsupportedOf(name);
}

function refuseCounter(type: ColumnType, expression: TypeExpression): void {
  if (type.add !== undefined)
    throw new NativeQueryRefused(`a counter cannot be part of ${shown(expression)}`);
}

/** In Cassandra's form: tuples are always frozen. */
function shown({ name, parts }: TypeExpression): string {
  if (name === 'frozen' && parts[0]?.name === 'tuple') return shown(parts[0]);
  const text = parts.length === 0 ? name : `${name}<${parts.map(shown).join(', ')}>`;
  return name === 'tuple' ? `frozen<${text}>` : text;
}
