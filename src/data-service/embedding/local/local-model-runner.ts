// Passes texts to where their model runs: models of words in a thread, transformers and rerankers in a process.
import type { LocalModelRunner } from '../provider.js';
import type { LocalModel } from './find-local-models.js';
import { ModelThreadClient } from './model-thread-client.js';
import { TransformerClient } from './transformer-client.js';

/** Runs the models of a directory. Nothing is started before the first text. */
export class DirectoryRunner implements LocalModelRunner {
  readonly #words: ModelThreadClient;
  readonly #transformers: TransformerClient;
  readonly #ofTransformers: ReadonlySet<string>;

  constructor(directory: string, models: readonly LocalModel[]) {
    this.#words = new ModelThreadClient(directory);
    this.#transformers = new TransformerClient(directory);
    this.#ofTransformers = new Set(
      models.flatMap(({ name, kind }) => (kind === 'transformer' ? [name] : [])),
    );
  }

  embed: LocalModelRunner['embed'] = (wanted) =>
    this.#ofTransformers.has(wanted.model) ? this.#transformers.embed(wanted) : this.#words.embed(wanted);

  rank: LocalModelRunner['rank'] = (wanted) => this.#transformers.rank(wanted);

  /** Refuses what waits, and ends the thread and the process. */
  async close(): Promise<void> {
    await Promise.all([this.#words.close(), this.#transformers.close()]);
  }
}
