// Finishes collections whose creation was interrupted, because a server was killed or lost the cluster.
import { EngineError } from '../../engine-error.js';
import type { KnownKeyspace } from './known-schema.js';

/** The longest pause between attempts, which is twice as long after each one that failed. */
const longestPauseMs = 600_000;

/** How collections are finished. */
export interface FinishTools {
  /** Does nothing where the collection is finished or gone. @throws EngineError */
  readonly finish: (keyspace: string, name: string) => Promise<void>;
  /** How long the server that began it has to finish it, and until the next attempt. */
  readonly afterMs: number;
  readonly onWarning: (error: Error) => void;
}

/** Watches the schema for unfinished collections. Several servers may finish one at the same time. */
export class UnfinishedCollections {
  readonly #tools: FinishTools;
  /** The unfinished collections of the schema that was read last. */
  #names: readonly (readonly [keyspace: string, name: string])[] = [];
  #pauseMs: number;
  #timer: NodeJS.Timeout | undefined;
  #finishing: Promise<void> | undefined;
  #isClosed = false;

  constructor(tools: FinishTools) {
    this.#tools = tools;
    this.#pauseMs = tools.afterMs;
  }

  /** Notes the schema after each read of it. */
  note(keyspaces: readonly KnownKeyspace[]): void {
    this.#names = keyspaces.flatMap(({ name, unfinished }) =>
      [...unfinished.keys()].map((each) => [name, each] as const),
    );
    if (this.#names.length > 0) this.#finishLater();
    else this.#pauseMs = this.#tools.afterMs;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#finishing;
  }

  #finishLater(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#finishing = this.#finishAll().finally(() => {
        this.#timer = undefined;
        this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
        if (this.#names.length > 0) this.#finishLater();
      });
    }, this.#pauseMs).unref();
  }

  async #finishAll(): Promise<void> {
    for (const [keyspace, name] of this.#names) {
      try {
        await this.#tools.finish(keyspace, name);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        if (error.kind === 'closed') return;
        const problem = `the collection ${keyspace}.${name}, whose creation was interrupted, could not be finished`;
        this.#tools.onWarning(new Error(problem, { cause: error }));
      }
    }
  }
}
