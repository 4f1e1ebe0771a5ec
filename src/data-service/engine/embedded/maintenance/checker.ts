// The main thread's side of the check process, which lives for one repair, and their messages.
import { ModuleProcess } from '../../../../foundation/processes/module-process.js';
import { EngineError } from '../../engine-error.js';

/** What the process is started with. */
export interface CheckSettings {
  readonly path: string;
}

/** A column as the file has it. */
export interface CheckedColumn {
  /** As in the file: `c3`. */
  readonly sqlName: string;
  /** As users know it. */
  readonly name: string;
  readonly typeName: string;
}

/** Structure: pages, indexes and constraints of a table. Rows: the values of some rows. */
export type CheckRequest =
  | { readonly kind: 'structure'; readonly table: string }
  | {
      readonly kind: 'rows';
      readonly table: string;
      readonly columns: readonly CheckedColumn[];
      /** How many of the columns, which come first, are the key. */
      readonly keyCount: number;
      readonly after: number;
      readonly count: number;
    };

/** The problems that a check found. */
export interface CheckReply {
  /** As SQLite words them for the structure, in words of our own for rows. */
  readonly problems: readonly string[];
  /** The last row that was checked; null behind the last one. */
  readonly last: number | null;
  /** Rows that were checked. */
  readonly rows: number;
  /** The check itself failed. */
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

  /** Undefined when the check is stopped. Rejects with an EngineError when the check itself fails. */
  async ask(request: CheckRequest): Promise<CheckReply | undefined> {
    const reply = await unlessStopped('ended', this.#signal, () => this.#process.ask(request));
    if (reply?.failure === undefined) return reply;
    throw new EngineError('readFailed', `the check could not be made: ${reply.failure}`);
  }

  async close(): Promise<void> {
    await this.#process.kill(); // it only reads, so that nothing is lost
  }
}

/** Starts the process; undefined when it is stopped. Rejects with an EngineError when it cannot read the file. */
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
