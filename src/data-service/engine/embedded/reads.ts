// Reads of the engine: which way each plan is carried out.
import type { Database } from '../../../foundation/sqlite/open-database.js';
import { columnsToRead, type ReadOutcome, type ReadPlan } from '../../query/read.js';
import { EngineError } from '../engine-error.js';
import { mergeStatement } from './merge-statement.js';
import type { Reader } from './reader.js';
import { type ScanLimits, scanInSlices } from './scan.js';
import type { SliceRunner } from './scanner.js';
import { readPath, type SelectStatement, walkRanges } from './select-statement.js';
import { readPoint, readRanges, type ShortRead, shownPage } from './short-reads.js';
import type { SqlFragment } from './sql-fragment.js';
import { decodeRows } from './stored-rows.js';
import { searchExactly } from './vectors/exact-search.js';
import type { SearchPlan } from './vectors/search-statements.js';
import { writtenPage } from './written-page.js';

/** What reads are carried out with. */
export interface ReadTools {
  readonly reader: Pick<Reader, 'read' | 'readPage'>;
  readonly scanner: SliceRunner;
  /** By the index; undefined where it is not there yet. */
  readonly search: (wanted: SearchPlan) => Promise<ReadOutcome | undefined>;
  /** Hears by what each vector search was answered: its index, or a look at every row. */
  readonly onVectorSearch?: ((by: 'index' | 'rows') => void) | undefined;
  readonly limits: ScanLimits;
  /** Bytes of the rows of one read on this thread; a read that wants larger ones is refused with `large`. */
  readonly mostBytes: number;
}

const everything = { filter: true, order: true } as const;

function outcomeOf(plan: ReadPlan, read: ShortRead): ReadOutcome {
  return { columns: columnsToRead(plan), applied: everything, ...read };
}

/** Carries reads out. */
export class Reads {
  readonly #tools: ReadTools;

  constructor(tools: ReadTools) {
    this.#tools = tools;
  }

  /** Rejects with an EngineError. The plan is for the present schema. */
  async read(plan: ReadPlan): Promise<ReadOutcome> {
    const { reader, mostBytes } = this.#tools;
    if (plan.search !== undefined) return this.#limited(plan, (limited) => this.#search(limited));
    const path = readPath(plan);
    switch (path.kind) {
      case 'point': {
        // A position is that of a row given out, and nothing is behind the only one.
        if (plan.after !== null) return outcomeOf(plan, { chunks: [] });
        const read = (database: Database) => readPoint(database, plan, path.key, mostBytes);
        return outcomeOf(plan, await reader.read(read));
      }
      case 'walk': {
        const ranges = walkRanges(plan, path.restrictions, plan.after);
        return outcomeOf(plan, await this.#readWalk(plan, ranges));
      }
      case 'scan':
        return this.#limited(plan, async (limited) => {
          const merge = mergeStatement(limited);
          if (merge !== undefined) return this.#merge(limited, merge);
          let isCut = false;
          const cut = () => {
            isCut = true;
          };
          const { scanner, limits } = this.#tools;
          const chunks = scanInSlices(limited, path.restrictions, scanner, limits, cut);
          return {
            columns: columnsToRead(limited),
            applied: everything,
            chunks,
            endedForSize: () => isCut,
          };
        });
    }
  }

  #readWalk(plan: ReadPlan, ranges: readonly SqlFragment[]): Promise<ShortRead> {
    const { reader, mostBytes } = this.#tools;
    const page = writtenPage(plan, ranges, mostBytes);
    const asValues = (database: Database) => readRanges(database, plan, ranges, mostBytes);
    if (page === undefined) return reader.read(asValues, ranges.length > 1);
    return reader.readPage(page, (found) => shownPage(plan, found), asValues);
  }

  /** On a scan thread: many stretches take longer than short reads may. */
  async #merge(plan: ReadPlan, statement: SelectStatement): Promise<ReadOutcome> {
    const maxBytes = plan.maxBytes ?? Number.POSITIVE_INFINITY;
    const { rows, isCut } = await this.#tools.scanner.runSlice([statement], maxBytes);
    const [found = []] = rows;
    return outcomeOf(plan, { chunks: [decodeRows(found, statement.columns)], endedForSize: () => isCut });
  }

  async #search(plan: ReadPlan): Promise<ReadOutcome> {
    if (plan.search === undefined) throw new TypeError('the plan searches nothing');
    const wanted = { plan, search: plan.search };
    const { search, onVectorSearch, ...tools } = this.#tools;
    const nearest = await search(wanted);
    onVectorSearch?.(nearest === undefined ? 'rows' : 'index');
    return nearest ?? searchExactly(wanted, tools);
  }

  /** Carries a plan out with no more bytes than this thread may take; rows that end for that are refused. */
  async #limited(plan: ReadPlan, carryOut: (plan: ReadPlan) => Promise<ReadOutcome>): Promise<ReadOutcome> {
    const { mostBytes } = this.#tools;
    if (mostBytes >= (plan.maxBytes ?? Number.POSITIVE_INFINITY)) return carryOut(plan);
    const outcome = await carryOut({ ...plan, maxBytes: mostBytes });
    const { endedForSize = () => false } = outcome;
    return {
      ...outcome,
      endedForSize: () => {
        if (endedForSize()) throw new EngineError('large', 'the rows are too large to be read here');
        return false;
      },
    };
  }
}
