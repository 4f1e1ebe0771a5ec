// Packs write jobs into one flat message: copying many small objects to another thread takes longer than storing rows.
import { deserialize, serialize } from 'node:v8';
import { getOrMake } from '../../../../foundation/get-or-make.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { TableIndex, TextIndex } from '../../../schema/table.js';
import { analysisUnits } from '../../../text-analysis/analyzer.js';
import { type AnalyzedText, analyzeText, longText, mostOwnUnits } from '../file/text-functions.js';
import type { WriteStatement } from '../statements/write-statements.js';
import type { DocumentWork } from './document-work.js';
import type { KnownTexts } from './text-analysis.js';

/** Statements of which all or none are run, except for rows that would become too large. */
export interface WriteJob {
  /** Ascends from job to job. */
  readonly id: number;
  readonly statements: readonly WriteStatement[];
  /**
   * The table and version for which the statements were planned; refused if it was dropped or changed. Absent for
   * schema changes.
   */
  readonly table?: { readonly id: number; readonly version: number };
  /** Schema changes: the versions of tables after this job; null for a dropped one. */
  readonly tableVersions?: readonly (readonly [tableId: number, version: number | null])[];
  /** Long texts of which the job writes or removes tokens, and which are analyzed already. */
  readonly known?: KnownTexts;
  /** Writes of documents in the table, after the statements. */
  readonly documents?: DocumentWork;
}

/** Jobs in the form of the message. */
export interface WriteBatch {
  /** The texts of statements, each once: most jobs have the same. */
  readonly texts: readonly string[];
  /**
   * For each job: id, table id, version, number of versions (-1 for none) and the versions, number of statements. For
   * each statement: text, kind, number of sets, width of a set, values. For a job that differs from the previous one
   * only in its values: its negative id, and the values.
   */
  readonly cells: readonly Cell[];
  /** All values that are bytes, concatenated; in `cells` they are `undefined`. */
  readonly bytes: Uint8Array;
  readonly byteLengths: readonly number[];
}

/** The most that are analyzed where a job is packed, in units of `analysisUnits`: half a second. Others are left. */
const mostPackedUnits = 2 * 1024 * 1024;

type Cell = Exclude<SqlValue, Uint8Array> | undefined;

/**
 * Statements of a guest in one block of memory, which the main thread passes to the writer thread without reading it.
 */
export type PackedStatements = Uint8Array;

/**
 * Packs the statements of one job for `unpackStatements`, with the tokens of its long texts in columns with a text
 * index: analyzing them takes up to a second, for which the writer thread would keep other writes waiting.
 */
export function packStatements(
  statements: readonly WriteStatement[],
  indexes: readonly TableIndex[] = [],
): PackedStatements {
  const textIndexes = indexes.filter((index) => index.kind === 'text');
  const places = textIndexes.length === 0 ? [] : placedTokens(statements, textIndexes);
  const packed = statements.map(({ columns: _columns, ...statement }) => statement);
  return serialize({ statements: packed, places } satisfies PackedContent);
}

/**
 * The tokens of texts that take long, and of all where the job has many, up to a bound: other requests wait for them.
 */
function placedTokens(
  statements: readonly WriteStatement[],
  indexes: readonly TextIndex[],
): readonly PlacedTokens[] {
  const texts = indexes.flatMap((index) => [...indexedTexts(statements, index)]);
  const isMuch = texts.reduce((sum, { units }) => sum + units, 0) > mostOwnUnits;
  let unitsLeft = mostPackedUnits;
  return texts
    .filter(({ units }) => {
      if (!isMuch && units < longText) return false;
      unitsLeft -= units;
      return unitsLeft >= 0;
    })
    .flatMap(({ stored, definition, place }) =>
      analyzeText(stored, [definition]).map(({ tokens }) => ({ ...place, definition, tokens })),
    );
}

interface IndexedText extends Omit<AnalyzedText, 'tokens'> {
  readonly place: Omit<PlacedTokens, 'definition' | 'tokens'>;
  /** See `analysisUnits`. */
  readonly units: number;
}

/** The texts in the column of an index that its analyzer takes. */
function* indexedTexts(
  statements: readonly WriteStatement[],
  { column: { id }, analyzer }: TextIndex,
): Iterable<IndexedText> {
  for (const [statement, { valueSets, columns = [] }] of statements.entries()) {
    const value = columns.findIndex((column) => column.id === id);
    if (value < 0) continue;
    for (const [set, values] of valueSets.entries()) {
      const stored = values[value];
      if (typeof stored !== 'string' || stored.length > analyzer.mostCharacters) continue;
      const units = analysisUnits(stored.length, analyzer);
      yield { stored, definition: analyzer.definition, place: { statement, set, value }, units };
    }
  }
}

interface PackedContent {
  readonly statements: readonly WriteStatement[];
  readonly places: readonly PlacedTokens[];
}

/** The tokens of a value, which is not packed twice. */
interface PlacedTokens extends Pick<AnalyzedText, 'definition' | 'tokens'> {
  readonly statement: number;
  readonly set: number;
  readonly value: number;
}

/** Unpacks packed statements. */
export function unpackStatements(packed: PackedStatements): Pick<WriteJob, 'statements' | 'known'> {
  const { statements, places } = deserialize(packed) as PackedContent; // packed by `packStatements`
  const analyzed = places.map(({ statement, set, value, definition, tokens }) => {
    return { stored: String(statements[statement]?.valueSets[set]?.[value]), definition, tokens };
  });
  return { statements, known: { analyzed, analyses: 0 } };
}

/** Packs jobs for `unpackJobs`. */
export function packJobs(jobs: readonly WriteJob[]): WriteBatch {
  const packer = new Packer();
  for (const job of jobs) packer.addJob(job);
  return packer.finish();
}

/** The jobs of a batch, in order. */
export function unpackJobs(batch: WriteBatch): readonly WriteJob[] {
  return new Unpacker(batch).jobs();
}

class Packer {
  readonly #texts = new Map<string, number>();
  readonly #nextText = () => this.#texts.size;
  readonly #cells: Cell[] = [];
  readonly #chunks: Uint8Array[] = [];
  #before: WriteJob | undefined;

  addJob(job: WriteJob): void {
    const { id, table, tableVersions, statements } = job;
    const repeated = repeatedValues(job, this.#before);
    this.#before = job;
    if (repeated !== undefined) {
      this.#cells.push(-id);
      this.#addValues(repeated);
      return;
    }
    this.#cells.push(id, table?.id ?? 0, table?.version ?? 0, tableVersions?.length ?? -1);
    for (const [tableId, version] of tableVersions ?? []) this.#cells.push(tableId, version);
    this.#cells.push(statements.length);
    for (const statement of statements) this.#addStatement(statement);
  }

  finish(): WriteBatch {
    return {
      texts: [...this.#texts.keys()],
      cells: this.#cells,
      bytes: this.#chunks.length === 0 ? noBytes : Buffer.concat(this.#chunks),
      byteLengths: this.#chunks.map(({ length }) => length),
    };
  }

  #addStatement(statement: WriteStatement): void {
    const { sql, valueSets } = statement;
    const text = getOrMake(this.#texts, sql, this.#nextText);
    this.#cells.push(text, kindOf(statement), valueSets.length, valueSets[0]?.length ?? 0);
    for (const values of valueSets) this.#addValues(values);
  }

  #addValues(values: readonly SqlValue[]): void {
    for (const value of values) {
      if (value instanceof Uint8Array) {
        this.#chunks.push(value);
        this.#cells.push(undefined);
      } else this.#cells.push(value);
    }
  }
}

/**
 * The values of a job that otherwise equals the previous job, which is common for inserts into one table; or undefined.
 */
function repeatedValues(job: WriteJob, before: WriteJob | undefined): readonly SqlValue[] | undefined {
  const values = onlyValues(job);
  if (values === undefined || before === undefined || onlyValues(before) === undefined) return undefined;
  const isSame =
    job.table?.id === before.table?.id &&
    job.table?.version === before.table?.version &&
    job.statements[0]?.sql === before.statements[0]?.sql &&
    job.statements[0]?.tooLarge === before.statements[0]?.tooLarge;
  return isSame ? values : undefined;
}

/** The values of a job with one set for one statement on a table. */
function onlyValues({ table, statements }: WriteJob): readonly SqlValue[] | undefined {
  const [statement] = statements;
  const isOne = statements.length === 1 && statement?.valueSets.length === 1 && statement.isCheck !== true;
  return isOne && table !== undefined ? statement.valueSets[0] : undefined;
}

/** The properties of a statement except its text and its values; the message has their index in this list. */
const kinds: readonly Pick<WriteStatement, 'isCheck' | 'tooLarge'>[] = [
  {},
  { isCheck: true },
  { tooLarge: 'skipSet' },
  { tooLarge: 'skipRest' },
];

function kindOf({ isCheck, tooLarge }: WriteStatement): number {
  return kinds.findIndex((kind) => kind.isCheck === isCheck && kind.tooLarge === tooLarge);
}

const noBytes = new Uint8Array(0);

class Unpacker {
  readonly #batch: WriteBatch;
  #cell = 0;
  #chunk = 0;
  #byte = 0;

  constructor(batch: WriteBatch) {
    this.#batch = batch;
  }

  jobs(): readonly WriteJob[] {
    const jobs: WriteJob[] = [];
    while (this.#cell < this.#batch.cells.length) {
      const id = this.#count();
      const before = jobs.at(-1);
      jobs.push(id < 0 && before !== undefined ? this.#repeat(-id, before) : this.#job(id));
    }
    return jobs;
  }

  #repeat(id: number, before: WriteJob): WriteJob {
    const statements = before.statements.map((statement) => ({
      ...statement,
      valueSets: statement.valueSets.map((values) => this.#values(values.length)),
    }));
    return before.table === undefined ? { id, statements } : { id, statements, table: before.table };
  }

  #job(id: number): WriteJob {
    const table = { id: this.#count(), version: this.#count() };
    const versionCount = this.#count();
    const tableVersions: (readonly [number, number | null])[] = [];
    for (let at = 0; at < versionCount; at += 1) tableVersions.push([this.#count(), this.#version()]);
    const statements: WriteStatement[] = [];
    for (let left = this.#count(); left > 0; left -= 1) statements.push(this.#statement());
    if (versionCount >= 0) return { id, statements, tableVersions };
    return { id, statements, table };
  }

  #statement(): WriteStatement {
    const sql = this.#batch.texts[this.#count()] ?? '';
    const kind = kinds[this.#count()];
    const setCount = this.#count();
    const width = this.#count();
    const valueSets: (readonly SqlValue[])[] = [];
    for (let set = 0; set < setCount; set += 1) valueSets.push(this.#values(width));
    return { sql, valueSets, ...kind };
  }

  #values(width: number): readonly SqlValue[] {
    const values: SqlValue[] = [];
    for (let at = 0; at < width; at += 1) values.push(this.#value());
    return values;
  }

  #count(): number {
    return Number(this.#next());
  }

  #version(): number | null {
    const version = this.#next();
    return version === null ? null : Number(version);
  }

  #value(): SqlValue {
    const cell = this.#next();
    if (cell !== undefined) return cell;
    const start = this.#byte;
    this.#byte += this.#batch.byteLengths[this.#chunk] ?? 0;
    this.#chunk += 1;
    return this.#batch.bytes.subarray(start, this.#byte);
  }

  #next(): Cell {
    const cell = this.#batch.cells[this.#cell];
    this.#cell += 1;
    return cell;
  }
}
