// The pages of a read whose filter is left to the server. Where rows are wide and few of them match, only the columns
// that are compared are read of all rows, and whole rows of those that match.
import { matchesFilter } from '../../query/filter.js';
import { bytesOf } from '../../query/finish-limits.js';
import { type ReadPlan, type RowValues, rowsToRead } from '../../query/read.js';
import type { RowOrder } from '../../query/row-order.js';
import type { Column } from '../../schema/table.js';
import type { SourcePages } from './documents/merged-pages.js';
import type { PageLimits, RowSizes } from './known-rows.js';
import { RowPages, type TakenBytes, type WantedRows } from './row-pages.js';
import { pagesOf, type RunningRead } from './running-read.js';
import { onlyValue } from './statements/column-range.js';
import type { ReadPath } from './statements/path-of-rows.js';
import { columnsToSelect, positionOn, presentColumn, readPath } from './statements/read-path.js';
import type { RowSource } from './statements/row-source.js';
import { selectStatement } from './statements/select-statements.js';

/** The bytes that the columns of a row have which are not compared, from which on it pays to read them later. */
const wideBytes = 8 * 1024;
/** A statement for one row takes about as long as so many bytes of other rows. */
const statementBytes = 512 * 1024;
/** Rows of a page that say nothing of the others. */
const tooFewRows = 8;
/** Rows that are read whole at the same time. */
const wholeLimits: PageLimits = { bytes: 4 * 1024 * 1024, rows: 1_000, growth: 2 };

/**
 * The order of positions of a read whose filter is left to the server, and whose rows can be named and found again;
 * undefined for other reads, and where the rows lack a part of it.
 */
export function comparedPositions({ plan, columns }: RunningRead, path: ReadPath): RowOrder | undefined {
  const { isFiltered, isLookup, isMerged, positions, sources } = path;
  if (isFiltered || isLookup || isMerged || plan.search !== null || positions === null) return undefined;
  if (sources.some(({ lookup }) => lookup !== undefined)) return undefined;
  return positions.every(({ column }) => columns.includes(column)) ? positions : undefined;
}

const noPages: SourcePages = { isAtEnd: true, next: async () => [] };

/** Columns, and their places in rows. */
class Places {
  readonly columns: readonly Column[];
  readonly #places: ReadonlyMap<Column, number>;

  constructor(columns: readonly Column[]) {
    this.columns = columns;
    this.#places = new Map(columns.map((column, place) => [column, place]));
  }

  valueIn(row: RowValues, column: Column): unknown {
    return row[this.#places.get(column) ?? -1] ?? null;
  }
}

/** The pages of a read that has `comparedPositions`. Rows that do not match may lack columns that are not compared. */
export class ComparedPages implements SourcePages {
  readonly #read: RunningRead;
  readonly #path: ReadPath;
  readonly #positions: RowOrder;
  readonly #sizes: RowSizes;
  readonly #whole: Places;
  /** The rows of all statements for whole rows. */
  readonly #taken: TakenBytes = { bytes: 0 };
  #pages: SourcePages;
  /** What the rows of the pages have; undefined where they are whole. */
  #narrow: Places | undefined;
  /** Narrow rows that came, and are not given yet. */
  #waiting: readonly RowValues[] = [];
  /** Rows that were compared here, and those of them that match. */
  #looked = 0;
  #matched = 0;
  /** The bytes of the columns that are not compared, on average in the last whole rows. */
  #restBytes = 0;

  constructor(read: RunningRead, path: ReadPath, positions: RowOrder, sizes: RowSizes) {
    this.#read = read;
    this.#path = path;
    this.#positions = positions;
    this.#sizes = sizes;
    this.#whole = new Places(read.columns);
    this.#pages = pagesOf(read, path);
  }

  get isAtEnd(): boolean {
    return this.#waiting.length === 0 && this.#pages.isAtEnd;
  }

  /** @throws as other pages do */
  async next(): Promise<readonly RowValues[]> {
    if (this.#narrow !== undefined) return this.#nextCompared(this.#narrow);
    const rows = await this.#pages.next();
    // The largest row is known: rows that are not wide are not looked at.
    const mayBeWide = this.#read.known.expectedBytes(1) >= wideBytes;
    if (mayBeWide && rows.length >= tooFewRows && !this.#pages.isAtEnd) this.#readNarrowIfWide(rows);
    return rows;
  }

  #matches(row: RowValues, places: Places): boolean {
    return matchesFilter(this.#read.plan.filter, (column) => places.valueIn(row, column));
  }

  /** Whether the statements for the rows that match take less than what is not read of all others. */
  get #paysOff(): boolean {
    return this.#restBytes >= wideBytes && this.#looked * this.#restBytes >= this.#matched * statementBytes;
  }

  /** Reads narrow rows behind whole ones, if that pays off. */
  #readNarrowIfWide(rows: readonly RowValues[]): void {
    const compared = this.#planBehind(rows.at(-1), this.#whole, []);
    const path = readPath(compared);
    if (path === undefined) return;
    const narrow = new Places(columnsToSelect(compared, path));
    const rest = this.#read.columns.filter((column) => !narrow.columns.includes(column));
    const restOf = (row: RowValues) => rest.map((column) => this.#whole.valueIn(row, column));
    this.#restBytes = rows.reduce((sum, row) => sum + bytesOf(restOf(row), rest), 0) / rows.length;
    this.#looked += rows.length;
    this.#matched += rows.filter((row) => this.#matches(row, this.#whole)).length;
    if (!this.#paysOff) return;
    const known = this.#sizes.of(compared.table, narrow.columns);
    this.#pages = pagesOf({ ...this.#read, plan: compared, columns: narrow.columns, known }, path);
    this.#narrow = narrow;
  }

  /** Reads whole rows behind a narrow one. */
  #readWholeBehind(row: RowValues, narrow: Places): void {
    const plan = this.#planBehind(row, narrow, this.#read.plan.columns);
    const path = readPath(plan);
    this.#pages = path === undefined ? noPages : pagesOf({ ...this.#read, plan }, path);
    this.#narrow = undefined;
  }

  /** The plan for the rows behind one, with some columns. */
  #planBehind(row: RowValues = [], places: Places, columns: readonly Column[]): ReadPlan {
    const { plan } = this.#read;
    const after = positionOn(this.#path, this.#positions, (column) => places.valueIn(row, column));
    return { ...plan, columns, page: { ...plan.page, after, kind: 'paged' } };
  }

  /** Some of the next rows: as many as have no more than a page of matching ones. */
  async #nextCompared(narrow: Places): Promise<readonly RowValues[]> {
    if (this.#waiting.length === 0) this.#waiting = await this.#pages.next();
    const { plan, known } = this.#read;
    const most = known.rowsToAsk(rowsToRead(plan), wholeLimits);
    const matching = new Set<RowValues>();
    let count = 0;
    for (const row of this.#waiting) {
      count += 1;
      if (this.#matches(row, narrow)) matching.add(row);
      if (matching.size === most) break;
    }
    const rows = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#looked += count;
    this.#matched += matching.size;
    const whole = await this.#wholeRows([...matching], narrow);
    const last = rows.at(-1);
    if (last !== undefined && !this.isAtEnd && !this.#paysOff) {
      this.#waiting = [];
      this.#readWholeBehind(last, narrow);
    }
    const padded = (row: RowValues) => this.#whole.columns.map((column) => narrow.valueIn(row, column));
    return rows.flatMap((row) => (matching.has(row) ? (whole.get(row) ?? []) : [padded(row)]));
  }

  /** The whole rows by their narrow ones, in an array each. Rows that were deleted meanwhile are not in the map. */
  async #wholeRows(
    rows: readonly RowValues[],
    narrow: Places,
  ): Promise<ReadonlyMap<RowValues, readonly RowValues[]>> {
    const { plan, columns, known, deadline, tools } = this.#read;
    const { table } = plan;
    const wanted: WantedRows = {
      sources: rows.map((row) => this.#sourceOf(row, narrow)),
      columns,
      statementOf: (source) => selectStatement(table, columns, source, 1),
      search: undefined,
      wanted: Number.POSITIVE_INFINITY,
      taken: this.#taken,
      present: presentColumn(table, columns),
    };
    const pages = new RowPages(wanted, known, deadline, tools);
    const came: RowValues[] = [];
    while (!pages.isAtEnd) came.push(...(await pages.next()));
    const found = new Map<RowValues, readonly RowValues[]>();
    // They come in the same order.
    for (const row of rows) {
      const next = came[found.size];
      if (next !== undefined && this.#haveSameKey(next, row, narrow)) found.set(row, [next]);
    }
    return found;
  }

  #haveSameKey(whole: RowValues, row: RowValues, narrow: Places): boolean {
    return this.#keyOrder.every(({ column }) => {
      return column.type.compare(this.#whole.valueIn(whole, column), narrow.valueIn(row, column)) === 0;
    });
  }

  /** The key in the order of positions, which can begin with another column. */
  get #keyOrder(): RowOrder {
    return this.#positions.slice(this.#positions.length - this.#read.plan.table.keyColumns.length);
  }

  #sourceOf(row: RowValues, narrow: Places): RowSource {
    const { partitionKey } = this.#read.plan.table;
    const key = this.#keyOrder.map(({ column }) => column);
    const partitionColumns = key.slice(0, partitionKey.length);
    const ofRow = key.slice(partitionKey.length);
    return {
      partition: partitionColumns.map((column) => narrow.valueIn(row, column)),
      partitionColumns,
      ranges: new Map(ofRow.map((column) => [column, onlyValue(narrow.valueIn(row, column))])),
    };
  }
}
