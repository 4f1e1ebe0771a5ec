// The client of the thread of local models: one batch of texts runs at a time, a bounded number of others waits.
import { NotBegun, WorkQueue } from '../../../foundation/limits/work-queue.js';
import { beginningOf } from '../../../foundation/text/shorten-text.js';
import { type LinkMessage, ThreadLink } from '../../../foundation/threads/thread-link.js';
import { ThreadEnded, WorkerThread } from '../../../foundation/threads/worker-thread.js';
import type { LocalVectors, RunLocalModel, TextsForLocalModel } from '../provider.js';
import { ProviderFailure } from '../provider-failure.js';
import { type ModelThreadCalls, modelErrors } from './model-messages.js';

/** The batches that wait. */
const mostWaiting = 256;
/** The characters of a text that reach the thread; models use a few thousand. */
const mostCharacters = 65_536;
/** A batch that takes so long, with the loading of its model, ends the thread. The next batch starts another one. */
const stuckMs = 60_000;
/** The heap has the tokenizers of models; their numbers are outside of it. */
const heapMb = 1024;

interface Running {
  readonly link: ThreadLink<ModelThreadCalls, Record<never, never>>;
  readonly thread: WorkerThread<LinkMessage, LinkMessage>;
}

/** Embeds texts by the models of a directory, in a thread that is started at the first text. */
export class ModelThreadClient {
  readonly #directory: string;
  readonly #queue = new WorkQueue({ places: 1, mostWaiting });
  #running: Running | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** One vector per text, in their order. Rejects with a ProviderFailure. */
  readonly embed: RunLocalModel = (wanted) => {
    const { timeoutMs, signal } = wanted;
    return new Promise((resolve, reject) => {
      const ending = new AbortController();
      const giveUp = (failure: ProviderFailure) => {
        ending.abort(); // what waits leaves the queue
        reject(failure);
      };
      const abort = () => giveUp(new ProviderFailure('unreachable', 'the request was cancelled'));
      const timer = setTimeout(() => {
        const hint = 'its model may still be loading, or other texts come first';
        giveUp(new ProviderFailure('timeout', `the texts were not embedded in ${timeoutMs} ms; ${hint}`));
      }, timeoutMs);
      signal.addEventListener('abort', abort, { once: true });
      this.#inQueue(wanted, ending.signal)
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer);
          signal.removeEventListener('abort', abort);
        });
    });
  };

  /** Refuses texts that wait, and ends the thread. */
  async close(): Promise<void> {
    this.#queue.close();
    await this.#end(this.#running);
  }

  async #inQueue(wanted: TextsForLocalModel, gone: AbortSignal): Promise<LocalVectors> {
    try {
      const whenGone = (listener: () => void) => gone.addEventListener('abort', listener, { once: true });
      return await this.#queue.run(1, () => this.#ask(wanted), whenGone);
    } catch (error) {
      if (error instanceof NotBegun)
        throw new ProviderFailure('rateLimited', error.message, { cause: error });
      if (error instanceof ThreadEnded)
        throw new ProviderFailure('serverError', error.message, { cause: error });
      throw error;
    }
  }

  async #ask({ model, fingerprint, purpose, texts, timeoutMs }: TextsForLocalModel): Promise<LocalVectors> {
    this.#running ??= this.#start();
    const running = this.#running;
    const timer = setTimeout(() => void this.#end(running), stuckMs);
    try {
      const beginnings = texts.map((text) => beginningOf(text, mostCharacters));
      const { numbers, cut: cutTexts } = await running.link.call('embed', {
        model,
        fingerprint,
        purpose,
        texts: beginnings,
        timeoutMs,
      });
      const dimension = numbers.length / texts.length;
      const vectors = texts.map((_, at) => numbers.slice(at * dimension, (at + 1) * dimension));
      return { vectors, cut: cutTexts };
    } finally {
      clearTimeout(timer);
    }
  }

  #start(): Running {
    const thread = this.#makeThread();
    const link = new ThreadLink<ModelThreadCalls, Record<never, never>>(thread, {}, modelErrors);
    thread.listen({
      onReply: (message) => link.receive(message),
      onEnd: (ended) => {
        if (this.#running?.link === link) this.#running = undefined;
        link.end(ended);
      },
    });
    return { link, thread };
  }

  #makeThread(): WorkerThread<LinkMessage, LinkMessage> {
    try {
      return new WorkerThread<LinkMessage, LinkMessage>({
        name: 'the thread of local models',
        module: new URL('./model-thread.js', import.meta.url),
        settings: { directory: this.#directory },
        resourceLimits: { maxOldGenerationSizeMb: heapMb },
      });
    } catch (cause) {
      throw new ProviderFailure('serverError', 'its thread could not be started', { cause });
    }
  }

  async #end(running: Running | undefined): Promise<void> {
    if (running === undefined) return;
    if (this.#running === running) this.#running = undefined;
    await running.thread.close(0);
  }
}
