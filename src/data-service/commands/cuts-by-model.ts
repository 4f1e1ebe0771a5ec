// Counts the texts that models did not read to their end, and says so in the reply.
import type { CutTexts } from '../embedding/provider.js';
import { type ApiError, apiError } from '../errors/api-error.js';

/** Texts of a command that a model did not read to their end; plain data. */
export interface CutByModel extends CutTexts {
  readonly provider: string;
  readonly model: string;
}

/** The counts of a command: one for each model. */
export class CutsByModel {
  readonly #cuts = new Map<string, CutByModel>();

  /** Adds texts of one batch. */
  add(provider: string, model: string, { count, mostTokens }: CutTexts): void {
    const key = JSON.stringify([provider, model]);
    const before = this.#cuts.get(key)?.count ?? 0;
    this.#cuts.set(key, { provider, model, count: before + count, mostTokens });
  }

  /** Adds the counts of another step of the command. */
  addAll(cuts: readonly CutByModel[]): void {
    for (const cut of cuts) this.add(cut.provider, cut.model, cut);
  }

  get all(): readonly CutByModel[] {
    return [...this.#cuts.values()];
  }

  /** A warning for each model. */
  get warnings(): readonly ApiError[] {
    return this.all.map((cut) => apiError('warning', 'TEXTS_CUT_BY_MODEL', cut));
  }
}
