// Repair: checks tables and their indexes, rebuilds damaged indexes and all vector indexes, and reports damaged rows.
import { shortened } from '../../../../foundation/text/shorten-text.js';
import { type Collection, isCollection } from '../../../schema/collection.js';
import type { ContainerIndex, Table, TextIndex } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import type { MaintenanceReport } from '../../maintenance.js';
import { entriesOf } from '../file/engine-state.js';
import {
  sqlEntries,
  sqlIndex,
  sqlKeyIndex,
  sqlMembers,
  sqlPaths,
  sqlSegments,
  sqlTable,
} from '../file/sql-names.js';
import type { IndexBuilds } from '../schema/index-builds.js';
import { emptiedEntries, emptiedIndex } from '../schema/index-states.js';
import { removeLeftovers } from '../schema/leftovers.js';
import type { SchemaHolder } from '../schema/schema-holder.js';
import { presentVersionOf } from '../schema/table-versions.js';
import { isBuiltInSteps } from '../statements/build-steps.js';
import { wrongMembersText } from '../statements/member-statements.js';
import { textBuild } from '../statements/text-statements.js';
import type { VectorIndexes } from '../vectors/vector-indexes.js';
import type { Writer } from '../writes/writer.js';
import { checkRows } from './check-rows.js';
import { type Checker, type CheckRequest, startChecker } from './checker.js';

/** Problems that are listed; the report also has their number. */
const maxListed = 100;
const maxDetailLength = 60_000;

/** The parts that a repair uses. */
export interface RepairParts {
  /** The data file. */
  readonly path: string;
  readonly writer: Pick<Writer, 'runStep'>;
  readonly vectors: Pick<VectorIndexes, 'rebuild'>;
  readonly schema: Pick<SchemaHolder, 'current' | 'changeState'>;
  readonly indexBuilds: Pick<IndexBuilds, 'build' | 'buildEntries'>;
}

interface Findings {
  rows: number;
  readonly rebuilt: string[];
  readonly problems: string[];
}

/**
 * Checks the tables one after another. If damage cannot be repaired, the report is an error. Undefined if it was
 * stopped.
 */
export async function repairTables(
  tables: readonly Table[],
  parts: RepairParts,
  signal: AbortSignal,
): Promise<MaintenanceReport | undefined> {
  const findings: Findings = { rows: 0, rebuilt: [], problems: [] };
  const checker = await startChecker({ path: parts.path }, signal);
  if (checker === undefined) return undefined;
  try {
    for (const table of tables) {
      // A table that was dropped meanwhile has no damage.
      if (isGone(table, parts)) continue;
      if (!(await repairTable(table, checker, parts, findings, signal))) return undefined;
    }
  } finally {
    await checker.close();
  }
  return reportOf(tables.length, findings);
}

/** False if it was stopped. */
async function repairTable(
  table: Table,
  checker: Checker,
  parts: RepairParts,
  findings: Findings,
  signal: AbortSignal,
): Promise<boolean> {
  const name = `${table.keyspace}.${table.name}`;
  const structure = { kind: 'structure', table: sqlTable(table) } as const;
  const first = await checker.ask(structure);
  if (first === undefined) return false;
  let { problems } = first;
  const damaged = indexesNamed(problems, table);
  if (damaged.length > 0) {
    for (const index of damaged) {
      if (signal.aborted) return false;
      await parts.writer.runStep('rebuildIndex', { name: index.sqlName });
      findings.rebuilt.push(`${index.title} of ${name}`);
    }
    const second = await checker.ask(structure);
    if (second === undefined) return false;
    ({ problems } = second);
  }
  if (!(await repairBuiltInSteps(table, name, checker, parts, findings, signal))) return false;
  if (isCollection(table) && !(await repairEntries(table, name, checker, parts, findings, signal)))
    return false;
  // Checking a graph would take as long as building it.
  for (const index of table.indexes) {
    if (index.kind !== 'vector' || isGone(table, parts)) continue;
    parts.vectors.rebuild(table, index);
    findings.rebuilt.push(
      `the vector index ${index.name} of ${name} (searches compare all rows until it is loaded)`,
    );
  }
  if (!isGone(table, parts)) findings.problems.push(...problems.map((problem) => `${name}: ${problem}`));
  const checked = await checkRows(table, checker);
  if (checked === undefined) return false;
  findings.rows += checked.rows;
  findings.problems.push(...checked.problems.map((problem) => `${name}: ${problem}`));
  return true;
}

/**
 * Builds text and container indexes again that are damaged or differ from the rows, beside writes. False if it was
 * stopped.
 */
async function repairBuiltInSteps(
  table: Table,
  name: string,
  checker: Checker,
  parts: RepairParts,
  { rebuilt }: Findings,
  signal: AbortSignal,
): Promise<boolean> {
  for (const index of table.indexes) {
    if (!isBuiltInSteps(index) || index.isBuilding === true || isGone(table, parts)) continue;
    let isDamaged = false;
    for (const question of questionsAbout(table, index)) {
      const checked = await checker.ask(question);
      if (checked === undefined) return false;
      isDamaged ||= checked.problems.length > 0;
    }
    if (!isDamaged) continue;
    const end = await rebuild(table.id, index.name, parts, signal);
    if (end === 'stopped') return false;
    const kind = index.kind === 'text' ? 'text index' : 'index';
    if (end === 'built') rebuilt.push(`the ${kind} ${index.name} of ${name}`);
  }
  return true;
}

function questionsAbout(table: Table, index: TextIndex | ContainerIndex): readonly CheckRequest[] {
  const structure = (name: string) => ({ kind: 'structure', table: name }) as const;
  if (index.kind === 'container')
    return [structure(sqlMembers(table, index)), { kind: 'none', query: wrongMembersText(table, index) }];
  const postings = textBuild(table, index);
  return [...Object.values(postings.tables).map(structure), { kind: 'postings', postings }];
}

/** Builds the index entries of a collection again if they are damaged or differ. False if it was stopped. */
async function repairEntries(
  table: Collection,
  name: string,
  checker: Checker,
  parts: RepairParts,
  { rebuilt, problems }: Findings,
  signal: AbortSignal,
): Promise<boolean> {
  const present = presentVersionOf(table, parts.schema.current);
  if (present !== undefined && entriesOf(present)?.isBuilding === true) {
    // They are checked once they are complete.
    const end = await endOf(signal, () => parts.indexBuilds.buildEntries(table.id));
    if (end === 'stopped') return false;
  }
  const found: string[] = [];
  for (const nameOf of [sqlEntries, sqlSegments, sqlPaths]) {
    const structure = await checker.ask({ kind: 'structure', table: nameOf(table) });
    if (structure === undefined) return false;
    found.push(...structure.problems);
  }
  const entries = await checker.ask({ kind: 'entries', id: table.id });
  if (entries === undefined) return false;
  // The entries of a damaged document are not known.
  const { damaged = [] } = entries;
  problems.push(...damaged.map((problem) => `${name}: ${problem}`));
  if (found.length + entries.problems.length === 0 || damaged.length > 0 || isGone(table, parts)) return true;
  const end = await endOf(signal, async () => {
    await parts.schema.changeState(table.id, emptiedEntries);
    await parts.indexBuilds.buildEntries(table.id);
  });
  if (end === 'stopped') return false;
  if (end === 'built') rebuilt.push(`the index entries of ${name}`);
  // The entries before are removed now.
  return (await removeLeftovers(parts, signal)) !== undefined;
}

/** Empties an index, builds it again, and removes what it had. For the result see `endOf`. */
async function rebuild(
  tableId: number,
  name: string,
  parts: RepairParts,
  signal: AbortSignal,
): Promise<'built' | 'gone' | 'stopped'> {
  const end = await endOf(signal, async () => {
    await parts.schema.changeState(tableId, emptiedIndex(name));
    await parts.indexBuilds.build(tableId, name);
  });
  if (end === 'stopped') return end;
  return (await removeLeftovers(parts, signal)) === undefined ? 'stopped' : end;
}

/**
 * How a build ended: `gone` if the table or index was dropped or emptied meanwhile, and needs no repair. `stopped` does
 * not end the build: it continues in the background, and after the next start.
 */
async function endOf(signal: AbortSignal, build: () => Promise<void>): Promise<'built' | 'gone' | 'stopped'> {
  let stop = (): void => {};
  const stopped = new Promise<'stopped'>((resolve) => {
    stop = () => resolve('stopped');
    signal.addEventListener('abort', stop);
  });
  try {
    if (signal.aborted) return 'stopped';
    return await Promise.race([stopped, build().then(() => 'built' as const)]);
  } catch (error) {
    if (error instanceof EngineError && error.kind === 'schemaChanged') return 'gone';
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function isGone(table: Table, { schema }: { readonly schema: Pick<SchemaHolder, 'current'> }): boolean {
  return presentVersionOf(table, schema.current) === undefined;
}

/**
 * Messages of SQLite: `row 7 missing from index i1_2`, `wrong # of entries in index k1`, `non-unique entry in index
 * k1`.
 */
function indexesNamed(
  problems: readonly string[],
  table: Table,
): readonly { readonly sqlName: string; readonly title: string }[] {
  const indexes = [
    { sqlName: sqlKeyIndex(table), title: 'the key index' },
    ...table.indexes
      .filter(({ kind }) => kind === 'regular')
      .map((index) => ({ sqlName: sqlIndex(table, index), title: `the index ${index.name}` })),
  ];
  return indexes.filter(({ sqlName }) =>
    problems.some((problem) => new RegExp(`\\bindex ${sqlName}\\b`).test(problem)),
  );
}

function reportOf(tableCount: number, { rows, rebuilt, problems }: Findings): MaintenanceReport {
  const checked = `${tableCount} tables with ${rows} rows checked`;
  const repaired = rebuilt.length === 0 ? [] : [`rebuilt: ${rebuilt.join(', ')}`];
  if (problems.length === 0) return { state: 'success', detail: [checked, ...repaired].join('; ') };
  const listed = [...problems.slice(0, maxListed), ...(problems.length > maxListed ? ['…'] : [])];
  const summary = [checked, ...repaired, `${problems.length} problems remain`].join('; ');
  return { state: 'error', detail: shortened(`${summary}\n${listed.join('\n')}`, maxDetailLength) };
}
