// Decides which providers may get a key of the key store. The author of a column names the key and the provider, and is
// often not the operator who stored the key: it must not reach a server of the author.
import type { ProviderEntry, StoredKey } from './provider.js';

/** A provider as the check needs it. */
export interface KeyUser {
  readonly name: string;
  readonly entry: Pick<ProviderEntry, 'url' | 'parameters'>;
}

/** Why the provider may not get this key, as text that follows the name of the key; undefined if it may. */
export function whyNotFor(name: string, { providers }: StoredKey, provider: KeyUser): string | undefined {
  const allowed = providers ?? rerankerOf(name);
  if (allowed?.includes(provider.name) === true) return undefined;
  if (allowed !== undefined) return `it is for ${allowed.join(', ')}, not for ${provider.name}`;
  if (!isServerChosen(provider)) return undefined;
  return (
    `the definition of the column chooses the server of ${provider.name}, which gets only keys that are stored ` +
    `for it: colonnade keys set ${name} --provider ${provider.name}`
  );
}

/** The entry of the key store with the key for a reranking provider. Collections cannot name one. */
export function rerankingKeyName(provider: string): string {
  return `${rerankingPrefix}${provider}`;
}

const rerankingPrefix = 'reranking-';

function rerankerOf(name: string): readonly string[] | undefined {
  return name.startsWith(rerankingPrefix) ? [name.slice(rerankingPrefix.length)] : undefined;
}

/** A URL of the providers file has no such parameter: there the operator chose the server. */
function isServerChosen({ entry: { url, parameters } }: KeyUser): boolean {
  return parameters.some(({ name, choosesServer }) => choosesServer === true && url?.includes(`{${name}}`));
}
