// The process of transformers: loads each at its first use, makes vectors and ranks passages. The runtime is native
// code, which can end its process; a thread with a graph that runs can only be ended together with its process.
import { realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { systemClock } from '../../../foundation/telemetry/clock.js';
import { giveWay } from '../../../foundation/threads/give-way.js';
import { ProviderFailure } from '../provider-failure.js';
import { LoadedModels } from './loaded-models.js';
import { filesChanged } from './model-messages.js';
import { ModelProblem } from './model-problem.js';
import { type LoadedRuntime, loadOnnxRuntime } from './onnx-runtime.js';
import { RerankerModel } from './reranker-model.js';
import type {
  TransformerAnswer,
  TransformerProcessData,
  TransformerQuestion,
} from './transformer-messages.js';
import { TransformerModel } from './transformer-model.js';

/** With this niceness small requests do not wait for texts that become vectors. */
const niceness = 5;
/** The threads of a graph: half of the processors, because the server needs others. */
const threads = Math.max(1, Math.min(8, availableParallelism() >> 1));

/** Answers the questions of the server. */
class Transformers {
  readonly #directory: string;
  readonly #embedders = new LoadedModels<TransformerModel>(systemClock);
  readonly #rerankers = new LoadedModels<RerankerModel>(systemClock);
  #runtime: LoadedRuntime | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Never rejects. */
  async answer(question: TransformerQuestion): Promise<TransformerAnswer> {
    try {
      if (question.kind === 'rank') {
        const { query, passages } = question;
        const expectTime = latestOf(question, passages.length);
        const model = await this.#reranker(question.model);
        return { kind: 'scores', ...(await model.rank(query, passages, expectTime)) };
      }
      const { texts, purpose } = question;
      // Loading a model is a part of the time.
      const expectTime = latestOf(question, texts.length);
      const model = await this.#embedder(question.model, question.fingerprint);
      return { kind: 'vectors', ...(await model.embed(texts, purpose, expectTime)) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof ProviderFailure) return { kind: 'failure', problem: error.problem, message };
      const known = error instanceof ModelProblem;
      const problem = known ? 'unreachable' : 'serverError';
      return { kind: 'failure', problem, message: known ? `it cannot be used: ${message}` : message };
    }
  }

  async #embedder(name: string, fingerprint: string): Promise<TransformerModel> {
    const [place, runtime] = [this.#place(name), this.#loaded()];
    // Other files are refused before their graph is loaded: nothing frees it at once, and the right ones may come back.
    const expectFiles = (found: string) => {
      if (found !== fingerprint) throw new ProviderFailure('unreachable', filesChanged);
    };
    const model = await this.#embedders.get(place, () => TransformerModel.open(place, runtime, expectFiles));
    expectFiles(model.fingerprint);
    return model;
  }

  #reranker(name: string): Promise<RerankerModel> {
    const [place, runtime] = [this.#place(name), this.#loaded()];
    return this.#rerankers.get(place, () => RerankerModel.open(place, runtime));
  }

  #place(name: string) {
    return { root: realpathSync(this.#directory), name };
  }

  #loaded(): LoadedRuntime {
    this.#runtime ??= loadOnnxRuntime(threads);
    return this.#runtime;
  }
}

/** Throws when the time of a question is over. */
function latestOf({ timeoutMs }: TransformerQuestion, count: number): (done: number) => void {
  const deadlineMs = systemClock.monotonicMs() + timeoutMs;
  return (done) => {
    if (systemClock.monotonicMs() > deadlineMs)
      throw new ProviderFailure(
        'timeout',
        `${done} of ${count} texts were read in the ${timeoutMs} ms that were left`,
      );
  };
}

function serveTransformers(
  { directory }: TransformerProcessData,
  send: (message: TransformerAnswer | 'ready') => void,
): void {
  giveWay(niceness);
  const transformers = new Transformers(directory);
  process.on('message', (question: TransformerQuestion) => void transformers.answer(question).then(send));
  // The server ends this process, also when a terminal or a supervisor sends a signal to both.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit());
  send('ready');
}

const [settings] = process.argv.slice(2);
const { send } = process;
// Only `transformer-client.ts` starts it, with these settings.
if (settings !== undefined && send !== undefined) {
  serveTransformers(
    JSON.parse(settings) as TransformerProcessData,
    (message) => void send.call(process, message),
  );
}
