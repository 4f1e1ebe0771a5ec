// Decides into what table or collection the rows of a file go, and how their fields are written.
import { type JsonText, stringifyJson } from '../foundation/json/json-value.js';
import { columnMarks } from './column-marks.js';
import { columnWriter, memberWriter, type WriteField } from './field-value.js';
import type { FileFormat } from './file-format.js';
import { FileProblem } from './file-problem.js';
import { type GuessedType, type TypeGuess, usualValues, type ValueFormat } from './guess-type.js';
import { listedNames } from './name-lists.js';
import { printable, shellWord } from './printable-text.js';

export interface RowsOfFile {
  /** The file in messages. */
  readonly name: string;
  readonly format: FileFormat;
  /** The columns of CSV in order; none for NDJSON. */
  readonly columns: ReadonlyMap<string, TypeGuess>;
  /** How the values of CSV are written; those of NDJSON are JSON. */
  readonly values?: ValueFormat;
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
  /** The member of documents whose value is also their id; undefined if none is named. */
  readonly idFrom?: string | undefined;
}

/** A column of a CSV file. */
export interface PlannedField {
  readonly name: string;
  readonly write: WriteField;
  /** Whether a text stands for no value; undefined if none does. */
  readonly isNull: ((field: string) => boolean) | undefined;
  /** For messages. */
  readonly type: string;
}

/** How to insert a file. */
export interface FilePlan {
  /** The definition of the new table, or the options of the new collection; undefined if it exists. */
  readonly definition: JsonText | undefined;
  readonly keyColumns: readonly string[];
  /** The columns of CSV in the order of the file; none for NDJSON. */
  readonly fields: readonly PlannedField[];
  /** What was decided about the values, as sentences. */
  readonly notes: readonly string[];
}

/**
 * The types of the columns: the guesses with the corrections. Only documents have objects and arrays, so those are
 * texts for a table.
 * @throws FileProblem if a correction has no column, or a type that the target does not have
 */
export function typesOf(
  file: RowsOfFile,
  { kind, columns, primaryKey, idFrom }: FileTarget,
): ReadonlyMap<string, GuessedType> {
  const named = [...columns.keys(), ...(primaryKey ?? []), ...(idFrom === undefined ? [] : [idFrom])];
  const unknown = file.format === 'csv' ? named.find((name) => !file.columns.has(name)) : undefined;
  if (unknown !== undefined)
    throw new FileProblem(
      `${file.name} has no column ${printable(JSON.stringify(unknown))}; ` +
        `its columns are: ${printable(listedNames([...file.columns.keys()]))}`,
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
  if (target.kind === 'collection') return planCollection(file, target, types, existing !== undefined);
  if (existing !== undefined) return planExisting(file, target, existing);
  if (file.format === 'ndjson')
    throw new FileProblem(
      `there is no table ${target.name}: create it first, or insert into a collection with --collection`,
    );
  return planNew(file, target, types);
}

function planCollection(
  file: RowsOfFile,
  { primaryKey, idFrom }: FileTarget,
  types: ReadonlyMap<string, GuessedType>,
  exists: boolean,
): FilePlan {
  const [id, ...more] = primaryKey ?? [];
  if (more.length > 0) throw new FileProblem('documents have one id: give one column as --primary-key');
  const named = id ?? idFrom;
  if (named !== undefined && named !== '_id' && types.has('_id'))
    throw new FileProblem(
      `the file has a column _id, so ${printable(named)} cannot be the id too: rename one of them with --names`,
    );
  const { numbers } = file.values ?? usualValues;
  return {
    definition: exists ? undefined : '{}',
    keyColumns: ['_id'],
    ...plannedFields(file, 'collection', types, (name, type) => ({
      name: name === id ? '_id' : name,
      write: memberWriter(type, numbers),
    })),
  };
}

/** The fields of the columns with these types; `fieldOf` says where a field goes. */
function plannedFields<Type extends string>(
  file: RowsOfFile,
  kind: FileTarget['kind'],
  types: ReadonlyMap<string, Type>,
  fieldOf: (name: string, type: Type) => Pick<PlannedField, 'name' | 'write'>,
): Pick<FilePlan, 'fields' | 'notes'> {
  const marks = columnMarks(file, types, kind);
  return {
    fields: [...types].map(([name, type]) => ({ ...fieldOf(name, type), type, isNull: marks.isNull(name) })),
    notes: marks.notes,
  };
}

/** The table says what types the columns have. */
function planExisting(file: RowsOfFile, target: FileTarget, existing: ExistingTarget): FilePlan {
  const { columns, keyColumns: keys } = existing;
  const { numbers } = file.values ?? usualValues;
  const found = columnsInTable([...file.columns.keys()], columns);
  const names = [...found.values()];
  const problems = [
    ...names.filter((name) => !columns.has(name)).map((name) => `the table has no column ${printable(name)}`),
    ...(file.format === 'ndjson' ? [] : keys)
      .filter((name) => !names.includes(name))
      .map((name) => `the file has no column ${printable(name)}, which the primary key has`),
    ...[...target.columns]
      .filter(([name, type]) => columns.has(name) && columns.get(name) !== type)
      .map(([name, type]) => `the column ${printable(name)} is ${columns.get(name)} and not ${type}`),
    ...(target.primaryKey === undefined || listedNames(target.primaryKey) === listedNames(keys)
      ? []
      : [`the primary key is ${listedNames(keys)} and not ${listedNames(target.primaryKey)}`]),
  ];
  if (problems.length > 0)
    throw new FileProblem(
      `${file.name} does not fit the table ${target.name}: ${problems.join('; ')}. ` +
        'Give the names of its columns with --names, or another table',
    );
  const types = new Map([...found].map(([name, column]) => [name, columns.get(column) ?? '']));
  const planned = plannedFields(file, 'table', types, (name, type) => ({
    name: found.get(name) ?? name,
    write: columnWriter(type, numbers),
  }));
  const renamed = [...found].filter(([name, column]) => name !== column);
  const notes = renamed.map(([name, column]) => `the column ${JSON.stringify(name)} goes into ${column}`);
  return { definition: undefined, keyColumns: keys, ...planned, notes: [...notes, ...planned.notes] };
}

/** Names of a file with those of the table; without its blanks around, if only that name exists. */
function columnsInTable(
  names: readonly string[],
  columns: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return new Map(
    names.map((name) => {
      const trimmed = name.trim();
      const isOther = !columns.has(name) && columns.has(trimmed) && !names.includes(trimmed);
      return [name, isOther ? trimmed : name];
    }),
  );
}

function planNew(
  file: RowsOfFile,
  { primaryKey }: FileTarget,
  types: ReadonlyMap<string, GuessedType>,
): FilePlan {
  const keys = primaryKey ?? (types.has('id') ? ['id'] : []);
  if (keys.length === 0)
    throw new FileProblem(
      `${file.name} has no column id: name the primary key of the new table, ` +
        `such as --primary-key ${shellWord(listedNames([...types.keys()].slice(0, 1)))}`,
    );
  const [partition = '', ...clustering] = keys;
  const directions = clustering.map((name) => `${JSON.stringify(name)}:1`);
  const primaryKeyText = `{"partitionBy":[${JSON.stringify(partition)}],"partitionSort":{${directions.join(',')}}}`;
  const { numbers } = file.values ?? usualValues;
  return {
    definition: `{"columns":${stringifyJson(types)},"primaryKey":${primaryKeyText}}`,
    keyColumns: keys,
    ...plannedFields(file, 'table', types, (name, type) => ({ name, write: columnWriter(type, numbers) })),
  };
}
