// What of a table can be moved, and how the definitions of two servers differ.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../foundation/json/json-value.js';
import { cellText, elementsOf } from '../operations-port.js';

/** A table as listTables and listIndexes show it with `explain`. */
export interface TableDefinition {
  readonly kind: 'table' | 'collection';
  readonly name: string;
  /** The members `columns` and `primaryKey` for a table, the options for a collection. */
  readonly definition: JsonObject;
  readonly indexes: readonly IndexDefinition[];
}

/** An index as listIndexes shows it. */
export interface IndexDefinition {
  readonly name: string;
  readonly definition: JsonValue;
  readonly indexType: string;
}

/** A column of a definition. */
export interface DefinedColumn {
  readonly name: string;
  /** Without `apiSupport`. */
  readonly definition: JsonValue;
  /** The type in the native query language if commands cannot do everything with the column, otherwise the type. */
  readonly nativeType: string;
  readonly isCreatable: boolean;
  /** Rows of a reply have its values. */
  readonly isReadable: boolean;
  /** Rows have its values, and insertMany accepts them. */
  readonly isMovable: boolean;
  /** Values of a counter are read but never inserted, so no row of its table can be inserted. */
  readonly isCounter: boolean;
}

/** The columns in the order of the definition. */
export function columnsOf({ definition }: TableDefinition): readonly DefinedColumn[] {
  return [...objectAt(definition, 'columns')].map(([name, column]) => {
    const members = isJsonObject(column) ? column : new Map<string, JsonValue>([['type', column]]);
    const support = objectAt(members, 'apiSupport');
    const can = (what: string) => support.get(what) !== false;
    return {
      name,
      definition: new Map([...members].filter(([member]) => member !== 'apiSupport')),
      nativeType: cellText(support.get('cqlDefinition') ?? members.get('type') ?? ''),
      isCreatable: can('createTable'),
      isReadable: can('read'),
      isMovable: can('insert') && can('read'),
      isCounter: can('read') && !can('insert'),
    };
  });
}

/** The names of the columns of the primary key. */
export function keyColumns({ kind, definition }: TableDefinition): readonly string[] {
  if (kind === 'collection') return ['_id'];
  const key = objectAt(definition, 'primaryKey');
  return [...elementsOf(key.get('partitionBy')).map(cellText), ...objectAt(key, 'partitionSort').keys()];
}

/** What of a table the API cannot move. */
export interface LeftOut {
  /** Columns without which the rest of the table is moved. */
  readonly columns: readonly DefinedColumn[];
  readonly indexes: readonly IndexDefinition[];
  /** The column because of which no row can be moved. */
  readonly wholeBecauseOf: DefinedColumn | undefined;
}

/** What of a table cannot be moved to another server. */
export function leftOutOf(table: TableDefinition): LeftOut {
  const columns = columnsOf(table).filter(({ isMovable }) => !isMovable);
  const keys = keyColumns(table);
  return {
    columns,
    indexes: table.indexes.filter((index) => indexCommand(index) === undefined),
    wholeBecauseOf: columns.find(({ name, isCounter }) => isCounter || keys.includes(name)),
  };
}

/** One sentence for each column and index that is left out. */
export function leftOutTexts(name: string, { columns, indexes, wholeBecauseOf }: LeftOut): readonly string[] {
  if (wholeBecauseOf !== undefined) {
    const { name: column, nativeType } = wholeBecauseOf;
    return [
      `${name}: the table is left out, because the API cannot insert its column ${column} (${nativeType})`,
    ];
  }
  return [
    ...columns.map(
      ({ name: column, nativeType }) => `${name}: the column ${column} (${nativeType}) is left out`,
    ),
    ...indexes.map(({ name: index, indexType }) => `${name}: the index ${index} (${indexType}) is left out`),
  ];
}

const indexCommands: Readonly<Record<string, string>> = {
  regular: 'createIndex',
  vector: 'createVectorIndex',
  text: 'createTextIndex',
};

/** The name of the command that creates such an index; undefined if none does. */
export function indexCommand({ indexType, definition }: IndexDefinition): string | undefined {
  const support = isJsonObject(definition) ? objectAt(definition, 'apiSupport') : undefined;
  return support?.get('createIndex') === false ? undefined : indexCommands[indexType];
}

/** The definition for createTable with these columns only. */
export function creatableDefinition(table: TableDefinition, names: ReadonlySet<string>): JsonText {
  const columns = columnsOf(table).filter(({ name }) => names.has(name));
  return stringifyJson(
    new Map<string, JsonValue>([
      ['columns', new Map(columns.map(({ name, definition }) => [name, definition]))],
      ['primaryKey', objectAt(table.definition, 'primaryKey')],
    ]),
  );
}

/**
 * How the definition of an existing table differs from the one to move, a sentence for each difference. Columns that
 * cannot be moved may be missing, and so may those that commands cannot create. `wantedIn`: where the one to move is.
 */
export function differencesOf(
  wanted: TableDefinition,
  present: TableDefinition,
  wantedIn = 'the export',
): readonly string[] {
  const theirs = new Map(columnsOf(present).map((column) => [column.name, column]));
  const own = columnsOf(wanted);
  const keys = (table: TableDefinition) => stringifyJson(objectAt(table.definition, 'primaryKey'));
  return [
    ...own.flatMap(({ name, definition, isCreatable, isMovable }) => {
      const other = theirs.get(name);
      if (other === undefined) return isCreatable && isMovable ? [`the column ${name} does not exist`] : [];
      if (!isMovable || sortedText(definition) === sortedText(other.definition)) return [];
      return [
        `the column ${name} is ${stringifyJson(other.definition)} and not ${stringifyJson(definition)}`,
      ];
    }),
    ...[...theirs.keys()]
      .filter((name) => !own.some((column) => column.name === name))
      .map((name) => `the column ${name} is not in ${wantedIn}`),
    ...(keys(wanted) === keys(present)
      ? []
      : [`the primary key is ${keys(present)} and not ${keys(wanted)}`]),
  ];
}

/** How an existing index differs from the one to create; undefined if it does not. */
export function indexDifference(wanted: IndexDefinition, present: IndexDefinition): string | undefined {
  const text = ({ indexType, definition }: IndexDefinition) => `${indexType} ${sortedText(definition)}`;
  return text(wanted) === text(present)
    ? undefined
    : `the index ${wanted.name} is ${text(present)} and not ${text(wanted)}`;
}

/** An index of a manifest or of listIndexes. */
export function readIndex(json: JsonValue): readonly IndexDefinition[] {
  if (!isJsonObject(json)) return [];
  const definition = json.get('definition') ?? null;
  return [{ name: textAt(json, 'name'), definition, indexType: textAt(json, 'indexType') }];
}

/** The object of a member; an empty one if there is none. */
export function objectAt(object: JsonObject, name: string): JsonObject {
  const member = object.get(name) ?? null;
  return isJsonObject(member) ? member : new Map();
}

/** A text; empty if there is none. */
export function textAt(json: JsonObject, name: string): string {
  const value = json.get(name);
  return typeof value === 'string' ? value : '';
}

/** The JSON text with members in ascending order, so that equal definitions have equal texts. */
export function sortedText(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(sortedText).join(',')}]`;
  if (!isJsonObject(value)) return stringifyJson(value);
  const members = [...value].map(([name, member]) => `${JSON.stringify(name)}:${sortedText(member)}`);
  return `{${members.sort().join(',')}}`;
}
