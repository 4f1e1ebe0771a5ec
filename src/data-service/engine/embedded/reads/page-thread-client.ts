// The client of the page thread, on the main thread. The thread starts when many pages wait, and reads some of them.
import { availableParallelism } from 'node:os';
import { type ThreadEnded, WorkerThread } from '../../../../foundation/threads/worker-thread.js';
import { UnderWay } from '../../../../foundation/under-way.js';
import { unpackReadError } from '../file/storage-failure.js';
import type { PageReply, PageRequest, PageSettings } from './page-messages.js';
import type { PageText, WrittenPage } from './written-page.js';

/** A page that waits to be read; settled once. */
export interface WaitingPage {
  readonly page: WrittenPage;
  readonly resolve: (found: PageText | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** The file, and when the page thread helps. */
export interface PageThreadClientOptions {
  readonly path: string;
  /**
   * How many pages must wait at the same time before some are sent to the thread. For fewer, sending costs more than it
   * saves.
   */
  readonly fewestWaiting?: number;
}

const ordinaryFewestWaiting = 8;
const pagesPerMessage = 8;
/** Simultaneous messages: the thread always has a next one, and the main thread reads the remaining pages. */
const mostMessages = 6;
/** Pages leave only short-lived garbage, for which a small young generation is enough. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 } as const;

/** For more ranges, sending the request takes longer than reading them. */
const mostRanges = 8;

function isSmall({ page }: WaitingPage): boolean {
  return page.ranges.length <= mostRanges;
}

/** Sends pages to the page thread; must be closed before the data file. */
export class PageThreadClient<Waiting extends WaitingPage> {
  readonly #settings: PageSettings;
  readonly #fewestWaiting: number;
  readonly #onEnd: (lost: readonly Waiting[], error: Error) => void;
  /** The pages of each message. */
  readonly #underWay = new UnderWay<readonly Waiting[]>();
  #thread: WorkerThread<PageRequest, PageReply> | undefined;
  /** True on one processor, where the threads cannot run at the same time, and after the thread failed. */
  #isOutOfUse = availableParallelism() < 2;

  /** `onEnd` is called if the thread ends unexpectedly, with the pages that it has not read; it gets no more pages. */
  constructor(
    { path, fewestWaiting = ordinaryFewestWaiting }: PageThreadClientOptions,
    onEnd: (lost: readonly Waiting[], error: Error) => void,
  ) {
    this.#settings = { path };
    this.#fewestWaiting = fewestWaiting;
    this.#onEnd = onEnd;
  }

  /** Takes some of the waiting pages; returns the others, which the caller must read. */
  take(waiting: readonly Waiting[]): readonly Waiting[] {
    const small = this.#isOutOfUse ? [] : waiting.filter(isSmall);
    if (small.length < this.#fewestWaiting) return waiting;
    this.#thread ??= this.#start();
    const thread = this.#thread;
    if (!thread.isReady) return waiting;
    let taken = 0;
    while (this.#underWay.count < mostMessages && small.length - taken >= this.#fewestWaiting) {
      const pages = small.slice(taken, taken + pagesPerMessage);
      this.#underWay.add(pages);
      thread.post(pages.map(({ page }) => page));
      taken += pages.length;
    }
    if (small.length === waiting.length) return waiting.slice(taken);
    return [...small.slice(taken), ...waiting.filter((one) => !isSmall(one))];
  }

  /** Waits for the pages under way and ends the thread. */
  async close(): Promise<void> {
    this.#isOutOfUse = true;
    await this.#thread?.close();
  }

  #start(): WorkerThread<PageRequest, PageReply> {
    const thread = new WorkerThread<PageRequest, PageReply>({
      name: 'the page thread',
      module: new URL('./page-thread.js', import.meta.url),
      settings: this.#settings,
      resourceLimits,
    });
    thread.listen({ onReply: (reply) => this.#settle(reply), onEnd: (ended) => this.#end(ended) });
    return thread;
  }

  #settle(reply: PageReply): void {
    const pages = this.#underWay.takeFirst() ?? [];
    for (const [at, { resolve, reject }] of pages.entries()) {
      const { found, failure } = reply[at] ?? {};
      if (failure === undefined) resolve(found);
      else reject(unpackReadError(failure, 'a read failed in the page thread'));
    }
  }

  #end(ended: ThreadEnded): void {
    const lost = this.#underWay.takeAll().flat();
    if (this.#isOutOfUse && lost.length === 0) return;
    this.#isOutOfUse = true;
    this.#onEnd(lost, ended);
  }
}
