// Decides for each table of an import what to create on the target and what to leave out.
import { isJsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import {
  columnsOf,
  type DefinedColumn,
  differencesOf,
  type IndexDefinition,
  indexCommand,
  keyColumns,
  type TableDefinition,
} from '../tables/table-definition.js';
import { collectionDifferences } from './collection-definition.js';
import { ExportProblem } from './export-directory.js';
import type { MovedTable } from './moved-table.js';

/** What to do with a table. */
export interface PlannedTable {
  readonly table: MovedTable;
  readonly exists: boolean;
  /** The columns to insert and to read again, with their definitions. */
  readonly columns: ReadonlyMap<string, JsonValue>;
  /** Whether rows of the source have other columns, too. */
  readonly hasFewerColumns: boolean;
  readonly indexes: readonly IndexDefinition[];
  /** Sentences about what is left out, in addition to those of the table. */
  readonly leftOut: readonly string[];
}

/**
 * The tables whose rows can be moved. `present`: the tables of the target; `source`: where the tables are, in messages.
 * @throws ExportProblem with every table that cannot be imported: it differs, or commands cannot create it
 */
export function planImport(
  tables: readonly MovedTable[],
  present: readonly TableDefinition[],
  { allowsUnsupported, source }: { readonly allowsUnsupported: boolean; readonly source: string },
): readonly PlannedTable[] {
  const problems: string[] = [];
  const planned = tables
    .filter(({ isWhollyLeftOut }) => !isWhollyLeftOut)
    .map((table) => {
      const existing = present.find(({ name }) => name === table.name);
      if (existing !== undefined && existing.kind !== table.kind)
        problems.push(`${table.name} is a ${table.kind} in ${source} and a ${existing.kind} on the target`);
      if (table.kind === 'collection') return planCollection(table, existing, problems);
      const differences = existing?.kind !== 'table' ? [] : differencesOf(table, existing, source);
      if (differences.length > 0)
        problems.push(`the table ${table.name} exists with another definition: ${differences.join('; ')}`);
      const lacking = columnsThatCannotBe(table, existing);
      const problem = problemOfLacking(table, lacking, allowsUnsupported);
      if (problem !== undefined) problems.push(problem);
      return planTable(table, existing !== undefined, lacking);
    });
  if (problems.length > 0) throw new ExportProblem(problems.join('\n  '));
  return planned;
}

function planCollection(
  table: MovedTable,
  existing: TableDefinition | undefined,
  problems: string[],
): PlannedTable {
  const isCompared = existing?.kind === 'collection' && table.keepsOptions !== true;
  const differences = isCompared ? collectionDifferences(table, existing) : [];
  if (differences.length > 0)
    problems.push(`the collection ${table.name} exists with other options: ${differences.join('; ')}`);
  const exists = existing !== undefined;
  return { table, exists, columns: new Map(), hasFewerColumns: false, indexes: [], leftOut: [] };
}

/** The columns with values that the target does not have, and that commands cannot create there. */
function columnsThatCannotBe(
  table: MovedTable,
  existing: TableDefinition | undefined,
): readonly DefinedColumn[] {
  const present = new Set(existing === undefined ? [] : columnsOf(existing).map(({ name }) => name));
  return columnsOf(table).filter(
    ({ name, isCreatable, isMovable }) => isMovable && !isCreatable && !present.has(name),
  );
}

function problemOfLacking(
  table: MovedTable,
  lacking: readonly DefinedColumn[],
  allowsUnsupported: boolean,
): string | undefined {
  if (lacking.length === 0) return undefined;
  const names = lacking.map(({ name, nativeType }) => `${name} (${nativeType})`).join(', ');
  const problem = `commands cannot create these columns of the table ${table.name}: ${names}`;
  const keys = keyColumns(table);
  if (lacking.some(({ name }) => keys.includes(name)))
    return `${problem}. Create the table with a native query first`;
  return allowsUnsupported
    ? undefined
    : `${problem}. Create the table with a native query first, or leave them out with --allow-unsupported`;
}

function planTable(table: MovedTable, exists: boolean, lacking: readonly DefinedColumn[]): PlannedTable {
  const columns = columnsOf(table).filter(({ isMovable }) => isMovable);
  const kept = columns.filter((column) => !lacking.some(({ name }) => name === column.name));
  const names = new Set(kept.map(({ name }) => name));
  const creatable = table.indexes.filter((index) => indexCommand(index) !== undefined);
  const indexes = creatable.filter((index) => names.has(indexedColumn(index)));
  return {
    table,
    exists,
    columns: new Map(kept.map(({ name, definition }) => [name, definition])),
    hasFewerColumns: kept.length < columns.length,
    indexes,
    leftOut: [
      ...lacking.map(
        ({ name, nativeType }) => `${table.name}: the column ${name} (${nativeType}) is left out`,
      ),
      ...creatable
        .filter((index) => !indexes.includes(index))
        .map(({ name }) => `${table.name}: the index ${name} is left out`),
    ],
  };
}

/** The column of an index, which names it, or one part of a map or list as `{"column": "$keys"}`. */
function indexedColumn({ definition }: IndexDefinition): string {
  const column = isJsonObject(definition) ? (definition.get('column') ?? null) : null;
  if (isJsonObject(column)) return [...column.keys()][0] ?? '';
  return typeof column === 'string' ? column : '';
}
