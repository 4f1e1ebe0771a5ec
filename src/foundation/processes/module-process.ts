// Runs a module of the server in a separate process: for work that only the end of its process can interrupt, as
// long calls into native code are.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * A process that answers one question at a time, each with one message, and says `ready` before the first. It ends by
 * itself when this one does.
 */
export class ModuleProcess<Question extends object, Answer> {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('exit', resolve);
      child.on('error', () => {
        if (child.pid === undefined) resolve(undefined); // it could not be started
      });
    });
  }

  /**
   * Starts the module; `settings` is its only argument, as JSON. `signal` ends the process at once, whatever it does.
   * Rejects when the process ends before it is ready.
   */
  static async start<Question extends object, Answer>(
    module: URL,
    settings: object,
    signal: AbortSignal,
  ): Promise<ModuleProcess<Question, Answer>> {
    const child = fork(module, [JSON.stringify(settings)], {
      execArgv: [],
      signal,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const started = new ModuleProcess<Question, Answer>(child);
    await started.#next();
    return started;
  }

  /** Rejects when the process ends before it has answered. */
  ask(question: Question): Promise<Answer> {
    this.#child.send(question, (error) => {
      if (error !== null) this.#child.kill('SIGKILL'); // it is gone, or as good as gone
    });
    return this.#next() as Promise<Answer>; // what the module sends
  }

  /** Ends it at once, whatever it does; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async #next(): Promise<unknown> {
    const ended = this.#ended.then((): never => {
      throw new Error('the process ended');
    });
    const [message] = await Promise.race([once(this.#child, 'message'), ended]);
    return message;
  }
}
