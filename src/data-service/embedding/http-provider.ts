// The common parts of providers over HTTP. The differences are in `providers/`.

import { retryAfterMs } from '../../foundation/http/retry-after.js';
import { type OutgoingReply, type OutgoingRequest, SendFailure } from '../../foundation/http/send-request.js';
import { withoutSecrets } from '../../foundation/secrets/without-secrets.js';
import type { EmbeddingProvider, ProviderEffects, TextBatch } from './provider.js';
import { ProviderFailure } from './provider-failure.js';
import { jsonText, problemTextOf, secretsOf } from './provider-reply.js';
import { fillUrl } from './provider-url.js';

/** The part of a request that depends on the provider. */
export type ProviderRequest = Pick<OutgoingRequest, 'method' | 'url' | 'headers'> & { readonly body: string };

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
      const reply = await exchange(await makeRequest(parts, batch, effects), batch, effects);
      if (reply.status !== 200) throw refusalOf(reply, batch, effects.clock.nowMs());
      return readVectors(reply, parts, batch);
    },
  };
}

function requireSecrets({ entry, credential }: TextBatch): void {
  if (entry.authentication.none && credential === undefined) return;
  const missing = entry.secrets.filter(({ member }) => (credential?.[member] ?? '') === '');
  if (missing.length === 0) return;
  const headers = entry.secrets.map(({ header }) => header).join('" and "');
  throw new ProviderFailure('keysMissing', `it needs a key in the header "${headers}" or in the key store`);
}

function requireUnicode({ texts }: TextBatch): void {
  const wrong = texts.find((text) => !text.isWellFormed());
  if (wrong === undefined) return;
  throw new ProviderFailure(
    'unwritableRequest',
    `the text ${jsonText(wrong.slice(0, 100))} has an unpaired surrogate, which is half of a character`,
  );
}

async function makeRequest(
  parts: HttpProviderParts,
  batch: TextBatch,
  { clock }: ProviderEffects,
): Promise<ProviderRequest> {
  const { entry, credential } = batch;
  const key = credential?.[entry.secrets[0]?.member ?? ''] ?? '';
  const given = Object.entries(parts.headers?.(batch, key) ?? {});
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  };
  const url = fillUrl(entry.url ?? '', parts.path ?? '', { ...batch.parameters, model: batch.model.name });
  const request = { method: 'POST', url, headers, body: JSON.stringify(parts.body(batch)) } as const;
  if (parts.sign === undefined) return request;
  return { ...request, headers: await parts.sign(request, batch, clock.nowMs()) };
}

async function exchange(
  request: ProviderRequest,
  batch: TextBatch,
  { send }: ProviderEffects,
): Promise<OutgoingReply> {
  const { texts, dimension, timeoutMs, signal } = batch;
  const maxBodyBytes = replyBytes.fixed + replyBytes.perNumber * texts.length * dimension;
  try {
    return await send({ ...request, timeoutMs, maxBodyBytes, signal });
  } catch (error) {
    if (!(error instanceof SendFailure)) throw error;
    const message = withoutSecrets(error.message, secretsOf(batch.credential));
    throw new ProviderFailure(problemOf(error.problem), message, { cause: error });
  }
}

function problemOf(problem: SendFailure['problem']): ProviderFailure['problem'] {
  switch (problem) {
    case 'timeout':
      return 'timeout';
    case 'unknownHost':
      return 'badHostName';
    case 'tooLarge':
      return 'unexpectedResponse';
    case 'unreachable':
    case 'denied':
    case 'aborted':
      return 'unreachable';
  }
}

function refusalOf(reply: OutgoingReply, { credential }: TextBatch, nowMs: number): ProviderFailure {
  const { status } = reply;
  const text = problemTextOf(reply.body.toString(), credential);
  const message = `HTTP ${status}: ${jsonText(text)}`;
  const wait = { retryAfterMs: retryAfterMs(reply.header('retry-after'), nowMs) };
  if (status === 429) return new ProviderFailure('rateLimited', message, wait);
  if (status === 408 || status === 504) return new ProviderFailure('timeout', message, wait);
  if (status >= 500) return new ProviderFailure('serverError', message, wait);
  if (status >= 400) return new ProviderFailure('clientError', message);
  const hint = status >= 300 ? ' (redirects are not followed)' : '';
  return new ProviderFailure('unexpectedResponse', message + hint);
}

function readVectors(
  { body }: OutgoingReply,
  { vectors, namesCodecProblems }: HttpProviderParts,
  { texts, dimension, credential }: TextBatch,
): readonly Float32Array[] {
  const unreadable = (message: string) =>
    new ProviderFailure(namesCodecProblems === true ? 'unreadableResponse' : 'unexpectedResponse', message);
  const text = body.toString();
  const reply = parseReply(text);
  if (reply === undefined) {
    const beginning = problemTextOf(text, credential);
    throw unreadable(`the reply is not JSON; it begins with ${jsonText(beginning)}`);
  }
  const found = vectors(reply);
  if (found === undefined) throw unreadable('the reply has no embeddings where they are expected');
  if (found.length !== texts.length)
    throw unexpected(`the reply has ${found.length} embeddings for ${texts.length} texts`);
  return found.map((vector) => toVector(vector, dimension));
}

/** Undefined for a text that is not JSON. */
function parseReply(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
