// The main thread's side of the page thread, which is started when pages pile up and takes some of them over.
import { availableParallelism } from 'node:os';
import { UnderWay } from '../../../../foundation/threads/under-way.js';
import { type ThreadEnded, WorkerThread } from '../../../../foundation/threads/worker-thread.js';
import { unpackReadError } from '../file/storage-failure.js';
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
  /** The pages of each message. */
  readonly #underWay = new UnderWay<readonly Waiting[]>();
  #thread: WorkerThread<PageRequest, PageReply> | undefined;
  /** Nobody else could read beside the main thread, or the thread failed. */
  #isOutOfUse = availableParallelism() < 2;

  /** `onEnd` is called when the thread ended unexpectedly, with the pages it has not read; it takes no others then. */
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

  /** Waits for what was taken over, ends the thread. */
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
