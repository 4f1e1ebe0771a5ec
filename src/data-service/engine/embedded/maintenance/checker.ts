// The main thread's side of the check process, which runs for one repair, and their messages.
import { ModuleProcess } from '../../../../foundation/processes/module-process.js';
import { EngineError } from '../../engine-error.js';
import type { CheckedPostings } from '../postings/check-postings.js';

/** The settings of the process. */
export interface CheckSettings {
  readonly path: string;
}

/** A column in the file. */
export interface CheckedColumn {
  /** Its name in the file: `c3`. */
  readonly sqlName: string;
  /** Its name for users. */
  readonly name: string;
  readonly typeName: string;
}

/** A table in the file whose values are checked. */
export interface CheckedTable {
  readonly table: string;
  readonly columns: readonly CheckedColumn[];
  /** The number of key columns, which are the first columns. */
  readonly keyCount: number;
}

/**
 * `postings`: whether a text index has what the rows have. `structure`: pages, indexes and constraints of a table.
 * `none`: a query that must return no rows. `entries`: the documents of a collection and their index entries. `rows`:
 * the values of some rows. `statics`: all static values of a table.
 */
export type CheckRequest =
  | { readonly kind: 'structure'; readonly table: string }
  | { readonly kind: 'postings'; readonly postings: CheckedPostings }
  | { readonly kind: 'entries'; readonly id: number }
  | { readonly kind: 'none'; readonly query: string }
  | ({ readonly kind: 'statics' } & CheckedTable)
  | ({
      readonly kind: 'rows';
      readonly after: number;
      readonly count: number;
    } & CheckedTable);

/** The problems that a check found. */
export interface CheckReply {
  /** For the structure in SQLite's words, for rows in ours. */
  readonly problems: readonly string[];
  /** The number of the last checked row; null if there are no further rows. */
  readonly last: number | null;
  /** The number of checked rows. */
  readonly rows: number;
  /** Problems that are not in an index, so that building it again does not help. Only of `entries`. */
  readonly damaged?: readonly string[];
  /** Why the check itself failed. */
  readonly failure?: string;
}

/** Sends requests to the check process, one at a time. */
export class Checker {
  readonly #process: ModuleProcess<CheckRequest, CheckReply>;
  readonly #signal: AbortSignal;

  constructor(process: ModuleProcess<CheckRequest, CheckReply>, signal: AbortSignal) {
    this.#process = process;
    this.#signal = signal;
  }

  /** Undefined if the check was stopped. Rejects with an EngineError when the check itself fails. */
  async ask(request: CheckRequest): Promise<CheckReply | undefined> {
    const reply = await unlessStopped('ended', this.#signal, () => this.#process.ask(request));
    if (reply?.failure === undefined) return reply;
    throw new EngineError('readFailed', `the check could not be made: ${reply.failure}`);
  }

  async close(): Promise<void> {
    await this.#process.kill(); // it only reads, so that nothing is lost
  }
}

/** Starts the process; undefined if the check was stopped. Rejects with an EngineError when it cannot read the file. */
export async function startChecker(
  settings: CheckSettings,
  signal: AbortSignal,
): Promise<Checker | undefined> {
  const module = new URL('./check-process.js', import.meta.url);
  const start = () => ModuleProcess.start<CheckRequest, CheckReply>(module, settings, signal);
  const process = await unlessStopped('could not start', signal, start);
  return process === undefined ? undefined : new Checker(process, signal);
}

async function unlessStopped<Result>(
  failure: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  if (signal.aborted) return undefined;
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw new EngineError('readFailed', `the check process ${failure}`, error);
  }
}
