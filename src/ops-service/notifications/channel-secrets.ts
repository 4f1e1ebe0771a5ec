// Secrets in the settings of channels: a PUT without them keeps them, and replies never contain them.
import { secretsIn } from '../errors/describe-field.js';
import type { ErrorDetail } from '../errors/ops-error.js';
import type { ChannelKind, ChannelSettings } from './channel.js';

/** The members of a kind that describe its secrets. */
export type SecretMembers = Pick<ChannelKind, 'schema' | 'secretUrls' | 'places'>;

/** Settings without secrets; of a secret URL only scheme, host and port remain. */
export function withoutSecretMembers(
  settings: ChannelSettings,
  { schema, secretUrls }: SecretMembers,
): Readonly<Record<string, unknown>> {
  const secrets = secretsIn(schema.entries);
  const shown = Object.entries(settings).filter(([name]) => !secrets.includes(name));
  return Object.fromEntries(
    shown.map(([name, value]) => [name, secretUrls.includes(name) ? shownUrl(String(value)) : value]),
  );
}

/**
 * Merges the members of a PUT into settings: null removes an optional member; absent members are kept, and so is a URL
 * that is sent in the form of replies.
 */
export function mergeSettings(
  settings: ChannelSettings,
  sent: Readonly<Record<string, unknown>>,
  kind: SecretMembers,
): Readonly<Record<string, unknown>> {
  const { entries } = kind.schema;
  const merged = new Map<string, unknown>(Object.entries(settings));
  for (const [name, value] of Object.entries(sent)) {
    if (value === null && Object.hasOwn(entries, name)) merged.delete(name);
    else if (!kind.secretUrls.includes(name) || !isShownForm(settings[name], value)) merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

/** A new destination must not get secrets of another one, so a change of it must contain all secrets again. */
export function secretsMissingForNewPlace(
  settings: ChannelSettings,
  merged: Readonly<Record<string, unknown>>,
  sent: Readonly<Record<string, unknown>>,
  { schema, secretUrls, places }: SecretMembers,
): readonly ErrorDetail[] {
  const changed = places.filter((name) => JSON.stringify(settings[name]) !== JSON.stringify(merged[name]));
  const [place] = changed;
  if (place === undefined) return [];
  const kept = [...secretsIn(schema.entries), ...secretUrls].filter(
    (name) => settings[name] !== undefined && !(name in sent) && !changed.includes(name),
  );
  return kept.map((name) => ({ path: name, message: `must be sent again, because ${place} changes` }));
}

/** Replaces the part of a URL that is not shown. */
const mask = '***';

function shownUrl(text: string): string {
  if (!URL.canParse(text)) return `/${mask}`;
  const { origin, pathname, search, hash } = new URL(text);
  return pathname === '/' && search === '' && hash === '' ? `${origin}/` : `${origin}/${mask}`;
}

/** Compares in any spelling of scheme and host. */
function isShownForm(stored: unknown, sent: unknown): boolean {
  if (typeof stored !== 'string' || typeof sent !== 'string') return false;
  return (URL.canParse(sent) ? new URL(sent).href : sent) === shownUrl(stored);
}

/** Whether the URL contains the mask: nothing can be delivered there. */
export function isMaskedUrl(url: URL): boolean {
  return url.pathname.replaceAll(/%2a/gi, '*').split('/').includes(mask);
}
