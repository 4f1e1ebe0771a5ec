// Decides into what table or collection the rows of a file go, and how their fields are written.
import { type JsonText, stringifyJson } from '../foundation/json/json-value.js';
import { columnWriter, memberWriter, type WriteField } from './field-value.js';
import type { FileFormat } from './file-format.js';
import { FileProblem } from './file-problem.js';
import type { GuessedType, TypeGuess } from './guess-type.js';

/** The rows of a file. */
export interface RowsOfFile {
  /** The file in messages. */
  readonly name: string;
  readonly format: FileFormat;
  /** The columns of CSV in order; none for NDJSON. */
  readonly columns: ReadonlyMap<string, TypeGuess>;
}

/** A table or collection that exists. */
export interface ExistingTarget {
  readonly kind: 'table' | 'collection';
  /** The columns of a table with their types. */
  readonly columns: ReadonlyMap<string, string>;
  readonly keyColumns: readonly string[];
}

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
 * @throws FileProblem if a correction has no column, or a type that the target does not have
 */
export function typesOf(
  file: RowsOfFile,
  { kind, columns, primaryKey }: FileTarget,
): ReadonlyMap<string, GuessedType> {
  const named = [...columns.keys(), ...(primaryKey ?? [])];
  const unknown = file.format === 'csv' ? named.find((name) => !file.columns.has(name)) : undefined;
  if (unknown !== undefined)
    throw new FileProblem(
      `${file.name} has no column ${unknown}; its columns are: ${[...file.columns.keys()].join(', ')}`,
    );
  const [object] = [...columns].find(([, type]) => kind === 'table' && type === 'json') ?? [];
  if (object !== undefined)
    throw new FileProblem(
      `the column ${object} cannot be json in a table: give --collection, or another type`,
    );
  return new Map(
    [...file.columns].map(([name, { type }]) => [
      name,
      columns.get(name) ?? (kind === 'table' && type === 'json' ? 'text' : type),
    ]),
  );
}

/** @throws FileProblem with what must be different, if the rows cannot go there */
export function planFile(
  file: RowsOfFile,
  target: FileTarget,
  existing: ExistingTarget | undefined,
): FilePlan {
  if (existing !== undefined && existing.kind !== target.kind)
    throw new FileProblem(`${target.name} is a ${existing.kind}: give --${existing.kind} ${target.name}`);
  const types = typesOf(file, target);
  if (target.kind === 'collection') return planCollection(target, types, existing !== undefined);
  if (existing !== undefined) return planExisting(file, target, existing);
  if (file.format === 'ndjson')
    throw new FileProblem(
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
  if (more.length > 0) throw new FileProblem('documents have one id: give one column as --primary-key');
  if (id !== undefined && id !== '_id' && types.has('_id'))
    throw new FileProblem(`the file has a column _id, so ${id} cannot be the id too: rename one of them`);
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
function planExisting(file: RowsOfFile, target: FileTarget, existing: ExistingTarget): FilePlan {
  const { columns, keyColumns: keys } = existing;
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
    throw new FileProblem(`${file.name} does not fit the table ${target.name}: ${problems.join('; ')}`);
  const fields = names.map((name) => {
    const type = columns.get(name) ?? '';
    return { name, write: columnWriter(type), type };
  });
  return { create: undefined, keyColumns: keys, fields };
}

function planNew(
  file: RowsOfFile,
  { name: table, primaryKey }: FileTarget,
  types: ReadonlyMap<string, GuessedType>,
): FilePlan {
  const keys = primaryKey ?? (types.has('id') ? ['id'] : []);
  if (keys.length === 0)
    throw new FileProblem(
      `${file.name} has no column id: name the primary key of the new table, ` +
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
