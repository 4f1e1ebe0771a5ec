// Reads the replies of providers: lists of embeddings, and error messages.

import { withoutSecrets } from '../../foundation/secrets/without-secrets.js';
import { shortened } from '../../foundation/text/shorten-text.js';
import type { Credential } from './provider.js';

const shownLength = 500;

/** The members of a JSON object, or none for anything else. */
export function membersOf(json: unknown): Readonly<Record<string, unknown>> {
  return isObject(json) ? json : {};
}

/**
 * The vectors of `{"data":[{"index":0,"embedding":[…]}]}`, the form that OpenAI introduced, in the order of their
 * indexes if they have them; undefined for another form.
 */
export function readEmbeddingList(reply: unknown): readonly unknown[] | undefined {
  const { data } = membersOf(reply);
  if (!Array.isArray(data)) return undefined;
  const byPlace = new Map<number, unknown>();
  for (const [place, element] of data.entries()) {
    const { index, embedding } = membersOf(element);
    byPlace.set(Number(index ?? place), embedding);
  }
  // Each index once: if one is repeated, another is missing.
  if (data.some((_, place) => !byPlace.has(place))) return undefined;
  return data.map((_, place) => byPlace.get(place));
}

/**
 * The error message of a reply in the forms that providers use, or else the beginning of the text; without secrets,
 * which providers quote when they refuse them.
 */
export function problemTextOf(text: string, credential: Credential | undefined): string {
  return shortened(
    withoutSecrets(messageIn(parsed(text)) ?? text.trim(), secretsOf(credential)),
    shownLength,
  );
}

/** A text in the form of messages. */
export function jsonText(text: string): string {
  return JSON.stringify(text);
}

/** The secret parts of a credential. */
export function secretsOf(credential: Credential | undefined): readonly string[] {
  return Object.values(credential ?? {});
}

/** `{"error":{"message":"…"}}`, `{"message":"…"}`, `{"detail":"…"}`, `{"error":"…"}`. */
function messageIn(json: unknown): string | undefined {
  const { error, message, detail } = membersOf(json);
  const found = [membersOf(error)['message'], message, detail, error].find((one) => one !== undefined);
  if (found === undefined) return undefined;
  return typeof found === 'string' ? found : JSON.stringify(found);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // an error page: its beginning is shown instead
  }
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
