// The client of the process of transformers.
import { ModuleProcess } from '../../../foundation/processes/module-process.js';
import type { LocalScores, LocalVectors, PassagesForLocalModel, TextsForLocalModel } from '../provider.js';
import { ProviderFailure } from '../provider-failure.js';
import { beginningsOf, heapMb, ModelQueue, stuckMs, vectorsOf } from './model-queue.js';
import type { TransformerAnswer, TransformerQuestion } from './transformer-messages.js';

type TransformerProcess = ModuleProcess<TransformerQuestion, TransformerAnswer>;

/** Embeds texts and ranks passages by the graphs of a directory, in a process that is started at the first text. */
export class TransformerClient {
  readonly #directory: string;
  readonly #queue = new ModelQueue();
  readonly #ending = new AbortController();
  #running: TransformerProcess | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Rejects with a ProviderFailure. */
  embed({ model, fingerprint, purpose, texts, ...limits }: TextsForLocalModel): Promise<LocalVectors> {
    const question = { model, fingerprint, purpose, texts: beginningsOf(texts) };
    return this.#queue.run(limits, async (timeoutMs) => {
      const answer = await this.#ask({ kind: 'embed', ...question, timeoutMs });
      if (answer.kind !== 'vectors') throw failureOf(answer);
      return { vectors: vectorsOf(answer.numbers, texts.length), cut: answer.cut };
    });
  }

  /** Rejects with a ProviderFailure. */
  rank({ model, query, passages, ...limits }: PassagesForLocalModel): Promise<LocalScores> {
    const [beginning = ''] = beginningsOf([query]);
    const question = { model, query: beginning, passages: beginningsOf(passages) };
    return this.#queue.run(limits, async (timeoutMs) => {
      const answer = await this.#ask({ kind: 'rank', ...question, timeoutMs });
      if (answer.kind !== 'scores') throw failureOf(answer);
      return { scores: answer.scores, cut: answer.cut };
    });
  }

  /** Refuses work that waits, and ends the process. */
  async close(): Promise<void> {
    this.#queue.close();
    this.#ending.abort();
    await this.#running?.kill();
  }

  async #ask(question: TransformerQuestion): Promise<TransformerAnswer> {
    try {
      const running = this.#running ?? (await this.#start());
      const timer = setTimeout(() => void running.kill(), stuckMs);
      try {
        return await running.ask(question);
      } finally {
        clearTimeout(timer);
      }
    } catch (cause) {
      throw new ProviderFailure(
        'serverError',
        'the process of local models ended, or could not be started; it may lack memory. It begins again with the next text',
        { cause },
      );
    }
  }

  /** Only one piece of work runs at a time, so no two start it. */
  async #start(): Promise<TransformerProcess> {
    const stuck = new AbortController();
    const timer = setTimeout(() => stuck.abort(), stuckMs);
    const starting = ModuleProcess.start<TransformerQuestion, TransformerAnswer>(
      new URL('./transformer-process.js', import.meta.url),
      { directory: this.#directory },
      AbortSignal.any([this.#ending.signal, stuck.signal]),
      { heapMb },
    );
    const started = await starting.finally(() => clearTimeout(timer));
    this.#running = started;
    void started.ended.then(() => {
      if (this.#running === started) this.#running = undefined;
    });
    return started;
  }
}

/** The failure that the process reports. */
function failureOf(answer: TransformerAnswer): ProviderFailure {
  if (answer.kind === 'failure') return new ProviderFailure(answer.problem, answer.message);
  throw new TypeError(`an answer to another question: ${answer.kind}`);
}
