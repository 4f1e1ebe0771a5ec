// The place of one worker process: when the process ends unexpectedly, another one is started, at a bounded rate.

import type { Clock } from '../telemetry/clock.js';
import type { Logger } from '../telemetry/logger.js';
import type { ErrorForm } from '../threads/crossing-error.js';
import { type CallTable, type LinkMessage, ThreadLink } from '../threads/thread-link.js';
import { waitAtMost } from '../wait-at-most.js';
import { type ProcessEnd, WorkerProcess } from './worker-process.js';

/** What a place needs. `Calls` are those that its workers answer, `Host` those that this process answers. */
export interface PlaceOptions<Calls extends CallTable<Calls>, Host extends CallTable<Host>, Started> {
  /** From 1. */
  readonly worker: number;
  /** The compiled module of the workers, which calls `serveProcess`. */
  readonly module: URL;
  readonly host: Host;
  readonly errorForms: readonly ErrorForm[];
  /** Makes the first call of a worker that starts now; rejects when it cannot serve. */
  readonly start: (link: ThreadLink<Calls, Host>) => Promise<Started>;
  /** Asks for a sign of life. */
  readonly beat: (link: ThreadLink<Calls, Host>) => Promise<unknown>;
  /** Asks the worker to close everything and to end. */
  readonly end: (link: ThreadLink<Calls, Host>) => void;
  /** The log entry about a later worker whose start was rejected. */
  readonly failedStart: string;
  /** Called when a worker that served, or was to serve again, has ended. */
  readonly onEnd: () => void;
  /** Called when a later worker serves. */
  readonly onAgain: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The worker that was called does not run, or ended before it answered. */
export class WorkerGone extends Error {}

const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** A worker that ran for so long is not one that ends again and again. */
const lastingMs = 60_000;
/** How often a worker is asked for a sign of life, and how many times in a row it may miss: 20 to 25 s. */
const beatMs = 5_000;
const mostMissedBeats = 4;
/** Less than the time in which the whole server must stop. */
const closeTimeoutMs = 1500;

/** A worker, and those that take its place. */
export class WorkerPlace<Calls extends CallTable<Calls>, Host extends CallTable<Host>, Started> {
  readonly #options: PlaceOptions<Calls, Host, Started>;
  #running:
    | { readonly child: WorkerProcess<LinkMessage>; readonly link: ThreadLink<Calls, Host> }
    | undefined;
  #ended: Promise<void> = Promise.resolve();
  #isServing = false;
  #isClosing = false;
  #pauseMs = firstPauseMs;
  #restart: NodeJS.Timeout | undefined;
  #beats: NodeJS.Timeout | undefined;

  constructor(options: PlaceOptions<Calls, Host, Started>) {
    this.#options = options;
  }

  get worker(): number {
    return this.#options.worker;
  }

  /** Whether there is a process, serving or not. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get isServing(): boolean {
    return this.#isServing;
  }

  /** Starts the first worker; rejects when it cannot serve. From then on those that end are replaced. */
  async start(): Promise<Started> {
    const started = await this.#begin(false);
    this.#serve();
    return started;
  }

  /** Calls the worker. @throws WorkerGone, and what the call throws */
  call: ThreadLink<Calls, Host>['call'] = (name, argument, signal) => {
    if (this.#running === undefined)
      return Promise.reject(new WorkerGone(`worker ${this.worker} does not run`));
    return this.#running.link.call(name, argument, signal);
  };

  /** From now on no worker is started. */
  stopRestarting(): void {
    this.#isClosing = true;
    clearTimeout(this.#restart);
  }

  /** Ends the worker. */
  async close(): Promise<void> {
    this.stopRestarting();
    const running = this.#running;
    if (running !== undefined) this.#options.end(running.link);
    await waitAtMost(closeTimeoutMs, this.#ended);
    running?.child.kill();
    await this.#ended;
  }

  #begin(isAgain: boolean): Promise<Started> {
    const { worker, module, host, errorForms, start, clock } = this.#options;
    const startedMs = clock.monotonicMs();
    let noteEnd = () => {};
    this.#ended = new Promise((resolve) => {
      noteEnd = resolve;
    });
    const child: WorkerProcess<LinkMessage> = new WorkerProcess(
      { module, label: `worker ${worker}` },
      {
        onMessage: (message) => link.receive(message),
        onEnd: (end) => {
          noteEnd();
          clearInterval(this.#beats);
          this.#running = undefined;
          link.end(new WorkerGone(`worker ${worker} ended ${wordsOf(end)}`));
          if (this.#isServing || isAgain) this.#replace(end, child.pid, clock.monotonicMs() - startedMs);
        },
      },
    );
    const link: ThreadLink<Calls, Host> = new ThreadLink(child, host, errorForms);
    this.#running = { child, link };
    return start(link);
  }

  /** From now on a worker that hangs is ended, and then replaced: it would keep connections that others could serve. */
  #serve(): void {
    this.#isServing = true;
    const { worker, beat, logger } = this.#options;
    clearInterval(this.#beats);
    let missed = 0;
    // Beats are counted, not the time: this process may have been suspended together with the worker.
    this.#beats = setInterval(() => {
      const { child, link } = this.#running ?? {};
      if (missed === 0 && link !== undefined)
        beat(link).then(
          () => {
            missed = 0;
          },
          () => undefined, // it has ended, which `onEnd` handles
        );
      if (missed === mostMissedBeats) {
        logger.error({ worker, workerPid: child?.pid }, 'a worker does not answer; it is ended');
        child?.kill();
      }
      missed += 1;
    }, beatMs);
  }

  #replace(end: ProcessEnd, pid: number | undefined, ranMs: number): void {
    const { worker, onEnd, logger } = this.#options;
    this.#isServing = false;
    onEnd();
    if (this.#isClosing) return;
    if (ranMs >= lastingMs) this.#pauseMs = firstPauseMs;
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    logger.error({ worker, workerPid: pid, ...end, pauseMs }, 'a worker ended; another one is started');
    this.#restart = setTimeout(() => this.#startAgain(), pauseMs);
  }

  #startAgain(): void {
    const { worker, failedStart, onAgain, logger } = this.#options;
    this.#begin(true).then(
      () => {
        this.#serve();
        logger.info({ worker, workerPid: this.#running?.child.pid }, 'another worker serves');
        onAgain();
      },
      (err) => {
        if (err instanceof WorkerGone) return; // its end was handled
        logger.error({ err, worker }, failedStart);
        this.#running?.child.kill();
      },
    );
  }
}

function wordsOf({ code, signal, problem }: ProcessEnd): string {
  if (problem !== undefined) return `because it could not be started: ${problem}`;
  return signal === null ? `with code ${code}` : `by ${signal}`;
}
