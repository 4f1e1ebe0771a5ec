// Parts of the entries of providers.
import type {
  AuthenticationKinds,
  DimensionRule,
  ModelFacts,
  ProviderEntry,
  ProviderFacts,
  ProviderLimits,
  ProviderModel,
  ProviderParameter,
  SecretMember,
} from './provider.js';

/** The default limits of providers. */
const usualLimits: Omit<ProviderLimits, 'maxBatchSize'> = {
  timeoutMs: 5_000,
  maxAttempts: 3,
  firstDelayMs: 100,
  maxDelayMs: 500,
};

/** A secret is needed, in a header or in the key store. */
const secretNeeded: AuthenticationKinds = { none: false, header: true, sharedSecret: true };

/** The facts of a provider: available in every region and called with one API key, unless `facts` says otherwise. */
export function makeEntry(
  facts: Pick<ProviderEntry, 'displayName' | 'url' | 'models'> &
    Partial<Omit<ProviderEntry, 'limits'>> & {
      readonly limits: Pick<ProviderLimits, 'maxBatchSize'> & Partial<ProviderLimits>;
    },
): ProviderEntry {
  return {
    isEnabled: true,
    wayToEnable: 'the file of --providers-file can enable it',
    regions: null,
    authentication: secretNeeded,
    secrets: apiKey(),
    parameters: [],
    ...facts,
    limits: { ...usualLimits, ...facts.limits },
  };
}

/** The passages that a request to a reranker has, as in the public API. */
const rankedPassages = 10;

/** The facts of a reranking provider, which are those of an embedding provider unless `facts` says otherwise. */
export function rerankingEntry(
  facts: Pick<ProviderEntry, 'displayName' | 'url'> &
    Partial<Pick<ProviderEntry, 'authentication' | 'secrets'>> & {
      readonly models: readonly string[];
      readonly limits?: Partial<ProviderLimits>;
    },
): ProviderFacts {
  const models = facts.models.map((name): ModelFacts => ({ name, status: 'SUPPORTED', statusMessage: null }));
  // The TypeScript client sends the other name.
  const header = { header: 'reranking-api-key', otherHeaders: ['x-rerank-api-key'] };
  const secrets = apiKey().map((secret) => ({ ...secret, ...header }));
  const limits = { maxBatchSize: rankedPassages, ...facts.limits };
  const entry = makeEntry({ secrets, ...facts, models: [], limits });
  return { ...entry, models };
}

/** The one secret of most providers; `forwarded` is the provider's header for it. */
export function apiKey(forwarded = 'Authorization'): readonly SecretMember[] {
  return [{ member: 'providerKey', header: 'x-embedding-api-key', forwarded }];
}

/** A model of one dimension. */
export function fixedModel(
  name: string,
  dimension: number,
  parameters: readonly ProviderParameter[] = [],
): ProviderModel {
  return supported(name, { kind: 'fixed', dimension }, parameters);
}

/** A model with every dimension from `least` to `most`; without a default the column must specify it. */
export function rangeModel(
  name: string,
  [least, most]: readonly [number, number],
  defaultDimension: number | null,
  parameters: readonly ProviderParameter[] = [],
): ProviderModel {
  return supported(name, { kind: 'range', least, most, default: defaultDimension }, parameters);
}

/** A model with several dimensions. */
export function optionsModel(
  name: string,
  options: readonly number[],
  defaultDimension: number | null,
): ProviderModel {
  return supported(name, { kind: 'options', options, default: defaultDimension }, []);
}

/** The header in which most providers accept the key; none without a key. */
export function bearer(key: string): Readonly<Record<string, string | undefined>> {
  return { authorization: key === '' ? undefined : `Bearer ${key}` };
}

/** The dimension in a request; undefined for a model with only one. */
export function askedDimension({ dimension: rule }: ProviderModel, dimension: number): number | undefined {
  return rule.kind === 'fixed' ? undefined : dimension;
}

function supported(
  name: string,
  dimension: DimensionRule,
  parameters: readonly ProviderParameter[],
): ProviderModel {
  return { name, status: 'SUPPORTED', statusMessage: null, dimension, parameters };
}
