// Decides into what table or collection the rows of a file go, and how their fields are written.
import { isJsonObject, type JsonText, stringifyJson } from '../../../foundation/json/json-value.js';
import { columnsOf, keyColumns, type TableDefinition, textAt } from '../../tables/table-definition.js';
import { ExportProblem } from '../export-directory.js';
import { columnWriter, memberWriter, type WriteField } from './field-value.js';
import type { GuessedType } from './guess-type.js';
import type { InspectedFile } from './source-file.js';

/** Where the rows of a file go. */
export interface FileTarget {
  readonly kind: 'table' | 'collection';
  readonly name: string;
  /** Corrections of the guessed types. */
  readonly columns: ReadonlyMap<string, GuessedType>;
  /** The partition key and then clustering columns; undefined for the column `id`. */
  readonly primaryKey: readonly string[] | undefined;
}

/** A column of a CSV file. */
export interface PlannedField {
  readonly name: string;
  readonly write: WriteField;
  /** For messages. */
  readonly type: string;
}

/** How to insert a file. */
export interface FilePlan {
  /** The command that creates the table or collection; undefined if it exists. */
  readonly create: JsonText | undefined;
  readonly keyColumns: readonly string[];
  /** The columns of CSV in the order of the file; none for NDJSON. */
  readonly fields: readonly PlannedField[];
}

/**
 * The types of the columns: the guesses with the corrections. Only documents have objects and arrays, so those are
 * texts for a table.
 * @throws ExportProblem if a correction has no column, or a type that the target does not have
 */
export function typesOf(
  file: InspectedFile,
  { kind, columns, primaryKey }: FileTarget,
): ReadonlyMap<string, GuessedType> {
  const named = [...columns.keys(), ...(primaryKey ?? [])];
  const unknown = file.format === 'csv' ? named.find((name) => !file.columns.has(name)) : undefined;
  if (unknown !== undefined)
    throw new ExportProblem(
      `${file.path} has no column ${unknown}; its columns are: ${[...file.columns.keys()].join(', ')}`,
    );
  const [object] = [...columns].find(([, type]) => kind === 'table' && type === 'json') ?? [];
  if (object !== undefined)
    throw new ExportProblem(
      `the column ${object} cannot be json in a table: give --collection, or another type`,
    );
  return new Map(
    [...file.columns].map(([name, { type }]) => [
      name,
      columns.get(name) ?? (kind === 'table' && type === 'json' ? 'text' : type),
    ]),
  );
}

/** @throws ExportProblem with what must be different, if the rows cannot go there */
export function planFile(
  file: InspectedFile,
  target: FileTarget,
  present: readonly TableDefinition[],
): FilePlan {
  const existing = present.find(({ name }) => name === target.name);
  if (existing !== undefined && existing.kind !== target.kind)
    throw new ExportProblem(`${target.name} is a ${existing.kind}: give --${existing.kind} ${target.name}`);
  const types = typesOf(file, target);
  if (target.kind === 'collection') return planCollection(target, types, existing !== undefined);
  if (existing !== undefined) return planExisting(file, target, existing);
  if (file.format === 'ndjson')
    throw new ExportProblem(
      `there is no table ${target.name}: create it first, or insert into a collection with --collection`,
    );
  return planNew(file, target, types);
}

function planCollection(
  { name: collection, primaryKey }: FileTarget,
  types: ReadonlyMap<string, GuessedType>,
  exists: boolean,
): FilePlan {
  const [id, ...more] = primaryKey ?? [];
  if (more.length > 0) throw new ExportProblem('documents have one id: give one column as --primary-key');
  if (id !== undefined && id !== '_id' && types.has('_id'))
    throw new ExportProblem(`the file has a column _id, so ${id} cannot be the id too: rename one of them`);
  const create = `{"createCollection":{"name":${JSON.stringify(collection)}}}`;
  return {
    create: exists ? undefined : create,
    keyColumns: ['_id'],
    fields: [...types].map(([name, type]) => ({
      name: name === id ? '_id' : name,
      write: memberWriter(type),
      type,
    })),
  };
}

/** The table says what types the columns have. */
function planExisting(file: InspectedFile, target: FileTarget, existing: TableDefinition): FilePlan {
  const columns = new Map(
    columnsOf(existing).map(({ name, definition }) => [
      name,
      isJsonObject(definition) ? textAt(definition, 'type') : '',
    ]),
  );
  const keys = keyColumns(existing);
  const names = [...file.columns.keys()];
  const problems = [
    ...names.filter((name) => !columns.has(name)).map((name) => `the table has no column ${name}`),
    ...(file.format === 'ndjson' ? [] : keys)
      .filter((name) => !names.includes(name))
      .map((name) => `the file has no column ${name}, which the primary key has`),
    ...[...target.columns]
      .filter(([name, type]) => columns.has(name) && columns.get(name) !== type)
      .map(([name, type]) => `the column ${name} is ${columns.get(name)} and not ${type}`),
    ...(target.primaryKey === undefined || target.primaryKey.join() === keys.join()
      ? []
      : [`the primary key is ${keys.join(',')} and not ${target.primaryKey.join(',')}`]),
  ];
  if (problems.length > 0)
    throw new ExportProblem(`${file.path} does not fit the table ${target.name}: ${problems.join('; ')}`);
  const fields = names.map((name) => {
    const type = columns.get(name) ?? '';
    return { name, write: columnWriter(type), type };
  });
  return { create: undefined, keyColumns: keys, fields };
}

function planNew(
  file: InspectedFile,
  { name: table, primaryKey }: FileTarget,
  types: ReadonlyMap<string, GuessedType>,
): FilePlan {
  const keys = primaryKey ?? (types.has('id') ? ['id'] : []);
  if (keys.length === 0)
    throw new ExportProblem(
      `${file.path} has no column id: name the primary key of the new table, ` +
        `such as --primary-key ${[...types.keys()][0] ?? ''}`,
    );
  const [partition = '', ...clustering] = keys;
  const definition = new Map<string, JsonText>([
    ['columns', stringifyJson(types)],
    [
      'primaryKey',
      JSON.stringify({
        partitionBy: [partition],
        partitionSort: Object.fromEntries(clustering.map((name) => [name, 1])),
      }),
    ],
  ]);
  const body = [...definition].map(([name, text]) => `"${name}":${text}`).join(',');
  return {
    create: `{"createTable":{"name":${JSON.stringify(table)},"definition":{${body}},"options":{"ifNotExists":true}}}`,
    keyColumns: keys,
    fields: [...types].map(([name, type]) => ({ name, write: columnWriter(type), type })),
  };
}
