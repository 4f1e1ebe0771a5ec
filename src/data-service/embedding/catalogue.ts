// The embedding providers: all known ones, and those that can be used on this server.
import type { EmbeddingProvider, ProviderEntry, ProviderModel } from './provider.js';

/** A provider with its name, and its facts after the changes of the providers file. */
export interface KnownProvider {
  readonly name: string;
  readonly provider: EmbeddingProvider;
  readonly entry: ProviderEntry;
}

/** The embedding providers of a server. */
export interface EmbeddingCatalogue {
  readonly region: string;
  /** By name, in the order of the reference; also disabled ones and those of other regions. */
  readonly known: ReadonlyMap<string, KnownProvider>;
  /** The providers that can be used on this server. */
  readonly offered: ReadonlyMap<string, KnownProvider>;
}

/** The known providers without a providers file. */
export function asKnown(providers: readonly EmbeddingProvider[]): ReadonlyMap<string, KnownProvider> {
  return new Map(
    providers.map((provider) => [provider.name, { name: provider.name, provider, entry: provider.entry }]),
  );
}

/** The catalogue of a server in a region. */
export function makeCatalogue(known: ReadonlyMap<string, KnownProvider>, region: string): EmbeddingCatalogue {
  const offered = [...known].filter(([, { entry }]) => whyNotOffered(entry, region) === undefined);
  return { region, known, offered: new Map(offered) };
}

/** Why a provider cannot be used in a region; undefined if it can. */
export function whyNotOffered({ isEnabled, regions }: ProviderEntry, region: string): string | undefined {
  if (!isEnabled) return 'it is not enabled on this server; the file of --providers-file can enable it';
  if (regions === null || regions.includes(region)) return undefined;
  return `it is not available in the region "${region}" of this server`;
}

/** A model of a provider by its name. */
export function modelNamed(
  { models }: Pick<ProviderEntry, 'models'>,
  name: string,
): ProviderModel | undefined {
  return models.find((model) => model.name === name);
}
