// The client of the thread of models of words.
import { type LinkMessage, ThreadLink } from '../../../foundation/threads/thread-link.js';
import { ThreadEnded, WorkerThread } from '../../../foundation/threads/worker-thread.js';
import type { LocalVectors, TextsForLocalModel } from '../provider.js';
import { ProviderFailure } from '../provider-failure.js';
import { type ModelThreadCalls, modelErrors } from './model-messages.js';
import { beginningsOf, heapMb, ModelQueue, stuckMs, vectorsOf } from './model-queue.js';

interface Running {
  readonly link: ThreadLink<ModelThreadCalls, Record<never, never>>;
  readonly thread: WorkerThread<LinkMessage, LinkMessage>;
}

/** Embeds texts by the models of words of a directory, in a thread that is started at the first text. */
export class ModelThreadClient {
  readonly #directory: string;
  readonly #queue = new ModelQueue();
  #running: Running | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Rejects with a ProviderFailure. */
  embed(wanted: TextsForLocalModel): Promise<LocalVectors> {
    return this.#queue.run(wanted, (timeoutMs) => this.#ask({ ...wanted, timeoutMs }));
  }

  /** Refuses texts that wait, and ends the thread. */
  async close(): Promise<void> {
    this.#queue.close();
    await this.#end(this.#running);
  }

  async #ask({ model, fingerprint, purpose, texts, timeoutMs }: TextsForLocalModel): Promise<LocalVectors> {
    this.#running ??= this.#start();
    const running = this.#running;
    const timer = setTimeout(() => void this.#end(running), stuckMs);
    try {
      const given = { model, fingerprint, purpose, texts: beginningsOf(texts), timeoutMs };
      const { numbers, cut } = await running.link.call('embed', given);
      return { vectors: vectorsOf(numbers, texts.length), cut };
    } catch (error) {
      if (error instanceof ThreadEnded)
        throw new ProviderFailure('serverError', error.message, { cause: error });
      throw error;
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
