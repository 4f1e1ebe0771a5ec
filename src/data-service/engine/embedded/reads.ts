// Reads of the engine: which way each plan is carried out.
import type { Database } from '../../../foundation/sqlite/open-database.js';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import { columnsToRead, type ReadOutcome, type ReadPlan } from '../../query/read.js';
import { EngineError } from '../engine-error.js';
import { ReadTimeLimit, type RunningRead } from '../read-time-limit.js';
import type { SqlFragment } from './file/sql-fragment.js';
import { decodeRows } from './file/stored-rows.js';
import type { Reader } from './reads/reader.js';
import { readPoint, readRanges, type ShortRead, shownPage } from './reads/short-reads.js';
import { writtenPage } from './reads/written-page.js';
import { type ScanSlices, scanInSlices } from './scans/scan.js';
import type { SliceRunner } from './scans/scanner.js';
import { mergeStatement } from './statements/merge-statement.js';
import { readPath, type SelectStatement, walkRanges } from './statements/select-statement.js';
import { type RunningSearch, searchExactly } from './vectors/exact-search.js';

/** What reads are carried out with. */
export interface ReadTools {
  readonly reader: Pick<Reader, 'read' | 'readPage'>;
  readonly scanner: SliceRunner;
  /** By the index; undefined where it is not there yet. */
  readonly search: (wanted: RunningSearch) => Promise<ReadOutcome | undefined>;
  /** Hears by what each vector search was answered: its index, or a look at every row. */
  readonly onVectorSearch?: ((by: 'index' | 'rows') => void) | undefined;
  readonly clock: Clock;
  /** After which a read is given up. */
  readonly timeoutMs: number;
  /** Of long reads. */
  readonly slices?: ScanSlices | undefined;
  /** Bytes of the rows of one read on this thread; a read that wants larger ones is refused with `large`. */
  readonly mostBytes: number;
}

const everything = { filter: true, order: true } as const;

function outcomeOf({ plan, deadline }: RunningRead, read: ShortRead): ReadOutcome {
  return { columns: columnsToRead(plan), applied: everything, deadline, ...read };
}

/** Carries reads out. */
export class Reads {
  readonly #tools: ReadTools;

  constructor(tools: ReadTools) {
    this.#tools = tools;
  }

  /** Rejects with an EngineError. The plan is for the present schema. */
  async read(plan: ReadPlan): Promise<ReadOutcome> {
    const { reader, mostBytes, clock, timeoutMs } = this.#tools;
    const read = { plan, deadline: new ReadTimeLimit(clock, timeoutMs) };
    if (plan.search !== undefined) return this.#limited(read, (limited) => this.#search(limited));
    const path = readPath(plan);
    switch (path.kind) {
      case 'point': {
        // A position is that of a row given out, and nothing is behind the only one.
        if (plan.after !== null) return outcomeOf(read, { chunks: [] });
        const readRow = (database: Database) => readPoint(database, read, path.key, mostBytes);
        return outcomeOf(read, await reader.read(readRow));
      }
      case 'walk': {
        const ranges = walkRanges(plan, path.restrictions, plan.after);
        return outcomeOf(read, await this.#readWalk(read, ranges));
      }
      case 'scan':
        return this.#limited(read, async (limited) => {
          const merge = mergeStatement(limited.plan);
          if (merge !== undefined) return this.#merge(limited, merge);
          let isCut = false;
          const cut = () => {
            isCut = true;
          };
          const { scanner, slices } = this.#tools;
          const chunks = scanInSlices(limited, path.restrictions, scanner, slices, cut);
          return outcomeOf(limited, { chunks, endedForSize: () => isCut });
        });
    }
  }

  #readWalk(read: RunningRead, ranges: readonly SqlFragment[]): Promise<ShortRead> {
    const { reader, mostBytes } = this.#tools;
    const { plan } = read;
    const page = writtenPage(plan, ranges, mostBytes);
    const asValues = (database: Database) => readRanges(database, read, ranges, mostBytes);
    if (page === undefined) return reader.read(asValues, ranges.length > 1);
    return reader.readPage(page, (found) => shownPage(plan, found), asValues);
  }

  /** On a scan thread: many stretches take longer than short reads may. */
  async #merge(read: RunningRead, statement: SelectStatement): Promise<ReadOutcome> {
    const maxBytes = read.plan.maxBytes ?? Number.POSITIVE_INFINITY;
    const { rows, isCut } = await this.#tools.scanner.runSlice([statement], maxBytes);
    const [found = []] = rows;
    const chunks = [decodeRows(found, statement.columns, read)];
    return outcomeOf(read, { chunks, endedForSize: () => isCut });
  }

  async #search({ plan, deadline }: RunningRead): Promise<ReadOutcome> {
    if (plan.search === undefined) throw new TypeError('the plan searches nothing');
    const wanted = { plan, deadline, search: plan.search };
    const { search, onVectorSearch, scanner, slices } = this.#tools;
    const nearest = await search(wanted);
    onVectorSearch?.(nearest === undefined ? 'rows' : 'index');
    return nearest ?? searchExactly(wanted, scanner, slices);
  }

  /** Carries a read out with no more bytes than this thread may take; rows that end for that are refused. */
  async #limited(
    read: RunningRead,
    carryOut: (limited: RunningRead) => Promise<ReadOutcome>,
  ): Promise<ReadOutcome> {
    const { mostBytes } = this.#tools;
    const { plan, deadline } = read;
    if (mostBytes >= (plan.maxBytes ?? Number.POSITIVE_INFINITY)) return carryOut(read);
    const outcome = await carryOut({ plan: { ...plan, maxBytes: mostBytes }, deadline });
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
