// The indexes of a table as all layers see them, made of the rows in which a cluster describes them.
import { vectorMetrics } from '../../../../descriptions/vector-metrics.js';
import type { PartName } from '../../../column-types/column-type.js';
import type { Dialect } from '../../../column-types/dialect.js';
import { exactText, type TextFold } from '../../../column-types/text-fold.js';
import type { Column, ContainerIndex, Table, TableIndex, TextIndex } from '../../../schema/table.js';
import { type SourceModel, sourceModels, type VectorMetric } from '../../../schema/vector-index.js';
import { type Analyzer, InvalidAnalyzer } from '../../../text-analysis/analyzer.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';
import { foldsServed, lacking, shadowed } from './engine-state.js';
import type { IndexRow } from './schema-rows.js';
import { stableId } from './stable-id.js';
import type { TableSettings } from './table-settings.js';

/**
 * The indexes that filters and searches can use, one for each column and function. Others are left out: if one is on
 * the column of a regular index, Cassandra may use it instead. `rows`: in order of their names.
 */
export function parseIndexes(
  rows: readonly IndexRow[],
  table: Table,
  models: ReadonlyMap<string, SourceModel>,
  dialect: Dialect,
): readonly TableIndex[] {
  const byFunction = new Map<string, TableIndex>();
  const others = new Set(
    rows.filter((row) => !isStorageAttached(row)).map((row) => nameIn(row.options['target'])),
  );
  for (const row of rows) {
    const { name = '', part } = targetOf(row);
    const column = table.columnsByName.get(name);
    if (column === undefined) continue;
    const indexed = `${part ?? 'whole'} ${name}`;
    const index =
      part === undefined ? parseIndex(row, column, models) : parseContainerIndex(row, column, part, dialect);
    if (index === undefined || byFunction.has(indexed)) continue;
    byFunction.set(indexed, withState(index, row, others.has(name)));
  }
  return [...byFunction.values()];
}

/**
 * The text indexes that settings name, one for each column. An index of a later build, whose analyzer is unknown here,
 * can only be dropped.
 */
export function parseTextIndexes(
  settings: TableSettings['textIndexes'],
  table: Table,
  dialect: Dialect,
): readonly TextIndex[] {
  const byColumn = new Map<Column, TextIndex>();
  for (const [name, { column: columnName, analyzer: definition }] of settings) {
    const column = table.columnsByName.get(columnName);
    if (column === undefined || !column.type.traits.searchable || byColumn.has(column)) continue;
    const known = analyzerIn(definition);
    const analyzer = known ?? analyzerOf('"standard"');
    const index = { kind: 'text' as const, id: stableId(name), name, column, analyzer };
    const isUnsupported = dialect === 'strict' || known === undefined;
    byColumn.set(column, isUnsupported ? { ...index, isUnsupported } : index);
  }
  return [...byColumn.values()];
}

function analyzerIn(definition: string): Analyzer | undefined {
  try {
    return analyzerOf(definition);
  } catch (error) {
    if (!(error instanceof InvalidAnalyzer)) throw error;
    return undefined;
  }
}

function withState(index: TableIndex, row: IndexRow, hasOther: boolean): TableIndex {
  if (row.isLacking === true) return { ...index, engineState: lacking };
  if (!hasOther || index.kind !== 'regular') return index;
  const isFolded = index.servedFolds !== undefined;
  return { ...index, engineState: shadowed, ...(isFolded ? { servedFolds: 'none' } : {}) };
}

/** Cassandra calls the elements of lists and sets values, too. */
function parseContainerIndex(
  row: IndexRow,
  column: Column,
  target: PartName,
  dialect: Dialect,
): ContainerIndex | undefined {
  const identity = { ...identityOf(row, column), kind: 'container' as const };
  if (dialect === 'strict') {
    // A container of types that the dialect lacks has only its text.
    const isContainer = /^(list|set|map)</.test(column.type.cql.type);
    return isContainer ? { ...identity, part: target, fold: null, isUnsupported: true } : undefined;
  }
  if (column.type.container === undefined) return undefined;
  const { parts } = column.type.container;
  const part = parts.elements !== undefined && target === 'values' ? 'elements' : target;
  const type = parts[part]?.type;
  if (type === undefined) return undefined;
  const isFolded = type.traits.text && foldOptions.some((option) => row.options[option] !== undefined);
  return { ...identity, part, fold: isFolded ? foldOf(row) : null };
}

function parseIndex(
  row: IndexRow,
  column: Column,
  models: ReadonlyMap<string, SourceModel>,
): TableIndex | undefined {
  const { type } = column;
  const { name, options } = row;
  const identity = identityOf(row, column);
  if (type.vector !== undefined) {
    const metric = metricNamed(options['similarity_function']);
    return { ...identity, kind: 'vector', metric, sourceModel: modelOf(name, options, models) };
  }
  if (type.traits.index === 'none') return undefined;
  if (!type.traits.text) return { ...identity, kind: 'regular', fold: null };
  const fold = foldOf(row);
  const servedFolds = foldsServed(fold);
  return { ...identity, kind: 'regular', fold, ...(servedFolds === undefined ? {} : { servedFolds }) };
}

function identityOf({ name, isBuilding }: IndexRow, column: Column) {
  return { id: stableId(name), name, column, ...(isBuilding === true ? { isBuilding } : {}) };
}

const foldOptions = ['ascii', 'case_sensitive', 'normalize'] as const;

function foldOf({ options }: IndexRow): TextFold {
  const flag = (option: (typeof foldOptions)[number], otherwise: boolean) =>
    (options[option] ?? String(otherwise)) === 'true';
  return {
    ascii: flag('ascii', exactText.ascii),
    caseSensitive: flag('case_sensitive', exactText.caseSensitive),
    normalize: flag('normalize', exactText.normalize),
  };
}

const storageAttached = /(^|\.)(storageattachedindex|sai)$/i;
const partTarget = /^(keys|values|entries)\((.+)\)$/;
const plainTarget = /^\w+$/;
const quotedTarget = /^"((?:[^"]|"")+)"$/;

/** Whether the storage attaches the index; nodes say of these whether they are built. */
export function isStorageAttached({ kind, options }: IndexRow): boolean {
  return kind === 'CUSTOM' && storageAttached.test(options['class_name'] ?? '');
}

/** Whether an index finds other texts than the one that is asked for, which analyzers of SASI do. */
export function isOfUnknownKind(row: IndexRow): boolean {
  return row.kind === 'CUSTOM' && !isStorageAttached(row);
}

/** The column of an index that the storage attaches, and its part in containers; no column for other indexes. */
function targetOf(row: IndexRow): { readonly name?: string | undefined; readonly part?: PartName } {
  if (!isStorageAttached(row)) return {};
  const { target = '' } = row.options;
  const [, part, inside = target] = partTarget.exec(target) ?? [];
  const name = nameIn(inside);
  return part === 'keys' || part === 'values' || part === 'entries' ? { name, part } : { name };
}

/** The column that the target of an index names; undefined for a target of another form. */
export function nameIn(target = ''): string | undefined {
  return plainTarget.test(target) ? target : quotedTarget.exec(target)?.[1]?.replaceAll('""', '"');
}

function metricNamed(text: string | undefined): VectorMetric {
  return vectorMetrics.find((metric) => metric === text?.toLowerCase()) ?? 'cosine';
}

/** Some kinds of Cassandra keep the model themselves. */
function modelOf(
  index: string,
  options: IndexRow['options'],
  models: ReadonlyMap<string, SourceModel>,
): SourceModel {
  const stored = options['source_model']?.toLowerCase().replaceAll('_', '-');
  const known = Object.keys(sourceModels).find((model) => model === stored);
  return (known as SourceModel | undefined) ?? models.get(index) ?? 'other'; // one of the keys
}
