// Parses column definitions of new tables and of added columns (specification: Column definition shapes).
import {
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import {
  type ColumnType,
  hasReadableFields,
  labelOf,
  type UserTypeDefinition,
} from '../column-types/column-type.js';
import { listOf, mapOf, setOf } from '../column-types/containers.js';
import type { Dialect } from '../column-types/dialect.js';
import { columnTypeNamed, columnTypes } from '../column-types/registry.js';
import { userDefinedOf } from '../column-types/user-types.js';
import { maxDimension, vectorOf } from '../column-types/vector.js';
import { apiError } from '../errors/api-error.js';
import {
  invalidFieldValue,
  refuseUnknownMembers,
  showJson,
  structureMismatch,
} from '../errors/request-problems.js';
import {
  type CheckEmbeddingService,
  type ColumnEmbeddingService,
  parseEmbeddingService,
} from './embedding-service.js';
import { checkNewColumnName } from './identifier.js';
import type { Keyspace } from './keyspace.js';
import type { ColumnDefinition } from './table.js';

/** Below the 2,000 of SQLite, so that dropped columns can keep their slots for a while. */
const maxColumns = 1_500;
const columnsExample = '{"id": "uuid", "tags": {"type": "list", "valueType": "text"}}';
const typeExample = '"text" or {"type": "text"}';
/** The allowed members of a column definition in object form. */
const columnMembers = ['type', 'keyType', 'valueType', 'udtName', 'dimension', 'service'];
/** Types with parameters, which only the object form can express. */
const typesWithParts = {
  list: { parse: parseList, example: '{"type": "list", "valueType": "text"}' },
  set: { parse: parseSet, example: '{"type": "set", "valueType": "text"}' },
  map: { parse: parseMap, example: '{"type": "map", "keyType": "text", "valueType": "text"}' },
  vector: { parse: parseVector, example: '{"type": "vector", "dimension": 384}' },
} as const;
const userDefined = 'userDefined';

/** What definitions of columns are parsed with. */
export interface DefinitionContext {
  readonly dialect: Dialect;
  readonly checkEmbeddingService: CheckEmbeddingService;
  readonly keyspace: Pick<Keyspace, 'name' | 'userTypes'>;
}

/** A definition of valid form; `type` is undefined for a type that is known only by name. */
export interface ParsedColumn {
  readonly name: string;
  readonly typeName: string;
  readonly type: ColumnType | undefined;
  readonly service?: ColumnEmbeddingService;
}

/**
 * Parses an object of column definitions; `at` is its path in the command.
 * @throws ApiError for the first one with an invalid form, an unknown type, or an invalid service
 */
export function parseColumns(
  json: JsonValue,
  at: string,
  context: DefinitionContext,
): readonly ParsedColumn[] {
  if (!isJsonObject(json))
    throw structureMismatch(at, 'an object of column definitions', json, columnsExample);
  return [...json].map(([name, definition]) => {
    if (name === '') throw invalidFieldValue(at, name, 'a column needs a name');
    checkNewColumnName(name);
    return { name, ...parseType(name, definition, { at: `${at}.${name}`, ...context }) };
  });
}

/**
 * Refuses more columns than a table can have.
 * @throws ApiError COMMAND_FIELD_VALUE_INVALID
 */
export function refuseTooMany(at: string, added: number, present: number): void {
  if (added + present <= maxColumns) return;
  const problem = `the table would have ${added + present} columns; at most ${maxColumns} are allowed`;
  throw invalidFieldValue(at, new JsonNumber(String(added)), problem);
}

/**
 * The columns, if all their types are allowed for new columns.
 * @throws the error of `refuse` for the other columns and the allowed types
 */
export function refuseUncreatable(
  columns: readonly ParsedColumn[],
  refuse: (columns: readonly string[], supported: readonly string[]) => Error,
): readonly ColumnDefinition[] {
  const creatable = columns.flatMap(({ type, typeName: _, ...column }) =>
    type?.traits.creatable === true ? [{ ...column, type }] : [],
  );
  if (creatable.length === columns.length) return creatable;
  const others = columns.filter(({ type }) => type?.traits.creatable !== true);
  throw refuse(
    others.map(({ name, typeName }) => `${name}(${typeName})`),
    [...creatableNames(), ...Object.keys(typesWithParts)],
  );
}

/** The place of a definition, and what it is parsed with. */
interface Place extends DefinitionContext {
  readonly at: string;
}

function parseType(column: string, definition: JsonValue, place: Place): Omit<ParsedColumn, 'name'> {
  const { at } = place;
  if (typeof definition === 'string') {
    const type = columnTypeNamed(definition);
    if (type !== undefined) return { typeName: definition, type };
    throw apiError('schema', 'UNKNOWN_PRIMITIVE_DATA_TYPE', {
      column,
      type: definition,
      known: creatableNames(),
      withParts: namesWithParts(place),
      example: hasParts(definition) ? typesWithParts[definition].example : undefined,
    });
  }
  if (!isJsonObject(definition)) {
    throw structureMismatch(at, 'the name of a type, or an object with a "type"', definition, typeExample);
  }
  refuseUnknownMembers(definition, at, columnMembers);
  const typeName = definition.get('type') ?? null;
  if (typeof typeName !== 'string')
    throw structureMismatch(`${at}.type`, 'the name of a type', typeName, '"text"');
  if (hasParts(typeName)) {
    const found = typesWithParts[typeName].parse(column, definition, place);
    return { typeName: labelOf(found.type), ...found };
  }
  if (typeName === userDefined) return parseUserDefined(column, definition, place);
  const type = columnTypeNamed(typeName);
  if (type !== undefined) return { typeName, type };
  const known = [...creatableNames(), ...namesWithParts(place)];
  throw apiError('schema', 'UNKNOWN_DATA_TYPE', { column, type: typeName, known });
}

/** The strict dialect only knows that there are such types. */
function parseUserDefined(
  column: string,
  definition: JsonObject,
  { dialect, keyspace }: Place,
): Omit<ParsedColumn, 'name'> {
  if (dialect === 'strict') return { typeName: userDefined, type: undefined };
  const type = userTypeOf(column, definition, keyspace);
  return { typeName: labelOf(type), type: isUsable(type) ? type : undefined };
}

/** The user-defined type that a definition names. */
function userTypeOf(
  column: string,
  definition: JsonObject,
  { name, userTypes }: DefinitionContext['keyspace'],
): ColumnType {
  const typeName = definition.get('udtName') ?? null;
  if (typeof typeName !== 'string' || typeName.trim() === '')
    throw apiError('schema', 'INVALID_USER_DEFINED_TYPE_NAME', { column, found: showJson(typeName) });
  const found: UserTypeDefinition | undefined = userTypes.get(typeName);
  if (found !== undefined) return userDefinedOf(found);
  const existing = [...userTypes.keys()];
  throw apiError('schema', 'UNKNOWN_USER_DEFINED_TYPE', { keyspace: name, type: typeName, existing });
}

function isUsable({ userType }: ColumnType): boolean {
  return userType === undefined || hasReadableFields(userType);
}

function creatableNames(): readonly string[] {
  return columnTypes.filter(({ traits }) => traits.creatable).map(({ name }) => name);
}

function namesWithParts(context: DefinitionContext): readonly string[] {
  return withUserDefined(Object.keys(typesWithParts), context);
}

/** Names of types for messages, with that of user-defined ones where the dialect has them. */
function withUserDefined(names: readonly string[], { dialect }: DefinitionContext): readonly string[] {
  return dialect === 'strict' ? names : [...names, userDefined];
}

function hasParts(typeName: string): typeName is keyof typeof typesWithParts {
  return Object.hasOwn(typesWithParts, typeName);
}

/** A type with parameters, with the service of the column if it has one. */
type TypeWithParts = Pick<ParsedColumn, 'service'> & { readonly type: ColumnType };

function parseVector(
  column: string,
  definition: JsonObject,
  { at, checkEmbeddingService }: Place,
): TypeWithParts {
  const json = definition.get('dimension') ?? null;
  const dimension = json === null ? undefined : parseDimension(column, json);
  const service = definition.get('service') ?? null;
  if (service !== null) {
    const checked = checkEmbeddingService(column, parseEmbeddingService(service, `${at}.service`), dimension);
    return { type: vectorOf(checked.dimension), service: { ...checked.service, isEnabled: true } };
  }
  if (dimension !== undefined) return { type: vectorOf(dimension) };
  throw apiError('schema', 'MISSING_DIMENSION_IN_VECTOR_COLUMN', { column, maxDimension });
}

function parseDimension(column: string, json: JsonValue): number {
  const dimension = readDimension(json);
  if (Number.isInteger(dimension) && dimension >= 1 && dimension <= maxDimension) return dimension;
  throw apiError('schema', 'UNSUPPORTED_VECTOR_DIMENSION', {
    column,
    problem: `its dimension is ${showJson(json)}`,
    least: 1,
    most: maxDimension,
  });
}

/** A number, or a string of digits; NaN for anything else. */
function readDimension(json: JsonValue): number {
  if (json instanceof JsonNumber) return Number(json.text);
  return typeof json === 'string' && /^\d+$/.test(json) ? Number(json) : Number.NaN;
}

function parseList(column: string, definition: JsonObject, place: Place): TypeWithParts {
  const value = readPart(column, definition, 'valueType', place, creatableNames());
  if (value.type !== undefined) return { type: listOf(value.type) };
  throw apiError('schema', 'UNSUPPORTED_LIST_DEFINITION', {
    column,
    valueType: value.shown,
    supported: withUserDefined(creatableNames(), place),
  });
}

function parseSet(column: string, definition: JsonObject, place: Place): TypeWithParts {
  const value = readPart(column, definition, 'valueType', place, elementsOfSets());
  const isOrdered = value.type?.userType?.fields.every(({ type }) => type.traits.range) !== false;
  if (value.type !== undefined && isOrdered) return { type: setOf(value.type) };
  throw apiError('schema', 'UNSUPPORTED_SET_DEFINITION', {
    column,
    valueType: isOrdered ? value.shown : `${value.shown}, which has a field without an order (duration)`,
    supported: withUserDefined(elementsOfSets(), place),
  });
}

/** Cassandra stores no sets of values without an order, which are durations. */
function elementsOfSets(): readonly string[] {
  return columnTypes.filter(({ traits }) => traits.creatable && traits.range).map(({ name }) => name);
}

/** The strict dialect has maps whose keys are names of members. */
function textNames(): readonly string[] {
  return columnTypes.filter(({ traits }) => traits.creatable && traits.text).map(({ name }) => name);
}

function parseMap(column: string, definition: JsonObject, place: Place): TypeWithParts {
  // Keys are ordered, as elements of sets are.
  const keyTypes = place.dialect === 'strict' ? textNames() : elementsOfSets();
  const key = readPart(column, definition, 'keyType', place, keyTypes);
  const value = readPart(column, definition, 'valueType', place, creatableNames());
  const isMap = key.type?.userType === undefined && key.type !== undefined;
  if (isMap && value.type !== undefined) return { type: mapOf(key.type, value.type) };
  throw apiError('schema', 'UNSUPPORTED_MAP_DEFINITION', {
    column,
    keyType: key.shown,
    valueType: value.shown,
    supportedKeys: keyTypes,
    supportedValues: withUserDefined(creatableNames(), place),
  });
}

interface Part {
  /** Its form in messages. */
  readonly shown: string;
  /** Undefined if the type is not allowed here. */
  readonly type: ColumnType | undefined;
}

/** The type of keys or values, as a name or as an object with a `type`. */
function readPart(
  column: string,
  definition: JsonObject,
  member: string,
  { at, dialect, keyspace }: Place,
  allowed: readonly string[],
): Part {
  const json = definition.get(member) ?? null;
  if (isJsonObject(json)) refuseUnknownMembers(json, `${at}.${member}`, columnMembers);
  const name = isJsonObject(json) ? (json.get('type') ?? null) : json;
  if (name === null) return { shown: '[MISSING]', type: undefined };
  if (typeof name !== 'string')
    throw structureMismatch(
      `${at}.${member}`,
      'the name of a type, or an object with a "type"',
      json,
      typeExample,
    );
  if (name === userDefined && dialect === 'extended' && isJsonObject(json)) {
    const type = userTypeOf(column, json, keyspace);
    return { shown: labelOf(type), type: isUsable(type) ? type : undefined };
  }
  return { shown: name, type: allowed.includes(name) ? columnTypeNamed(name) : undefined };
}
