// What `colonnade models` does with files, loaded by that command only.
import { realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { ModelsSurroundings } from '../cli/models.js';
import { fetchModel } from '../data-service/embedding/local/fetch-model.js';
import { findLocalModels } from '../data-service/embedding/local/find-local-models.js';
import type { ModelPlace } from '../data-service/embedding/local/model-files.js';
import { readLayout } from '../data-service/embedding/local/model-layout.js';
import { ModelProblem } from '../data-service/embedding/local/model-problem.js';
import { loadOnnxRuntime } from '../data-service/embedding/local/onnx-runtime.js';
import { RerankerModel } from '../data-service/embedding/local/reranker-model.js';
import { StaticModel } from '../data-service/embedding/local/static-model.js';
import { TransformerModel } from '../data-service/embedding/local/transformer-model.js';
import { SendFailure, sendRequest } from '../foundation/http/send-request.js';

/** See `ModelsSurroundings`. */
export const localModels: Pick<ModelsSurroundings, 'list' | 'check' | 'fetchModel'> = {
  list: async (directory) => findLocalModels(directory),
  check: async (directory, name) =>
    problemOf(async () => {
      await tryModel({ root: realpathSync(directory), name });
      return undefined;
    }),
  fetchModel: async (wanted, onPart, signal) =>
    problemOf(() => fetchModel(wanted, { send: sendRequest, onPart, signal })),
};

const sample = 'A text to try it with.';

/** Loads a model and uses it once. @throws ModelProblem */
async function tryModel(place: ModelPlace): Promise<void> {
  const runtime = () => loadOnnxRuntime(availableParallelism());
  switch (readLayout(place).kind) {
    case 'words':
      new StaticModel(place).vectorOf(sample, 'passage');
      return;
    case 'transformer':
      await (await TransformerModel.open(place, runtime())).embed([sample], 'passage', () => {});
      return;
    case 'reranker':
      await (await RerankerModel.open(place, runtime())).rank(sample, [sample], () => {});
  }
}

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
