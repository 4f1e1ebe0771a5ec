// The main thread's side of the check thread, which lives for one repair.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { EngineError } from '../engine-error.js';
import type { CheckReply, CheckRequest, CheckSettings } from './check-messages.js';

/** Asks the check thread, one question at a time. */
export class Checker {
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.#exited = once(worker, 'exit');
  }

  /** Rejects with an EngineError when the check itself fails. */
  async ask(request: Exclude<CheckRequest, 'close'>): Promise<CheckReply> {
    this.#worker.postMessage(request);
    const ended = this.#exited.then((): never => {
      throw new EngineError('readFailed', 'the check thread ended');
    });
    // The type of the only messages that the thread sends once it is ready.
    const [reply] = (await Promise.race([once(this.#worker, 'message'), ended])) as [CheckReply];
    if (reply.failure === undefined) return reply;
    throw new EngineError('readFailed', `the check could not be made: ${reply.failure}`);
  }

  async close(): Promise<void> {
    this.#worker.postMessage('close' satisfies CheckRequest);
    await this.#exited;
  }
}

/** Starts the thread. Rejects with an EngineError when it cannot read the file. */
export async function startChecker(settings: CheckSettings): Promise<Checker> {
  const worker = new Worker(new URL('./check-thread.js', import.meta.url), { workerData: settings });
  try {
    await once(worker, 'message');
  } catch (error) {
    throw new EngineError('readFailed', 'the check thread could not start', error);
  }
  return new Checker(worker);
}
