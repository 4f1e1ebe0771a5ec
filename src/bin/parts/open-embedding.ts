// Opens the embedding providers and their catalogue.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeEmbedder } from '../../data-service/commands/embed-texts.js';
import { makeReranker } from '../../data-service/commands/rank-documents.js';
import type { RunCommandOptions } from '../../data-service/commands/run-command.js';
import {
  asKnown,
  type EmbeddingCatalogue,
  makeCatalogue,
  type RerankingCatalogue,
} from '../../data-service/embedding/catalogue.js';
import { makeCheckEmbeddingService } from '../../data-service/embedding/check-embedding-service.js';
import type { KeyStore } from '../../data-service/embedding/key-store.js';
import { findLocalModels, type LocalModel } from '../../data-service/embedding/local/find-local-models.js';
import { DirectoryRunner } from '../../data-service/embedding/local/local-model-runner.js';
import { advice, hasOnnxRuntime } from '../../data-service/embedding/local/onnx-runtime.js';
import type { ProviderEffects } from '../../data-service/embedding/provider.js';
import { ProviderFailure } from '../../data-service/embedding/provider-failure.js';
import { local, withLocalModels } from '../../data-service/embedding/providers/local.js';
import { embeddingProviders } from '../../data-service/embedding/providers/registry.js';
import { readProvidersFile } from '../../data-service/embedding/providers-file.js';
import { local as localReranker, withLocalRerankers } from '../../data-service/embedding/rerankers/local.js';
import { rerankingProviders } from '../../data-service/embedding/rerankers/registry.js';
import { ConfigProblems } from '../../foundation/config/load-config.js';
import type { Config } from '../../foundation/config/options.js';
import { sendRequest } from '../../foundation/http/send-request.js';
import { systemClock } from '../../foundation/telemetry/clock.js';

/** The parts of embedding that commands need. */
export type EmbeddingParts = Pick<RunCommandOptions, 'embedder' | 'checkEmbeddingService' | 'reranker'>;

/** What was opened. */
export interface OpenEmbedding extends EmbeddingParts {
  /** What the directory of `--models` holds; empty without the option. */
  readonly localModels: readonly LocalModel[];
  /** The text of the providers file, for other threads; undefined without the option. */
  readonly providersText: string | undefined;
  /** Ends the thread and the process of local models, if they run. */
  close(): Promise<void>;
}

/**
 * Opens them with the keys of the key store.
 * @throws ConfigProblems for a providers file, or a directory of models, that cannot be used
 */
export function openEmbedding(config: Config, keys: Pick<KeyStore, 'get'>): OpenEmbedding {
  const localModels = readLocalModels(config);
  const providersText = readProvidersText(config);
  const { embedding: catalogue, reranking } = openCatalogues(config, localModels, providersText);
  const running = config.models === undefined ? undefined : new DirectoryRunner(config.models, localModels);
  const findKey = (name: string) => keys.get(name);
  const effects = {
    send: sendRequest,
    clock: systemClock,
    sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }),
    random: Math.random,
    localModels: running ?? withoutModels,
  };
  return {
    localModels,
    providersText,
    close: async () => running?.close(),
    embedder: makeEmbedder({ catalogue, findKey, effects }),
    reranker: makeReranker({ catalogue: reranking, findKey, effects }),
    checkEmbeddingService: makeCheckEmbeddingService({ catalogue, findKey }),
  };
}

/** The providers of a server. */
export interface Catalogues {
  readonly embedding: EmbeddingCatalogue;
  readonly reranking: RerankingCatalogue;
}

/** Reads every file of the models: the server does not start with one that it cannot use. @throws ConfigProblems */
function readLocalModels({ models: directory }: Config): readonly LocalModel[] {
  if (directory === undefined) return [];
  const { models, problems } = findLocalModels(directory);
  const needy = hasOnnxRuntime() ? undefined : models.find(({ kind }) => kind !== 'words');
  const missing =
    needy === undefined
      ? []
      : [
          `${directory}/${needy.name} is a ${needy.kind}, which needs the package onnxruntime-node. ${advice}.`,
        ];
  const all = [...problems, ...missing].map((problem) => `--models: ${problem}`);
  if (all.length > 0) throw new ConfigProblems(all);
  return models;
}

const refuseModels = () =>
  Promise.reject(new ProviderFailure('unreachable', 'the server was started without --models'));
const withoutModels: ProviderEffects['localModels'] = { embed: refuseModels, rank: refuseModels };

/**
 * The catalogues of providers. `providersText`: that of the providers file, which may be changed while the server runs.
 * @throws ConfigProblems for a providers file that cannot be used
 */
export function openCatalogues(
  { providersFile: file = '', region, models }: Config,
  localModels: readonly LocalModel[],
  providersText: string | undefined,
): Catalogues {
  const embedders = localModels.filter((model) => model.kind !== 'reranker');
  const names = localModels.flatMap(({ kind, name }) => (kind === 'reranker' ? [name] : []));
  const providers = embeddingProviders.map((provider) =>
    provider === local && models !== undefined
      ? { ...provider, entry: withLocalModels(embedders) }
      : provider,
  );
  const rerankers = rerankingProviders.map((provider) =>
    provider === localReranker ? { ...provider, entry: withLocalRerankers(names) } : provider,
  );
  const known = { embedding: asKnown(providers), reranking: asKnown(rerankers) };
  const reading = providersText === undefined ? undefined : readProvidersFile(providersText, file, known);
  if (reading !== undefined && reading.problems.length > 0) throw new ConfigProblems(reading.problems);
  const { embedding, reranking } = reading?.known ?? known;
  return { embedding: makeCatalogue(embedding, region), reranking: makeCatalogue(reranking, region) };
}

function readProvidersText({ providersFile: file }: Config): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigProblems([`--providers-file names ${file}, which cannot be read: ${reason}`]);
  }
}
