// The owner's side of a worker process: a process of its own that serves the same port as others of its kind.
// `serve-process.ts` is the other side. The only file that imports node:cluster.
import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';

/** How a worker process is started. */
export interface ProcessStart {
  /** The compiled module, which calls `serveProcess`. */
  readonly module: URL;
  /** Its only argument, for lists of processes: never a secret. */
  readonly label: string;
}

/** How a process ended: its exit code, or the signal that ended it; `problem`: it could not be started. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly problem?: string;
}

/** The owner's reactions to its process. */
export interface ProcessListener<Message> {
  /** Called for each message of the process until it has ended. */
  onMessage(message: Message): void;
  /** Called once, when the process has ended for any reason. */
  onEnd(end: ProcessEnd): void;
}

/**
 * A worker process. What it listens on is bound by this process and shared: each worker accepts connections from one
 * queue. It ends by itself when this process ends, however that ends.
 */
export class WorkerProcess<Message extends object> {
  readonly #worker: Worker;
  /** Messages for a process that does not listen yet and would lose them; undefined once it does. */
  #waiting: Message[] | undefined = [];
  #hasEnded = false;

  /** Starts the process with the options of Node that this process has. */
  constructor({ module, label }: ProcessStart, { onMessage, onEnd }: ProcessListener<Message>) {
    // The process that was started must not accept on behalf of its workers: connections would wait there unbounded.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({
      exec: fileURLToPath(module),
      args: [label],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const worker = cluster.fork();
    this.#worker = worker;
    const end = (ended: ProcessEnd) => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      onEnd(ended);
    };
    worker.on('message', (message: Message | 'ready') => {
      if (this.#hasEnded) return;
      if (message === 'ready') this.#sendWaiting();
      else onMessage(message);
    });
    worker.on('exit', (code: number | null, signal: string | null) => end({ code, signal }));
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) end({ code: null, signal: null, problem: error.message });
    });
  }

  /** Undefined if it could not be started. */
  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  /** Sends a message, a plain value that is copied; it is dropped once the process has ended. */
  post(message: Message): void {
    if (this.#waiting === undefined)
      this.#worker.send(message, () => {}); // `onEnd` reports the end
    else this.#waiting.push(message);
  }

  /** Ends it at once. */
  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  #sendWaiting(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const message of waiting) this.post(message);
  }
}
