// Reads the providers file, which changes the entries of providers and adds new ones.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import type { KnownProvider } from './catalogue.js';
import { MemberReader } from './member-reader.js';
import type { AuthenticationKinds, ProviderEntry, ProviderModel } from './provider.js';
import { readModel } from './providers-file-models.js';

/** The content of the file; if there are problems, the providers must not be used. */
export interface ProvidersReading {
  readonly known: ReadonlyMap<string, KnownProvider>;
  /** Sentences, each with its path in the file. */
  readonly problems: readonly string[];
}

/** The allowed names of added providers. */
const newName = /^[A-Za-z][A-Za-z0-9_-]{0,47}$/;
/** The format of added providers. */
const ownFormat = 'openaiCompatible';
const authenticationKinds = ['none', 'header', 'sharedSecret'] as const;

/** Reads the text of the file named `file`, and applies it to the providers that are known without it. */
export function readProvidersFile(
  text: string,
  file: string,
  known: ReadonlyMap<string, KnownProvider>,
): ProvidersReading {
  const problems: string[] = [];
  const providers = providersIn(text, file, problems);
  const changed = new Map(known);
  for (const [name, json] of providers) {
    const at = `"providers"."${name}" in ${file}`;
    if (!isJsonObject(json)) problems.push(`${at} must be an object`);
    else {
      const provider = readProvider(name, json, at, known, problems);
      if (provider !== undefined) changed.set(name, provider);
    }
  }
  return { known: changed, problems };
}

function providersIn(text: string, file: string, problems: string[]): JsonObject {
  const none: JsonObject = new Map();
  try {
    const json = parseJson(text, { maxDepth: 16, maxNumberLength: 100 });
    const providers = isJsonObject(json) ? (json.get('providers') ?? null) : null;
    if (!isJsonObject(json) || !isJsonObject(providers)) {
      problems.push(`${file} must contain an object with the member "providers", which is an object`);
      return none;
    }
    const others = [...json.keys()].filter((name) => name !== 'providers');
    problems.push(
      ...others.map((name) => `"${name}" in ${file} is not known; the only member is "providers"`),
    );
    return providers;
  } catch (error) {
    problems.push(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    return none;
  }
}

function readProvider(
  name: string,
  json: JsonObject,
  at: string,
  known: ReadonlyMap<string, KnownProvider>,
  problems: string[],
): KnownProvider | undefined {
  const reader = new MemberReader(json, at, problems);
  const base = known.get(name) ?? ownProvider(name, reader, known);
  if (base === undefined) return undefined;
  const entry = readEntry(reader, base.entry, !known.has(name));
  reader.refuseOthers();
  refuseUnusable(entry, at, problems);
  return { name, provider: base.provider, entry };
}

/** A provider that is not in the registry. It must have `format`, and its name is its default title. */
function ownProvider(
  name: string,
  reader: MemberReader,
  known: ReadonlyMap<string, KnownProvider>,
): KnownProvider | undefined {
  const format = reader.text('format');
  const base = known.get(ownFormat);
  if (base === undefined || format !== ownFormat || !newName.test(name)) {
    const names = [...known.keys()].join(', ');
    reader.problem(
      `is not one of ${names}; your own provider needs "format": "${ownFormat}" and a name of 1 to 48 letters, digits, "-" and "_"`,
    );
    return undefined;
  }
  return { ...base, entry: { ...base.entry, displayName: name } };
}

function readEntry(reader: MemberReader, base: ProviderEntry, isNew: boolean): ProviderEntry {
  const { limits } = base;
  return {
    ...base,
    displayName: reader.text('displayName') ?? base.displayName,
    url: reader.text('url') ?? base.url,
    isEnabled: reader.flag('enabled') ?? (isNew || base.isEnabled),
    regions: reader.texts('regions') ?? base.regions,
    authentication: readAuthentication(reader) ?? base.authentication,
    models: readModels(reader, base.models) ?? base.models,
    limits: {
      ...limits,
      maxBatchSize: reader.integer('maxBatchSize', 1, 10_000) ?? limits.maxBatchSize,
      timeoutMs: reader.integer('timeoutMs', 1, 60_000) ?? limits.timeoutMs,
      maxAttempts: reader.integer('maxAttempts', 1, 10) ?? limits.maxAttempts,
    },
  };
}

function readAuthentication(reader: MemberReader): AuthenticationKinds | undefined {
  const given = reader.texts('authentication');
  if (given === undefined) return undefined;
  const strange = given.filter((kind) => !authenticationKinds.some((known) => known === kind));
  for (const kind of strange)
    reader.problem(
      `has "authentication" with "${kind}", which is not one of ${authenticationKinds.join(', ')}`,
    );
  const [none, header, sharedSecret] = authenticationKinds.map((kind) => given.includes(kind));
  return { none: none === true, header: header === true, sharedSecret: sharedSecret === true };
}

/** The complete list: names of known models, and definitions of others. */
function readModels(
  reader: MemberReader,
  base: readonly ProviderModel[],
): readonly ProviderModel[] | undefined {
  const json: JsonValue | undefined = reader.take('models');
  if (json === undefined) return undefined;
  if (isJsonArray(json)) return json.flatMap((model, place) => readModel(model, place, base, reader) ?? []);
  reader.problem('has "models", which must be an array');
  return undefined;
}

/** Reports at the start what would otherwise fail at the first use. */
function refuseUnusable(entry: ProviderEntry, at: string, problems: string[]): void {
  const isRemote = entry.secrets.length > 0;
  if (!isRemote && entry.url !== null) problems.push(`${at} has "url", but this provider runs in the server`);
  if (isRemote && entry.isEnabled && entry.url === null) problems.push(`${at} needs "url"`);
  if (entry.isEnabled && entry.models.length === 0) problems.push(`${at} needs "models"`);
  if (isRemote && entry.url !== null)
    problems.push(...urlProblems(entry.url, entry).map((found) => `${at} ${found}`));
}

function urlProblems(url: string, { parameters }: ProviderEntry): readonly string[] {
  const names = ['model', ...parameters.map(({ name }) => name)];
  const used = [...url.matchAll(/\{(\w*)\}/g)].map(([, name]) => name ?? '');
  const unknown = used.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    return [`has "url" with {${unknown.join('}, {')}}, but the placeholders are {${names.join('}, {')}}`];
  const [host] = /^https?:\/\/([^/?#]*)/.exec(url)?.slice(1) ?? [];
  const isUrl = host !== undefined && URL.canParse(url.replaceAll(/\{\w*\}/g, 'x'));
  if (!isUrl) return ['has "url", which must be an http or https URL'];
  if (host.includes('@')) return ['has "url" with a user name, which is not allowed'];
  const open = parameters.filter(
    ({ name, isHostLabel }) => host.includes(`{${name}}`) && isHostLabel !== true,
  );
  if (open.length === 0 && !host.includes('{model}')) return [];
  return ['has "url" with a placeholder that could change the host to any other'];
}
