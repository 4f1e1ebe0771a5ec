// Runs a module of the server in a separate process, for work that can be interrupted only by ending its process, such
// as long calls into native code.
import { type ChildProcess, fork } from 'node:child_process';

/**
 * A process that answers one question at a time, each with one message, and sends `ready` before the first. It ends by
 * itself when the parent process ends.
 */
export class ModuleProcess<Question extends object, Answer> {
  readonly #child: ChildProcess;
  /** Resolves when the process has ended for any reason. */
  readonly ended: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = new Promise((resolve) => {
      child.once('exit', resolve);
      child.on('error', () => {
        if (child.pid === undefined) resolve(undefined); // it could not be started
      });
    });
  }

  /**
   * Starts the module; `settings` is its only argument, as JSON. `signal` kills the process, also during a call.
   * `heapMb` limits its heap. Messages are copied as between threads. Rejects when the process ends before it is ready.
   */
  static async start<Question extends object, Answer>(
    module: URL,
    settings: object,
    signal: AbortSignal,
    { heapMb }: { readonly heapMb?: number } = {},
  ): Promise<ModuleProcess<Question, Answer>> {
    const child = fork(module, [JSON.stringify(settings)], {
      execArgv: heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`],
      serialization: 'advanced',
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
      if (error !== null) this.#child.kill('SIGKILL'); // it has ended or cannot get messages
    });
    return this.#next() as Promise<Answer>; // what the module sends
  }

  /** Kills it, also during a call; resolves when it has ended. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  /**
   * The next message. Listeners of its own, because a `then` on `ended` for each question would keep every answer until
   * the process ends.
   */
  #next(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        this.#child.off('message', onMessage);
        this.#child.off('exit', onEnd);
        this.#child.off('error', onEnd);
        end();
      };
      const onMessage = (message: unknown) => settle(() => resolve(message));
      const onEnd = () => settle(() => reject(new Error('the process ended')));
      this.#child.on('message', onMessage);
      this.#child.on('exit', onEnd);
      this.#child.on('error', onEnd);
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) onEnd();
    });
  }
}
