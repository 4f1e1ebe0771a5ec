// The rows of several sources as one list in the order of tokens, each row once.
import { bytesOf, finishLimits, tooManyToHold } from '../../../query/finish-limits.js';
import type { RowValues } from '../../../query/read.js';
import type { Column, Table } from '../../../schema/table.js';
import { tokenColumn } from '../statements/select-statements.js';

/** The pages of a source, in the order of tokens. */
export interface SourcePages {
  readonly isAtEnd: boolean;
  next(): Promise<readonly RowValues[]>;
}

/** Sources whose next pages are read at the same time. */
const mostAtOnce = 8;

interface Source {
  readonly pages: SourcePages;
  /** The rows of its last page, of which those from `at` on are not given yet. */
  rows: readonly RowValues[];
  at: number;
  bytes: number;
}

/** The pages of all sources together. */
export class MergedPages implements SourcePages {
  readonly #sources: readonly Source[];
  readonly #columns: readonly Column[];
  readonly #tokenPlace: number;
  readonly #keyPlace: number;
  /** The keys of the rows of the last token that was given. */
  #keys: Uint8Array[] = [];
  #token: bigint | undefined;

  /** `columns`: of all sources, with the token and the key of the table, one blob. */
  constructor(sources: readonly SourcePages[], columns: readonly Column[], { partitionKey }: Table) {
    this.#sources = sources.map((pages) => ({ pages, rows: [], at: 0, bytes: 0 }));
    this.#columns = columns;
    this.#tokenPlace = columns.indexOf(tokenColumn);
    this.#keyPlace = partitionKey[0] === undefined ? -1 : columns.indexOf(partitionKey[0]);
  }

  get isAtEnd(): boolean {
    return this.#sources.every((source) => source.pages.isAtEnd && source.at >= source.rows.length);
  }

  /**
   * Reads what it takes for the next rows.
   * @throws as the pages of the sources; ApiError TIMEOUT_READING_DATA for pages that are too large together
   */
  async next(): Promise<readonly RowValues[]> {
    const waiting = this.#sources.filter(isRead).values();
    const readNext = async () => {
      for (const source of waiting) await this.#fill(source);
    };
    await Promise.all(Array.from({ length: mostAtOnce }, readNext));
    const found: RowValues[] = [];
    for (let first = this.#first(); first !== undefined; first = this.#first()) {
      const row = first.rows[first.at];
      first.at += 1;
      if (row !== undefined && this.#isNew(row)) found.push(row);
      // A source without rows could have the next one.
      if (isRead(first)) break;
    }
    return found;
  }

  async #fill(source: Source): Promise<void> {
    while (isRead(source)) {
      source.rows = await source.pages.next();
      source.at = 0;
      source.bytes = source.rows.reduce((sum, row) => sum + bytesOf(row, this.#columns), 0);
    }
    const held = this.#sources.reduce((sum, { bytes }) => sum + bytes, 0);
    if (held > finishLimits.bytes) throw tooManyToHold(finishLimits);
  }

  /** The source with the next row; undefined if there is none. */
  #first(): Source | undefined {
    let first: Source | undefined;
    for (const source of this.#sources) {
      if (source.at >= source.rows.length) continue;
      if (first === undefined || this.#tokenOf(source) < this.#tokenOf(first)) first = source;
    }
    return first;
  }

  #tokenOf({ rows, at }: Source): bigint {
    return rows[at]?.[this.#tokenPlace] as bigint; // each row has one
  }

  #isNew(row: RowValues): boolean {
    const token = row[this.#tokenPlace] as bigint;
    const key = row[this.#keyPlace] as Uint8Array; // the type of the key of a collection
    if (token !== this.#token) {
      this.#token = token;
      this.#keys = [key];
      return true;
    }
    if (this.#keys.some((known) => Buffer.compare(known, key) === 0)) return false;
    this.#keys.push(key);
    return true;
  }
}

/** Whether the next row of the source must be read first. */
function isRead({ rows, at, pages }: Source): boolean {
  return at >= rows.length && !pages.isAtEnd;
}
