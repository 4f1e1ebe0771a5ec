// Texts of commands become vectors: chooses the provider and the secret, and embeds each different text once.
import { getOrMake } from '../../foundation/get-or-make.js';
import {
  type EmbeddingCatalogue,
  type KnownProvider,
  modelNamed,
  whyNotOffered,
} from '../embedding/catalogue.js';
import { type EmbeddingTask, embedBatches } from '../embedding/embed-batch.js';
import { credentialInHeaders, credentialInKeyStore, type ReadHeader } from '../embedding/find-credential.js';
import type { ProviderModel, Purpose, StoredKey } from '../embedding/provider.js';
import { ProviderFailure } from '../embedding/provider-failure.js';
import type { BatchEffects } from '../embedding/run-batches.js';
import { apiError } from '../errors/api-error.js';
import { type ReadRequest, textOf } from '../query/read-request.js';
import type { EmbeddingService } from '../schema/embedding-service.js';
import type { Column } from '../schema/table.js';
import { type CutByModel, CutsByModel } from './cuts-by-model.js';
import { toEmbeddingError } from './embedding-failure.js';

/** A text for a vector column that has a service; plain data. */
export interface TextToEmbed {
  readonly service: EmbeddingService;
  readonly dimension: number;
  readonly purpose: Purpose;
  readonly text: string;
}

/** The text for a column that has an enabled service, which was checked when the text was read. */
export function textToEmbed(column: Column, text: string, purpose: Purpose): TextToEmbed {
  const { service, type } = column;
  if (service?.isEnabled !== true || type.vector === undefined)
    throw new TypeError(`the column ${column.name} has no service for its texts`);
  return { service, dimension: type.vector.dimension, purpose, text };
}

/** The text of a read that searches by one. */
export function queryTexts(request: ReadRequest): readonly TextToEmbed[] {
  const search = textOf(request);
  return search === undefined ? [] : [textToEmbed(search.column, search.text, 'query')];
}

/** Embeds the texts of commands. */
export interface EmbedderOptions {
  readonly catalogue: EmbeddingCatalogue;
  readonly findKey: (name: string) => StoredKey | undefined;
  readonly effects: BatchEffects;
}

/** What texts became; plain data. */
export interface EmbeddedTexts {
  /** One per text, in their order. */
  readonly vectors: readonly Float32Array[];
  /** One for each model that did not read all texts to their end; each different text counts once. */
  readonly cuts: readonly CutByModel[];
}

/** Makes vectors. Texts that were embedded before are not embedded again, and their cuts are not counted again. */
export type EmbedTexts = (texts: readonly TextToEmbed[]) => Promise<EmbeddedTexts>;

/** Creates the embedder of a command. */
export interface Embedder {
  readonly catalogue: EmbeddingCatalogue;
  /**
   * For one command, which may be planned several times; `header` returns the headers of its request. A command that
   * begins again on another thread has the same `header`, and its texts are not embedded again either.
   */
  embedTextsFor(header: ReadHeader): EmbedTexts;
}

/** What was embedded for a request. */
interface EmbeddedBefore {
  readonly groups: Map<string, Group>;
  readonly cuts: CutByModel[];
}

/** An embedder of this thread. */
export function makeEmbedder(options: EmbedderOptions): Embedder {
  const requests = new WeakMap<ReadHeader, EmbeddedBefore>();
  return {
    catalogue: options.catalogue,
    embedTextsFor: (header) => {
      let counted = 0;
      return async (texts) => {
        const before = requests.get(header) ?? { groups: new Map(), cuts: [] };
        requests.set(header, before);
        const vectors = await embed(texts, before, header, options);
        const cuts = before.cuts.slice(counted);
        counted = before.cuts.length;
        return { vectors, cuts };
      };
    },
  };
}

/** Texts that one provider embeds in one way. */
interface Group {
  readonly first: TextToEmbed;
  readonly texts: Map<string, Float32Array | undefined>;
}

/** Rejects with an ApiError; then nothing of the command must be stored. */
async function embed(
  texts: readonly TextToEmbed[],
  { groups, cuts: all }: EmbeddedBefore,
  header: ReadHeader,
  options: EmbedderOptions,
): Promise<EmbeddedTexts['vectors']> {
  const places = texts.map((text) => noteText(text, groups));
  const tasks = [...groups.values()].flatMap((group) => {
    const missing = [...group.texts].filter(([, vector]) => vector === undefined).map(([text]) => text);
    return missing.length === 0 ? [] : [{ group, task: prepareTask(group.first, missing, header, options) }];
  });
  refuseSharedKey(
    tasks.map(({ task }) => task),
    header,
  );
  const cuts = new CutsByModel();
  await Promise.all(
    tasks.map(async ({ group, task }) => {
      const vectors = await embedTask(
        { ...task, onCut: (cut) => cuts.add(task.provider.name, task.model.name, cut) },
        options.effects,
      );
      for (const [at, vector] of vectors.entries()) group.texts.set(task.texts[at] ?? '', vector);
    }),
  );
  all.push(...cuts.all);
  return places.map(({ group, text }) => {
    const vector = group.texts.get(text);
    if (vector === undefined) throw new TypeError('a text was left without a vector');
    return vector;
  });
}

function noteText(
  one: TextToEmbed,
  groups: Map<string, Group>,
): { readonly group: Group; readonly text: string } {
  const key = JSON.stringify([one.service, one.dimension, one.purpose]);
  const group = getOrMake(groups, key, () => ({ first: one, texts: new Map() }));
  if (!group.texts.has(one.text)) group.texts.set(one.text, undefined);
  return { group, text: one.text };
}

function prepareTask(
  { service, dimension, purpose }: TextToEmbed,
  texts: readonly string[],
  header: ReadHeader,
  { catalogue, findKey }: EmbedderOptions,
): EmbeddingTask {
  const { known, model } = findModel(service.provider, service.modelName, catalogue);
  const { provider, entry } = known;
  const credential = credentialInHeaders(entry, header) ?? credentialInKeyStore(service, known, findKey);
  const { parameters } = service;
  return {
    provider: { ...provider, name: known.name },
    entry,
    model,
    dimension,
    parameters,
    credential,
    purpose,
    texts,
  };
}

function findModel(
  provider: string,
  model: string,
  { known, region }: EmbeddingCatalogue,
): { readonly known: KnownProvider; readonly model: ProviderModel } {
  const refuse = (problem: string) =>
    apiError('embedding', 'EMBEDDING_PROVIDER_UNAVAILABLE', { provider, model, problem });
  const found = known.get(provider);
  if (found === undefined) throw refuse('this server does not know the provider');
  const problem = whyNotOffered(found.entry, region);
  if (problem !== undefined) throw refuse(problem);
  const foundModel = modelNamed(found.entry, model);
  if (foundModel === undefined) throw refuse('this server does not offer the model');
  if (foundModel.status === 'END_OF_LIFE') {
    const more = foundModel.statusMessage ?? '';
    throw apiError('schema', 'END_OF_LIFE_AI_MODEL', { provider, model, more });
  }
  return { known: found, model: foundModel };
}

/** A key must not be sent to another provider. */
function refuseSharedKey(tasks: readonly EmbeddingTask[], header: ReadHeader): void {
  const taking = tasks.filter(({ entry }) => credentialInHeaders(entry, header) !== undefined);
  const providers = [...new Set(taking.map(({ provider }) => provider.name))];
  if (providers.length > 1) throw apiError('document', 'UNSUPPORTED_VECTORIZE_CONFIGURATIONS', { providers });
}

async function embedTask(task: EmbeddingTask, effects: BatchEffects): Promise<readonly Float32Array[]> {
  try {
    return await embedBatches(task, effects);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    throw toEmbeddingError(error, { provider: task.provider.name, model: task.model.name });
  }
}
