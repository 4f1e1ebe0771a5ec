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
import type { AuthenticationKinds, ModelFacts, ProviderFacts } from './provider.js';
import { type ReadModel, readEmbeddingModel, readRerankingModel } from './providers-file-models.js';
import type { RerankingProvider } from './reranking-provider.js';

/** The providers of a server, by name. */
export interface KnownProviders {
  readonly embedding: ReadonlyMap<string, KnownProvider>;
  readonly reranking: ReadonlyMap<string, KnownProvider<RerankingProvider>>;
}

/** The content of the file; if there are problems, the providers must not be used. */
export interface ProvidersReading {
  readonly known: KnownProviders;
  /** Sentences, each with its path in the file. */
  readonly problems: readonly string[];
}

/** The allowed names of added providers. */
const newName = /^[A-Za-z][A-Za-z0-9_-]{0,47}$/;
const authenticationKinds = ['none', 'header', 'sharedSecret'] as const;

/** One member of the file, with providers of one kind. */
interface Section<Model extends ModelFacts> {
  readonly member: 'providers' | 'rerankers';
  /** The format of added providers: the name of a known one. */
  readonly ownFormat: string;
  readonly readModel: ReadModel<Model>;
}

const sections = {
  embedding: { member: 'providers', ownFormat: 'openaiCompatible', readModel: readEmbeddingModel },
  reranking: { member: 'rerankers', ownFormat: 'nvidia', readModel: readRerankingModel },
} as const;

/** A provider of any kind, as the file changes it. */
interface Changeable<Model extends ModelFacts> {
  readonly name: string;
  readonly entry: ProviderFacts<Model>;
}

/** Reads the text of the file named `file`, and applies it to the providers that are known without it. */
export function readProvidersFile(text: string, file: string, known: KnownProviders): ProvidersReading {
  const problems: string[] = [];
  const json = fileIn(text, file, problems);
  const { embedding, reranking } = sections;
  const changed = {
    embedding: readSection(json, embedding, file, known.embedding, problems),
    reranking: readSection(json, reranking, file, known.reranking, problems),
  };
  return { known: changed, problems };
}

function fileIn(text: string, file: string, problems: string[]): JsonObject {
  const members = Object.values(sections).map(({ member }) => member);
  const named = members.map((member) => `"${member}"`).join(' and ');
  try {
    const json = parseJson(text, { maxDepth: 16, maxNumberLength: 100 });
    const isValid =
      isJsonObject(json) &&
      members.some((member) => json.has(member)) &&
      members.every((member) => isJsonObject(json.get(member) ?? new Map()));
    if (isValid) {
      const others = [...json.keys()].filter((name) => !members.some((member) => member === name));
      problems.push(...others.map((name) => `"${name}" in ${file} is not known; the members are ${named}`));
      return json;
    }
    problems.push(`${file} must contain an object with the members ${named}, which are objects`);
  } catch (error) {
    problems.push(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return new Map();
}

function readSection<Model extends ModelFacts, Known extends Changeable<Model>>(
  file: JsonObject,
  section: Section<Model>,
  fileName: string,
  known: ReadonlyMap<string, Known>,
  problems: string[],
): ReadonlyMap<string, Known> {
  const providers = file.get(section.member) ?? null;
  const changed = new Map(known);
  if (providers === null || !isJsonObject(providers)) return changed;
  for (const [name, json] of providers) {
    const at = `"${section.member}"."${name}" in ${fileName}`;
    if (!isJsonObject(json)) problems.push(`${at} must be an object`);
    else {
      const provider = readProvider(name, json, at, section, known, problems);
      if (provider !== undefined) changed.set(name, provider);
    }
  }
  return changed;
}

function readProvider<Model extends ModelFacts, Known extends Changeable<Model>>(
  name: string,
  json: JsonObject,
  at: string,
  section: Section<Model>,
  known: ReadonlyMap<string, Known>,
  problems: string[],
): Known | undefined {
  const reader = new MemberReader(json, at, problems);
  // A provider with a format is one of the file, also under the name of a built-in one: versions add names.
  const isOwn = !known.has(name) || json.has('format');
  const base = isOwn ? ownProvider(name, reader, section, known) : known.get(name);
  if (base === undefined) return undefined;
  const entry = readEntry(reader, base.entry, isOwn, section.readModel);
  reader.refuseOthers();
  refuseUnusable(entry, at, problems);
  return { ...base, name, entry };
}

/** A provider that is not in the registry. It must have `format`, and its name is its default title. */
function ownProvider<Model extends ModelFacts, Known extends Changeable<Model>>(
  name: string,
  reader: MemberReader,
  { ownFormat }: Section<Model>,
  known: ReadonlyMap<string, Known>,
): Known | undefined {
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

function readEntry<Model extends ModelFacts>(
  reader: MemberReader,
  base: ProviderFacts<Model>,
  isNew: boolean,
  readModel: ReadModel<Model>,
): ProviderFacts<Model> {
  const { limits } = base;
  return {
    ...base,
    displayName: reader.text('displayName') ?? base.displayName,
    url: reader.text('url') ?? base.url,
    isEnabled: reader.flag('enabled') ?? (isNew || base.isEnabled),
    regions: reader.texts('regions') ?? base.regions,
    authentication: readAuthentication(reader) ?? base.authentication,
    models: readModels(reader, base.models, readModel) ?? base.models,
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
function readModels<Model extends ModelFacts>(
  reader: MemberReader,
  base: readonly Model[],
  readModel: ReadModel<Model>,
): readonly Model[] | undefined {
  const json: JsonValue | undefined = reader.take('models');
  if (json === undefined) return undefined;
  if (isJsonArray(json)) return json.flatMap((model, place) => readModel(model, place, base, reader) ?? []);
  reader.problem('has "models", which must be an array');
  return undefined;
}

/** Reports at the start what would otherwise fail at the first use. */
function refuseUnusable(entry: ProviderFacts, at: string, problems: string[]): void {
  const isRemote = entry.secrets.length > 0;
  if (!isRemote && entry.url !== null) problems.push(`${at} has "url", but this provider runs in the server`);
  if (isRemote && entry.isEnabled && entry.url === null) problems.push(`${at} needs "url"`);
  if (entry.isEnabled && entry.models.length === 0) problems.push(`${at} needs "models"`);
  if (isRemote && entry.url !== null)
    problems.push(...urlProblems(entry.url, entry).map((found) => `${at} ${found}`));
}

function urlProblems(url: string, { parameters }: Pick<ProviderFacts, 'parameters'>): readonly string[] {
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
