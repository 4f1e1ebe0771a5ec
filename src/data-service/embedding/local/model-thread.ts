// The thread of local models: loads each at its first use and makes vectors, so that other requests do not wait.
import { realpathSync } from 'node:fs';
import { systemClock } from '../../../foundation/telemetry/clock.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../../../foundation/threads/serve-thread.js';
import { type LinkMessage, MovedResult, ThreadLink } from '../../../foundation/threads/thread-link.js';
import { ProviderFailure } from '../provider-failure.js';
import { LoadedModels } from './loaded-models.js';
import {
  filesChanged,
  type ModelThreadCalls,
  type ModelThreadData,
  modelErrors,
  type TextsForModel,
} from './model-messages.js';
import { ModelProblem } from './model-problem.js';
import { StaticModel } from './static-model.js';

/** With this niceness small requests do not wait for texts that become vectors. */
const niceness = 5;

function serveModels(
  { directory }: ModelThreadData,
  owner: OwnerPort<LinkMessage, LinkMessage>,
): ThreadWork<LinkMessage> {
  const models = new LoadedModels<StaticModel>(systemClock);
  const present = async ({ model: name, fingerprint }: TextsForModel): Promise<StaticModel> => {
    const expectFiles = (found: string) => {
      if (found !== fingerprint) throw new ProviderFailure('unreachable', filesChanged);
    };
    const model = await models.get({ root: directory, name }, () => {
      const loaded = load(directory, name);
      // A model of other files is not kept: the right ones may be put back.
      expectFiles(loaded.fingerprint);
      return loaded;
    });
    expectFiles(model.fingerprint);
    return model;
  };
  const link = new ThreadLink<Record<never, never>, ModelThreadCalls>(
    owner,
    {
      embed: async (wanted) => {
        const made = embed(await present(wanted), wanted);
        return new MovedResult(made, [made.numbers.buffer]);
      },
    },
    modelErrors,
  );
  return { receive: (message) => link.receive(message), close: () => {} };
}

function load(directory: string, name: string): StaticModel {
  try {
    return new StaticModel({ root: realpathSync(directory), name });
  } catch (error) {
    if (error instanceof ModelProblem)
      throw new ProviderFailure('unreachable', `its files in ${directory} cannot be used: ${error.message}`);
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProviderFailure('serverError', `it could not be loaded: ${reason}`, { cause: error });
  }
}

function embed(model: StaticModel, { texts, purpose, timeoutMs }: TextsForModel) {
  const { dimension, mostTokens } = model;
  const deadlineMs = systemClock.monotonicMs() + timeoutMs;
  const numbers = new Float32Array(texts.length * dimension);
  let count = 0;
  for (const [at, text] of texts.entries()) {
    if (systemClock.monotonicMs() > deadlineMs)
      throw new ProviderFailure(
        'timeout',
        `${at} of ${texts.length} texts were embedded in the ${timeoutMs} ms that were left`,
      );
    const { vector, isCut } = model.vectorOf(text, purpose);
    numbers.set(vector, at * dimension);
    if (isCut) count += 1;
  }
  return { numbers, cut: count === 0 ? undefined : { count, mostTokens } };
}

serveThread(serveModels, { niceness });
