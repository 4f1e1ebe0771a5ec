// The main thread's side of the check process, which lives for one repair.
import { ModuleProcess } from '../../../../foundation/processes/module-process.js';
import { EngineError } from '../../engine-error.js';
import type { CheckReply, CheckRequest, CheckSettings } from './check-messages.js';

/** Asks the check process, one question at a time. */
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
    await this.#process.kill(); // it only reads
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
