// The models that a thread or process has loaded, and those that could not be loaded.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import type { ModelPlace } from './model-files.js';

interface FailedLoad {
  readonly error: unknown;
  /** The state of the model's files before the load. */
  readonly files: string;
  readonly atMs: number;
}

/** A model has some twenty files; later ones are not looked at. */
const mostFiles = 200;
/** After this time a load is tried again: what was missing may have been memory. */
const retryMs = 60_000;

/**
 * Models by name, each loaded at its first use. One that could not be loaded is loaded again when its files changed, or
 * after a minute: to read a large file for each text, only to refuse it, would stop the other models.
 */
export class LoadedModels<Model> {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #models = new Map<string, Model>();
  readonly #failed = new Map<string, FailedLoad>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** The model of a place. Rejects as `load` does, also for a while after it did. */
  async get(place: ModelPlace, load: () => Model | Promise<Model>): Promise<Model> {
    const { name } = place;
    const known = this.#models.get(name);
    if (known !== undefined) return known;
    const files = stateOf(place);
    const atMs = this.#clock.monotonicMs();
    const failed = this.#failed.get(name);
    if (failed?.files === files && atMs - failed.atMs < retryMs) throw failed.error;
    this.#failed.delete(name);
    try {
      const model = await load();
      this.#models.set(name, model);
      return model;
    } catch (error) {
      this.#failed.set(name, { error, files, atMs });
      throw error;
    }
  }
}

/** The names, sizes and times of the files of a model; a symbolic link counts as the file to which it leads. */
function stateOf({ root, name }: ModelPlace): string {
  const directory = join(root, name);
  try {
    const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort().slice(0, mostFiles);
    return paths
      .map((path) => {
        const found = statSync(join(directory, path), { bigint: true, throwIfNoEntry: false });
        return [path, found?.size, found?.mtimeNs, found?.ino].join(' ');
      })
      .join('\n');
  } catch (error) {
    return String(error);
  }
}
