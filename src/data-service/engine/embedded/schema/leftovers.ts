// Removes the tables of dropped tables, collections and indexes, and of those that were emptied, in small steps between
// other writes. What an earlier process left is removed after the next start.
import { EngineError } from '../../engine-error.js';
import type { Writer } from '../writes/writer.js';

/** The parts that the removal uses. */
export interface LeftoversParts {
  readonly writer: Pick<Writer, 'runStep'>;
  /** The maximum number of rows of a step. Default: so many that a step ends after some milliseconds. */
  readonly mostRows?: number | undefined;
}

/** Removes what is not in the schema. Returns the number of tables; undefined if it was stopped. @throws EngineError */
export async function removeLeftovers(
  { writer, mostRows = 1_000_000 }: LeftoversParts,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { tables } = await writer.runStep('findLeftovers', null);
  for (const table of tables) {
    for (let isGone = false; !isGone; ) {
      if (signal.aborted) return undefined;
      ({ isGone } = await writer.runStep('shrinkLeftover', { table, mostRows }));
    }
  }
  return tables.length;
}

/** Removes leftovers in the background. */
export class Leftovers {
  readonly #parts: LeftoversParts;
  readonly #onWarning: (error: unknown) => void;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  #hasMore = false;

  constructor(parts: LeftoversParts, onWarning: (error: unknown) => void) {
    this.#parts = parts;
    this.#onWarning = onWarning;
  }

  /** Removes what is there now. A failure causes a warning: the next call, or the next start, tries again. */
  start(): void {
    if (this.#ending.signal.aborted) return;
    if (this.#running !== undefined) {
      this.#hasMore = true;
      return;
    }
    this.#running = this.#run()
      .catch((error) => {
        const isEnd = error instanceof EngineError && error.kind === 'closed';
        if (!isEnd) this.#onWarning(error);
      })
      .then(() => {
        this.#running = undefined;
      });
  }

  /** Stops after the current step. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    do {
      this.#hasMore = false;
      await removeLeftovers(this.#parts, this.#ending.signal);
    } while (this.#hasMore && !this.#ending.signal.aborted);
  }
}
