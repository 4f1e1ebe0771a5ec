// The providers of a server: all known ones, and those that can be used on it.
import type { EmbeddingProvider, ModelFacts, ProviderFacts } from './provider.js';
import type { RerankingProvider } from './reranking-provider.js';

/** What every provider has. */
interface AnyProvider {
  readonly name: string;
  readonly entry: ProviderFacts;
}

/** A provider with its name, and its facts after the changes of the providers file. */
export interface KnownProvider<Provider extends AnyProvider = EmbeddingProvider> {
  readonly name: string;
  readonly provider: Provider;
  readonly entry: Provider['entry'];
}

/** The providers of a server. */
export interface ProviderCatalogue<Provider extends AnyProvider> {
  readonly region: string;
  /** By name, in the order of the reference; also disabled ones and those of other regions. */
  readonly known: ReadonlyMap<string, KnownProvider<Provider>>;
  /** The providers that can be used on this server. */
  readonly offered: ReadonlyMap<string, KnownProvider<Provider>>;
}

/** The embedding providers of a server. */
export type EmbeddingCatalogue = ProviderCatalogue<EmbeddingProvider>;
/** The reranking providers of a server. */
export type RerankingCatalogue = ProviderCatalogue<RerankingProvider>;

/** The known providers without a providers file. */
export function asKnown<Provider extends AnyProvider>(
  providers: readonly Provider[],
): ReadonlyMap<string, KnownProvider<Provider>> {
  return new Map(
    providers.map((provider) => [provider.name, { name: provider.name, provider, entry: provider.entry }]),
  );
}

/** The catalogue of a server in a region. */
export function makeCatalogue<Provider extends AnyProvider>(
  known: ReadonlyMap<string, KnownProvider<Provider>>,
  region: string,
): ProviderCatalogue<Provider> {
  const offered = [...known].filter(([, { entry }]) => whyNotOffered(entry, region) === undefined);
  return { region, known, offered: new Map(offered) };
}

/** Why a provider cannot be used in a region; undefined if it can. */
export function whyNotOffered(
  { isEnabled, wayToEnable, regions }: Pick<ProviderFacts, 'isEnabled' | 'wayToEnable' | 'regions'>,
  region: string,
): string | undefined {
  if (!isEnabled) return `it is not enabled on this server; ${wayToEnable}`;
  if (regions === null || regions.includes(region)) return undefined;
  return `it is not available in the region "${region}" of this server`;
}

/**
 * The provider and the model of a service that names neither: of the offered providers the first one with a supported
 * model. Undefined if there is none.
 */
export function defaultOffer<Model extends ModelFacts>(
  offered: ReadonlyMap<string, { readonly entry: ProviderFacts<Model> }>,
): { readonly provider: string; readonly model: Model } | undefined {
  for (const [provider, { entry }] of offered) {
    const model = defaultModel(entry);
    if (model !== undefined) return { provider, model };
  }
  return undefined;
}

/** The first supported model of a provider. */
export function defaultModel<Model extends ModelFacts>({
  models,
}: {
  readonly models: readonly Model[];
}): Model | undefined {
  return models.find(({ status }) => status === 'SUPPORTED');
}

/** A model of a provider by its name. */
export function modelNamed<Model extends ModelFacts>(
  { models }: { readonly models: readonly Model[] },
  name: string,
): Model | undefined {
  return models.find((model) => model.name === name);
}
