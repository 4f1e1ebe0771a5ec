// Checks the service of a vector column against the catalogue (specification: vectorize; wire: Vectorize).
import { type ApiError, apiError, errorOf } from '../errors/api-error.js';
import type {
  CheckEmbeddingService,
  EmbeddingService,
  RequestedEmbeddingService,
} from '../schema/embedding-service.js';
import { type EmbeddingCatalogue, type KnownProvider, modelNamed, whyNotOffered } from './catalogue.js';
import { memberReference, splitReference } from './credential-reference.js';
import { dimensionParameter } from './describe-providers.js';
import { type KeyUser, whyNotFor } from './key-use.js';
import type {
  DimensionRule,
  ParameterValue,
  ProviderModel,
  ProviderParameter,
  StoredKey,
} from './provider.js';

/** The inputs of the check. */
export interface EmbeddingServiceRules {
  readonly catalogue: EmbeddingCatalogue;
  /** An entry of the key store; undefined if there is none. */
  readonly findKey: (name: string) => StoredKey | undefined;
}

/** The check for a server: provider, model, credentials, parameters, then the dimension. */
export function makeCheckEmbeddingService(rules: EmbeddingServiceRules): CheckEmbeddingService {
  return (column, requested, dimension) => {
    const { name: provider, entry } = findProvider(column, requested.provider, rules.catalogue);
    const model = findModel(column, requested.modelName, provider, entry.models);
    const authentication = checkAuthentication(column, requested, { name: provider, entry }, rules);
    const parameters = checkParameters(column, requested.parameters, [
      ...entry.parameters,
      ...model.parameters,
    ]);
    const { sentEmpty } = requested;
    const service: EmbeddingService = {
      provider,
      modelName: model.name,
      authentication,
      parameters,
      ...(sentEmpty === undefined ? {} : { sentEmpty }),
    };
    return { service, dimension: checkDimension(column, model, dimension) };
  };
}

function refusal(column: string, problem: string): ApiError {
  return apiError('schema', 'INVALID_CREATE_COLLECTION_OPTIONS', { column, problem });
}

function findProvider(
  column: string,
  name: string | undefined,
  { known, offered, region }: EmbeddingCatalogue,
): KnownProvider {
  const names = `the providers are ${[...offered.keys()].join(', ')}`;
  if (name === undefined) throw refusal(column, `"provider" is missing; ${names}`);
  const provider = known.get(name);
  if (provider === undefined) throw refusal(column, `the provider "${name}" is not known; ${names}`);
  const problem = whyNotOffered(provider.entry, region);
  if (problem !== undefined)
    throw refusal(column, `the provider "${name}" cannot be used: ${problem}; ${names}`);
  return provider;
}

function findModel(
  column: string,
  name: string | undefined,
  provider: string,
  models: readonly ProviderModel[],
): ProviderModel {
  const names = `the models of ${provider} are ${models.map((model) => model.name).join(', ')}`;
  if (name === undefined) throw refusal(column, `"modelName" is missing; ${names}`);
  const model = modelNamed({ models }, name);
  if (model === undefined) throw refusal(column, `the model "${name}" is not known; ${names}`);
  const facts = { provider, model: name, more: model.statusMessage ?? '' };
  if (model.status === 'DEPRECATED') throw apiError('schema', 'DEPRECATED_AI_MODEL', facts);
  if (model.status === 'END_OF_LIFE') throw apiError('schema', 'END_OF_LIFE_AI_MODEL', facts);
  return model;
}

/** Credentials as `name.member`, each in the key store. */
function checkAuthentication(
  column: string,
  { authentication }: RequestedEmbeddingService,
  { name: provider, entry }: Pick<KnownProvider, 'name' | 'entry'>,
  { findKey }: EmbeddingServiceRules,
): Readonly<Record<string, string>> {
  const members = entry.secrets.map(({ member }) => member);
  const given = expanded(authentication, members);
  if (given.length === 0) {
    const { none, header } = entry.authentication;
    if (none || header) return {};
    throw refusal(
      column,
      `the provider "${provider}" uses keys from the key store only; name one in "authentication"`,
    );
  }
  if (!entry.authentication.sharedSecret)
    throw refusal(
      column,
      `the provider "${provider}" does not use keys from the key store; remove "authentication"`,
    );
  const wanted = `the provider "${provider}" needs ${members.join(', ')}`;
  const unknown = given.map(([member]) => member).filter((member) => !members.includes(member));
  const missing = members.filter((member) => given.every(([name]) => name !== member));
  refuseAll([
    ...unknown.map((member) => refusal(column, `"authentication" has "${member}"; ${wanted}`)),
    ...missing.map((member) => refusal(column, `"authentication" lacks "${member}"; ${wanted}`)),
  ]);
  return Object.fromEntries(
    given.map(([member, credential]) => {
      const reference = memberReference(credential, member);
      refuseKey(reference, { name: provider, entry }, findKey);
      return [member, reference];
    }),
  );
}

/** One `providerKey` names the entry of all secrets, if a provider needs other members. */
function expanded(
  authentication: RequestedEmbeddingService['authentication'],
  members: readonly string[],
): readonly (readonly [member: string, credential: string])[] {
  const { providerKey, ...others } = authentication;
  const isWhole = providerKey !== undefined && Object.keys(others).length === 0;
  if (!isWhole || members.length === 0 || members.includes('providerKey'))
    return Object.entries(authentication);
  return members.map((member) => [member, providerKey]);
}

/** @throws ApiError VECTORIZE_CREDENTIAL_INVALID unless the key store has `name.member`, and the provider may get it */
function refuseKey(reference: string, provider: KeyUser, findKey: EmbeddingServiceRules['findKey']): void {
  const { name, member } = splitReference(reference);
  const problem = problemOfKey(name, member, provider, findKey(name));
  if (problem === undefined) return;
  throw apiError('schema', 'VECTORIZE_CREDENTIAL_INVALID', { credential: name, problem });
}

function problemOfKey(
  name: string,
  member: string,
  provider: KeyUser,
  key: StoredKey | undefined,
): string | undefined {
  if (key === undefined) return 'the key store does not have it';
  if (!Object.hasOwn(key.secrets, member)) return `it has no secret "${member}"`;
  return whyNotFor(name, key, provider);
}

function checkParameters(
  column: string,
  given: RequestedEmbeddingService['parameters'],
  known: readonly ProviderParameter[],
): RequestedEmbeddingService['parameters'] {
  const names = known.map(({ name }) => name).join(', ') || 'there are none';
  const unknown = Object.keys(given).filter((name) => known.every((parameter) => parameter.name !== name));
  const problems = unknown.map((name) =>
    name === dimensionParameter
      ? `"${name}" is not a parameter of the service; set the "dimension" of the column instead`
      : `the parameter "${name}" is not known (${names})`,
  );
  for (const parameter of known) {
    const value = given[parameter.name];
    if (value === undefined && parameter.isRequired)
      problems.push(`the parameter "${parameter.name}" is missing (${parameter.help})`);
    const problem = value === undefined ? undefined : parameterProblem(value, parameter);
    if (problem !== undefined) problems.push(`the parameter "${parameter.name}" must be ${problem}`);
  }
  refuseAll(problems.map((problem) => refusal(column, problem)));
  const kept = known.flatMap(({ name, isKept, default: preset }) =>
    isKept === true && preset !== undefined ? [[name, preset] as const] : [],
  );
  return kept.length === 0 ? given : { ...Object.fromEntries(kept), ...given };
}

/** @throws ApiError, or ApiErrors for several */
function refuseAll(problems: readonly ApiError[]): void {
  if (problems.length > 0) throw errorOf(problems);
}

/** A description of the valid values, or undefined if the value is valid. */
function parameterProblem(
  value: ParameterValue,
  { type, options, isHostLabel }: ProviderParameter,
): string | undefined {
  if (typeof value !== type) return type === 'boolean' ? 'true or false' : `a ${type}`;
  if (typeof value !== 'string') return undefined;
  if (options !== undefined && !options.includes(value)) return `one of ${options.join(', ')}`;
  if (isHostLabel === true && !/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(value))
    return 'a part of a host name: letters, digits and hyphens';
  return /^[\x21-\x7e]{1,200}$/.test(value) ? undefined : '1 to 200 visible ASCII characters without spaces';
}

function checkDimension(
  column: string,
  { name, dimension: rule }: ProviderModel,
  given: number | undefined,
): number {
  const preset = rule.kind === 'fixed' ? rule.dimension : rule.default;
  const dimension = given ?? preset;
  if (dimension === null)
    throw refusal(column, `the model "${name}" needs a "dimension": ${wantedDimension(rule)}`);
  if (fitsDimension(rule, dimension)) return dimension;
  throw refusal(
    column,
    `the model "${name}" does not support ${dimension} dimensions; it supports ${wantedDimension(rule)}`,
  );
}

function fitsDimension(rule: DimensionRule, dimension: number): boolean {
  switch (rule.kind) {
    case 'fixed':
      return dimension === rule.dimension;
    case 'range':
      return dimension >= rule.least && dimension <= rule.most;
    case 'options':
      return rule.options.includes(dimension);
  }
}

function wantedDimension(rule: DimensionRule): string {
  switch (rule.kind) {
    case 'fixed':
      return String(rule.dimension);
    case 'range':
      return `${rule.least} to ${rule.most}`;
    case 'options':
      return rule.options.join(', ');
  }
}
