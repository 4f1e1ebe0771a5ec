// What `colonnade models` does with files, loaded by that command only.
import { realpathSync } from 'node:fs';
import type { ModelsSurroundings } from '../cli/models.js';
import { fetchModel } from '../data-service/embedding/local/fetch-model.js';
import { findLocalModels } from '../data-service/embedding/local/find-local-models.js';
import { ModelProblem } from '../data-service/embedding/local/model-problem.js';
import { StaticModel } from '../data-service/embedding/local/static-model.js';
import { SendFailure, sendRequest } from '../foundation/http/send-request.js';

/** See `ModelsSurroundings`. */
export const localModels: Pick<ModelsSurroundings, 'list' | 'check' | 'fetchModel'> = {
  list: async (directory) => findLocalModels(directory),
  check: async (directory, name) =>
    problemOf(async () => {
      new StaticModel({ root: realpathSync(directory), name }).vectorOf('A text to try it with.', 'passage');
      return undefined;
    }),
  fetchModel: async (wanted, onPart, signal) =>
    problemOf(() => fetchModel(wanted, { send: sendRequest, onPart, signal })),
};

/** The result of `work`, or a message for the user. Errors of the file system have the member `syscall`. */
async function problemOf<Result>(work: () => Promise<Result>): Promise<Result | string> {
  try {
    return await work();
  } catch (error) {
    const isForUser = error instanceof ModelProblem || error instanceof SendFailure;
    if (error instanceof Error && (isForUser || 'syscall' in error)) return error.message;
    throw error;
  }
}
