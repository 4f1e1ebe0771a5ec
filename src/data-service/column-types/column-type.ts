// The interface of column types. Shared code uses it and never switches on the name of a type.
import type { ValueInput } from '../../descriptions/value-input.js';
import type { JsonArray, JsonText, JsonValue } from '../../foundation/json/json-value.js';
import type { SqlValue } from '../../foundation/sqlite/sql-value.js';

/** One type of columns: how its values are read, written, ordered and stored. */
export interface ColumnType<Value = unknown> {
  /** The name in requests and replies: `int`. */
  readonly name: string;
  /** One line for the generated reference: range, form in JSON. */
  readonly help: string;
  /** How people write values in forms and files, which know types by their descriptions (`src/descriptions`). */
  readonly input: ValueInput;
  /** Reads a value from a command. Never called with JSON `null`: that means "no value" for every type.
   * @throws ValueMismatch with the reason, in words */
  parse(json: JsonValue): Value;
  /** Writes a value into a reply; `parse(serialize(value))` equals `value`. */
  serialize(value: Value): JsonText;
  /** The form in the `insertedIds` of a reply, if it is a different one. */
  serializeInKey?(value: Value): JsonText;
  /** One total order for sorts, ranges and keys: negative, zero or positive. Zero means equal. */
  compare(left: Value, right: Value): number;
  readonly sql: SqlSide<Value>;
  readonly cql: CqlSide<Value>;
  /** What Cassandra allows for the type. */
  readonly traits: TypeTraits;
  /** The definition as replies show it, if it is more than the name: `{"type":"list","valueType":"text"}`. */
  readonly definition?: JsonText;
  /** The definition beside rows, if it is a different one. */
  readonly definitionBesideRows?: JsonText;
  /** In messages, if it is not the name. */
  readonly label?: string;
  /** What commands can do with such columns, if they cannot do everything; definitions in replies show it. */
  readonly apiSupport?: ApiSupport;
  /**
   * In replies with rows the definition has no `apiSupport`: clients search the reply for this exact text, and keep all
   * digits of numbers if they find it.
   */
  readonly isBareBesideRows?: true;
  /** list, set and map only. */
  readonly container?: ContainerSide<Value>;
  /** Vectors only: columns that can be searched, and that accept a text instead of a value when they have a service. */
  readonly vector?: VectorSide;
  /** User-defined types only: the definition. */
  readonly userType?: UserTypeDefinition;
  /** Counters only: the value after an addition, which is the only change of a counter; null for no value. */
  add?(stored: Value | null, added: Value): Value;
  /** Frozen lists, sets and maps only: the unfrozen type with the same values. */
  readonly frozen?: ColumnType;
  /** Static columns only: the type of their values. */
  readonly static?: ColumnType;
  /** Only the extended dialect supports the type: see `dialect.ts`. */
  readonly isExtended?: true;
  /**
   * Converts a literal that only the extended dialect accepts to one that `parse` accepts, and returns all others as
   * they are. @throws ValueMismatch
   */
  extendedLiteral?(json: JsonValue): JsonValue;
  /** Whether a column with this value has none: then null is stored. Absent: no value is. */
  isAbsent?(value: Value): boolean;
  /** Whether rows in replies omit the value, as they omit null. Absent: they omit no value. */
  isOmitted?(value: Value): boolean;
  /** The JSON in which lists, sets and maps store such members, if it is not that of replies. */
  readonly inContainer?: MemberForm<Value>;
  /** Literals: `accepts` strictly ascending with the boundaries, `rejects` each refused by `parse`. */
  readonly examples: { readonly accepts: readonly JsonText[]; readonly rejects: readonly JsonText[] };
}

/** Storage in the embedded engine. SQLite's comparison of encoded values is `compare`, except for containers. */
export interface SqlSide<Value> {
  readonly columnType: 'INTEGER' | 'TEXT' | 'BLOB';
  /** True if stored integers can exceed 2^53, so that statements must read integers as `bigint`. */
  readonly readsBigInt: boolean;
  encode(value: Value): Exclude<SqlValue, null>;
  /** Accepts `bigint` for every INTEGER column: another column of the same row may need it. */
  decode(stored: Exclude<SqlValue, null>): Value;
  /**
   * The text that `serialize` returns for a stored text, where that takes much less time than decoding the value. No
   * read compares such values.
   */
  written?(stored: string): JsonText;
  /** SQL for the text that `serialize` returns for a stored value, if SQLite can write it; U+0001 stays as stored. */
  serialized?(column: string): string;
  /**
   * Writes the text that `serialize` gives for a value that is stored as an INTEGER with these decimal digits, or as
   * bytes with these upper-case hexadecimal digits; only if that is faster than decoding the value.
   */
  serializeStored?(digits: string): JsonText;
}

/** The form for Cassandra: `encode` returns bytes, and `fromDriver` reads the driver's objects. */
export interface CqlSide<Value> {
  /** The name in CQL: `int`. */
  readonly type: string;
  encode(value: Value): Buffer;
  fromDriver(driverValue: unknown): Value;
  /** The type to which a SELECT converts the values: `blob` for their bytes. Absent: it reads them as they are. */
  readonly selectedAs?: 'blob';
  /** A read by any index compares values in another order than `compare`: ranges are not asked of it. */
  readonly isIndexedInOtherOrder?: true;
  /**
   * A value is stored as a cell for each member. Cells of members with a name replace each other; those of `unnamed`
   * members have new keys, so a value that is stored twice with the same time has them twice. Absent: it is one cell.
   */
  readonly cells?: 'named' | 'unnamed';
  /** Equal values can have different bytes: Cassandra does not find all of them in lists, sets and maps. */
  readonly hasSeveralForms?: true;
  /** Other bytes under which the same value may be stored: Cassandra compares some values by their bytes. */
  formerEncodings?(value: Value): readonly Buffer[];
}

/**
 * The operations of a list, set or map on its members: elements, or entries of a key and a value.
 * A value without members is stored as null.
 */
export interface ContainerSide<Value> {
  /** The part that the members are: filters and indexes that name no part mean it. */
  readonly holds: 'elements' | 'entries';
  /** The types of the elements, or of the keys and the values. */
  readonly members: readonly ColumnType[];
  /** Makes the type of a container of this kind with members of other types. */
  withMembers(members: readonly ColumnType[]): ColumnType;
  /** The members that filters compare and indexes contain: of lists and sets the elements, of maps the other three. */
  readonly parts: Readonly<Partial<Record<PartName, ContainerPart<Value>>>>;
  /** The type that identifies members to remove: the type of the elements, or of the keys. */
  readonly namedBy: ColumnType;
  isEmpty(value: Value): boolean;
  /** Reads elements, or `[key, value]` pairs, any number of them.
   * @throws ValueMismatch naming the member */
  parseMembers(json: JsonArray): Value;
  /** A list appends them, a set adds those it does not have, and a map replaces entries with the same keys. */
  add(stored: Value | null, added: Value): Value | null;
  /** SQL for the stored value after `add`, if SQLite can join both stored values without parsing. */
  joined?(stored: string, added: string): string;
  /** Removes all elements equal to one of `names`, or entries with one of these keys. */
  remove(stored: Value | null, names: readonly unknown[]): Value | null;
  /** Does what `add` does on the stored text, parsing few members; undefined if parsing all is faster. */
  addToStored?(stored: string, added: Value): string | undefined;
  /** Does what `remove` does on the stored text; undefined if parsing all is faster. */
  removeFromStored?(stored: string, names: readonly unknown[]): string | null | undefined;
}

/** A user-defined type: its name, unique in its keyspace, and its fields in order. */
export interface UserTypeDefinition {
  readonly keyspace: string;
  readonly name: string;
  readonly fields: readonly UserTypeField[];
}

/** A field of a user-defined type; its type is a scalar. */
export interface UserTypeField {
  readonly name: string;
  readonly type: ColumnType;
}

/** How a value is written inside a stored list, set or map. */
export interface MemberForm<Value> {
  /** Equal values have the same text. */
  write(value: Value): JsonText;
  read(json: JsonValue): Value;
  /** The members are numbers as in replies, except that whole ones have no point. */
  readonly lacksPoints?: true;
}

/** What can be looked for in a list, set or map. */
export type PartName = 'elements' | 'keys' | 'values' | 'entries';

/** What can be looked for in the values of a type, by part; undefined for types without members. */
export function partsOf(type: ColumnType): ContainerSide<unknown>['parts'] | undefined {
  return containerOf(type)?.parts;
}

/** The part that filters and indexes mean if they name none; undefined for types without members. */
export function wholePartOf(type: ColumnType): PartName | undefined {
  return containerOf(type)?.holds;
}

/** The list, set or map that the values of the type are, also frozen or static ones. */
export function containerOf(type: ColumnType): ContainerSide<unknown> | undefined {
  const own = type.static ?? type;
  return (own.frozen ?? own).container;
}

/** One part of the values of a container: its members and their type. */
export interface ContainerPart<Value> {
  readonly type: MemberType;
  /** The members of a value in its order; equal ones can repeat. */
  members(value: Value): readonly unknown[];
}

/** What filters and indexes need of the type of members: a column type, or that of the entries of a map. */
export interface MemberType extends Pick<ColumnType, 'name' | 'parse' | 'serialize' | 'compare'> {
  readonly traits: Pick<TypeTraits, 'index' | 'text'>;
  /** A text that is the same for equal members, and for no others: indexes contain it, and filters are sent with it. */
  identify(member: unknown): string;
  /** The member of such a text. */
  identified(identity: string): unknown;
}

/** The common properties of all vectors of a column. Values are `Float32Array`s of finite numbers. */
export interface VectorSide {
  /** The number of elements of a vector. */
  readonly dimension: number;
}

/** The commands that support columns of a type. */
export interface ApiSupport {
  readonly createTable: boolean;
  readonly insert: boolean;
  readonly read: boolean;
  readonly filter: boolean;
}

/** The name of a type in messages. */
export function labelOf({ label, name }: Pick<ColumnType, 'label' | 'name'>): string {
  return label ?? name;
}

/** Whether commands return values of the type. */
export function isReadable({ apiSupport }: Pick<ColumnType, 'apiSupport'>): boolean {
  return apiSupport?.read ?? true;
}

/** Whether columns of a user-defined type hold values here: native queries of a cluster make types of any fields. */
export function hasReadableFields({ fields }: UserTypeDefinition): boolean {
  return fields.every(({ type }) => isReadable(type));
}

/** Whether commands accept values of the type. */
export function isWritable({ apiSupport }: Pick<ColumnType, 'apiSupport'>): boolean {
  return apiSupport?.insert ?? true;
}

/** The type in the native query language, as people write it: `map<text, int>`. */
export function cqlDefinition({ cql }: ColumnType): string {
  return cql.type.replaceAll(/, ?/g, ', ');
}

/** The uses of columns of the type. */
export interface TypeTraits {
  /** Can be in a primary key. */
  readonly key: boolean;
  /** Filters can name it. */
  readonly filterable: boolean;
  /** Supports `$gt $gte $lt $lte`. */
  readonly range: boolean;
  /** The empty value (`""`, no bytes) cannot be the only partition key column. */
  readonly mayBeEmpty: boolean;
  /** Can have an index; `servesRanges`: which Cassandra then uses for ranges, `$ne` and `$nin`, too. */
  readonly index: 'none' | 'equality' | 'servesRanges';
  /** Has text values, which indexes can normalize. */
  readonly text: boolean;
  /** Can have a text index, for text searches. */
  readonly searchable: boolean;
  /** `$match` on such a column needs a text index; otherwise the type itself does not support it: see `dialect.ts`. */
  readonly matchable: boolean;
  /** createTable and alterTable can use it; otherwise only existing columns have it. */
  readonly creatable: boolean;
}

/** A JSON value is not a value of the type. `message` is the reason, without the column's name. */
export class ValueMismatch extends Error {
  /** `limit`: the value has the right form but is too large to be processed. */
  readonly kind: 'value' | 'limit';

  constructor(reason: string, kind: 'value' | 'limit' = 'value') {
    super(reason);
    this.kind = kind;
  }
}
