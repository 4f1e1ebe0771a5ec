// The common parts of embedding providers over HTTP. The differences are in `providers/`.
import { shortened } from '../../foundation/text/shorten-text.js';
import {
  askProvider,
  jsonRequest,
  keyOf,
  type ProviderRequest,
  parseReply,
  requireSecrets,
} from './ask-provider.js';
import type { EmbeddingProvider, ProviderEffects, TextBatch } from './provider.js';
import { ProviderFailure } from './provider-failure.js';
import { jsonText } from './provider-reply.js';
import { fillUrl } from './provider-url.js';

/** The parts that differ between providers. */
export interface HttpProviderParts extends Pick<EmbeddingProvider, 'name' | 'help' | 'entry'> {
  /** Appended to the URL of the entry: `embeddings`. */
  readonly path?: string;
  /** The body of the request, written as JSON. Undefined members are omitted. */
  body(batch: TextBatch): object;
  /** Headers that carry the secret, and others that the provider needs. `key` is the first secret, '' without one. */
  headers?(batch: TextBatch, key: string): Readonly<Record<string, string | undefined>>;
  /** The headers with a signature of the whole request, for providers that need one. */
  sign?(request: ProviderRequest, batch: TextBatch, nowMs: number): Promise<Readonly<Record<string, string>>>;
  /**
   * Whether there are separate kinds of problems for requests that cannot be written and replies that cannot be read.
   */
  readonly namesCodecProblems?: boolean;
  /** The vectors in a reply, in the order of the texts; undefined if the reply has another form. */
  vectors(reply: unknown): readonly unknown[] | undefined;
}

/** Replies without vectors are short, and a number takes about 22 characters. */
const replyBytes = { fixed: 1_000_000, perNumber: 40 };

/** A provider over HTTP. Its secrets are sent only to its URL. */
export function httpProvider(parts: HttpProviderParts): EmbeddingProvider {
  const { name, help, entry } = parts;
  return {
    name,
    help,
    entry,
    embed: async (batch, effects) => {
      requireSecrets(batch);
      if (parts.namesCodecProblems === true) requireUnicode(batch);
      const maxBodyBytes = replyBytes.fixed + replyBytes.perNumber * batch.texts.length * batch.dimension;
      const request = await makeRequest(parts, batch, effects);
      return readVectors(await askProvider(request, batch, maxBodyBytes, effects), parts, batch);
    },
  };
}

function requireUnicode({ texts }: TextBatch): void {
  const wrong = texts.find((text) => !text.isWellFormed());
  if (wrong === undefined) return;
  throw new ProviderFailure(
    'unwritableRequest',
    `the text ${jsonText(shortened(wrong, 100))} has an unpaired surrogate, which is half of a character`,
  );
}

async function makeRequest(
  parts: HttpProviderParts,
  batch: TextBatch,
  { clock }: ProviderEffects,
): Promise<ProviderRequest> {
  const { entry, parameters, model } = batch;
  const url = fillUrl(entry.url ?? '', parts.path ?? '', { ...parameters, model: model.name });
  const request = jsonRequest(url, parts.headers?.(batch, keyOf(batch)) ?? {}, parts.body(batch));
  if (parts.sign === undefined) return request;
  return { ...request, headers: await parts.sign(request, batch, clock.nowMs()) };
}

function readVectors(
  body: Buffer,
  { vectors, namesCodecProblems }: HttpProviderParts,
  { texts, dimension, credential }: TextBatch,
): readonly Float32Array[] {
  const problem = namesCodecProblems === true ? 'unreadableResponse' : 'unexpectedResponse';
  const found = vectors(parseReply(body, credential, problem));
  if (found === undefined)
    throw new ProviderFailure(problem, 'the reply has no embeddings where they are expected');
  if (found.length !== texts.length)
    throw unexpected(`the reply has ${found.length} embeddings for ${texts.length} texts`);
  return found.map((vector) => toVector(vector, dimension));
}

function toVector(json: unknown, dimension: number): Float32Array {
  if (!Array.isArray(json) || !json.every((element) => typeof element === 'number'))
    throw unexpected('an embedding in the reply is not an array of numbers');
  if (json.length !== dimension)
    throw unexpected(`an embedding in the reply has ${json.length} dimensions instead of ${dimension}`);
  const vector = Float32Array.from(json);
  if (!vector.every(Number.isFinite)) throw unexpected('an embedding in the reply is out of range');
  return vector;
}

function unexpected(message: string): ProviderFailure {
  return new ProviderFailure('unexpectedResponse', message);
}
