// The offered providers in the form of findEmbeddingProviders (wire: findEmbeddingProviders response).
import type { JsonText } from '../../foundation/json/json-value.js';
import { defaultModel, defaultOffer, type EmbeddingCatalogue, type RerankingCatalogue } from './catalogue.js';
import type {
  ModelFacts,
  ModelStatus,
  ProviderEntry,
  ProviderFacts,
  ProviderModel,
  ProviderParameter,
} from './provider.js';

/** The public API gives the dimensions of a model under this name. A column has a dimension, named `dimension`. */
export const dimensionParameter = 'vectorDimension';

/**
 * `{"openai":{…},…}` with the models of these statuses. It has no regions, because clients compare the whole object.
 */
export function describeProviders(
  { offered }: EmbeddingCatalogue,
  statuses: readonly ModelStatus[],
): JsonText {
  const described = [...offered].map(
    ([name, { entry }]) => [name, describeProvider(entry, statuses)] as const,
  );
  return JSON.stringify(Object.fromEntries(described));
}

/**
 * The reranking providers in the form of findRerankingProviders. It marks the default provider, and the default model
 * of each.
 */
export function describeRerankers(
  { offered }: RerankingCatalogue,
  statuses: readonly ModelStatus[],
): JsonText {
  const preset = defaultOffer(offered)?.provider;
  const described = [...offered].map(([name, { entry }]) => {
    const { displayName, models } = entry;
    const shown = models
      .map((model) => ({ model, isDefault: model === defaultModel(entry) }))
      .filter(({ model }) => statuses.includes(model.status))
      .map(({ model, isDefault }) => ({
        name: model.name,
        apiModelSupport: describeSupport(model),
        isDefault,
        // Clients declare it as a string.
        url: entry.url ?? '',
        properties: null,
      }));
    const facts = {
      isDefault: name === preset,
      displayName,
      supportedAuthentication: describeAuthentication(entry),
    };
    return [name, { ...facts, models: shown }] as const;
  });
  return JSON.stringify(Object.fromEntries(described));
}

function describeSupport({ status, statusMessage }: ModelFacts): object {
  return { status, message: statusMessage };
}

function describeProvider(entry: ProviderEntry, statuses: readonly ModelStatus[]): object {
  const models = entry.models
    .filter(({ status }) => statuses.includes(status))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return {
    displayName: entry.displayName,
    url: entry.url,
    supportedAuthentication: describeAuthentication(entry),
    parameters: entry.parameters.map(describeProviderParameter),
    models: models.map(describeModel),
  };
}

function describeAuthentication({
  authentication,
  secrets,
}: Pick<ProviderFacts, 'authentication' | 'secrets'>): object {
  const tokens = (accepted: 'header' | 'member') =>
    secrets.map((secret) => ({ accepted: secret[accepted], forwarded: secret.forwarded }));
  return {
    NONE: { enabled: authentication.none, tokens: [] },
    HEADER: { enabled: authentication.header, tokens: tokens('header') },
    SHARED_SECRET: { enabled: authentication.sharedSecret, tokens: tokens('member') },
  };
}

function describeModel(model: ProviderModel): object {
  const { name, dimension, parameters } = model;
  const chosen = dimension.kind === 'fixed' ? [] : [describeDimension(dimension)];
  return {
    name,
    apiModelSupport: describeSupport(model),
    vectorDimension: dimension.kind === 'fixed' ? dimension.dimension : null,
    parameters: [...chosen, ...parameters.map(describeParameter)],
  };
}

/** Columns have a dimension of their own; here it is a parameter of the model. */
function describeDimension(rule: Exclude<ProviderModel['dimension'], { readonly kind: 'fixed' }>): object {
  return {
    name: dimensionParameter,
    type: 'number',
    required: true,
    defaultValue: rule.default === null ? null : String(rule.default),
    validation: rule.kind === 'range' ? { numericRange: [rule.least, rule.most] } : { options: rule.options },
    help: 'The dimension of the vectors, in the column and at the provider.',
  };
}

/** Types are in upper case for providers and in lower case for models, as in the public API. */
function describeProviderParameter(parameter: ProviderParameter): object {
  const { type, displayName = null, hint = null } = parameter;
  return { ...describeParameter(parameter), type: type.toUpperCase(), displayName, hint };
}

function describeParameter({ name, type, isRequired, default: preset, options, help }: ProviderParameter) {
  return {
    name,
    type,
    required: isRequired,
    defaultValue: preset === undefined ? null : String(preset),
    validation: options === undefined ? {} : { options },
    help,
  };
}
