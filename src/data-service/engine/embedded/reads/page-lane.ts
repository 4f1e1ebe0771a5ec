// The main thread's side of the page thread, which is started when pages pile up and takes some of them over.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { unpackFailure } from '../file/thread-failure.js';
import type { PageReply, PageRequest, PageSettings } from './page-messages.js';
import type { PageText, WrittenPage } from './written-page.js';

/** A page to be read; settled once. */
export interface WaitingPage {
  readonly page: WrittenPage;
  readonly resolve: (found: PageText | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Which file, and when to help. */
export interface PageLaneOptions {
  readonly path: string;
  /** Pages that wait at the same time before some are taken over. Of fewer, asking costs more than it saves. */
  readonly fewestWaiting?: number;
}

const ordinaryFewestWaiting = 8;
const pagesPerMessage = 8;
/** Messages under way: the thread has the next one when it is done with one, and the main thread gets the rest. */
const mostMessages = 6;
/** What pages leave behind is collected as cheaply in a small space. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 } as const;

/** Asking for very many ranges takes longer than reading them. */
const mostRanges = 8;

function isSmall({ page }: WaitingPage): boolean {
  return page.ranges.length <= mostRanges;
}

/** Takes pages over; closed before the data file is. */
export class PageLane<Waiting extends WaitingPage> {
  readonly #settings: PageSettings;
  readonly #fewestWaiting: number;
  readonly #onEnd: (lost: readonly Waiting[], error: Error) => void;
  /** In the order of the messages. */
  readonly #underWay: (readonly Waiting[])[] = [];
  #worker: Worker | undefined;
  #exited: Promise<void> = Promise.resolve();
  #isReady = false;
  /** Nobody else could read beside the main thread, or the thread failed. */
  #isOutOfUse = availableParallelism() < 2;

  /** `onEnd` hears when the thread ended unasked, and what it has left: from then on it takes nothing over. */
  constructor(
    { path, fewestWaiting = ordinaryFewestWaiting }: PageLaneOptions,
    onEnd: (lost: readonly Waiting[], error: Error) => void,
  ) {
    this.#settings = { path };
    this.#fewestWaiting = fewestWaiting;
    this.#onEnd = onEnd;
  }

  /** Takes over some of the pages that wait; gives those back that the caller is to read. */
  take(waiting: readonly Waiting[]): readonly Waiting[] {
    const small = this.#isOutOfUse ? [] : waiting.filter(isSmall);
    if (small.length < this.#fewestWaiting) return waiting;
    this.#worker ??= this.#start();
    if (!this.#isReady) return waiting;
    let taken = 0;
    while (this.#underWay.length < mostMessages && small.length - taken >= this.#fewestWaiting) {
      const pages = small.slice(taken, taken + pagesPerMessage);
      this.#underWay.push(pages);
      this.#post(pages.map(({ page }) => page));
      taken += pages.length;
    }
    if (small.length === waiting.length) return waiting.slice(taken);
    return [...small.slice(taken), ...waiting.filter((one) => !isSmall(one))];
  }

  /** Waits for what was taken over, ends the thread. */
  async close(): Promise<void> {
    this.#isOutOfUse = true;
    if (this.#worker !== undefined) this.#post('close');
    await this.#exited;
  }

  #post(request: PageRequest): void {
    this.#worker?.postMessage(request);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./page-thread.js', import.meta.url), {
      workerData: this.#settings,
      resourceLimits,
    });
    worker.on('message', (reply: PageReply | 'ready') => {
      if (reply === 'ready') this.#isReady = true;
      else this.#settle(reply);
    });
    let failure = new Error('the page thread ended: pages are read one after another from now on');
    worker.on('error', (error) => {
      failure = error;
    });
    this.#exited = new Promise((resolve) => {
      worker.on('exit', () => {
        resolve();
        this.#end(failure);
      });
    });
    return worker;
  }

  #settle(reply: PageReply): void {
    const pages = this.#underWay.shift() ?? [];
    for (const [at, { resolve, reject }] of pages.entries()) {
      const { found, failure } = reply[at] ?? {};
      if (failure === undefined) resolve(found);
      else reject(unpackFailure(failure, 'a read failed in the page thread'));
    }
  }

  #end(failure: Error): void {
    const lost = this.#underWay.splice(0).flat();
    if (this.#isOutOfUse && lost.length === 0) return;
    this.#isOutOfUse = true;
    this.#onEnd(lost, failure);
  }
}
