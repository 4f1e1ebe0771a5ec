// What Cassandra itself has no place for. The settings that a table is made with stand behind its comment, because
// Apache Cassandra takes `extensions` and forgets them; where a cluster keeps those, they have the keys of the public
// API. Settings that changed since then are in a table, see `settings-table.ts`.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  stringifyJson,
} from '../../../../foundation/json/json-value.js';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import { packSettings, unpackSettings } from '../../../schema/collection.js';
import type { CollectionSettings } from '../../../schema/collection-settings.js';
import {
  type ColumnEmbeddingService,
  describeEmbeddingService,
  type EmbeddingService,
  parseEmbeddingService,
} from '../../../schema/embedding-service.js';
import { type SourceModel, sourceModels } from '../../../schema/vector-index.js';

/** The keys of the public API, which reads and writes the same tables. */
const schemaType = 'com.datastax.data-api.schema-type';
const definitionVersion = 'com.datastax.data-api.schema-def-version';
const vectorizeConfig = 'com.datastax.data-api.vectorize-config';

/** What a text index is made of. */
export interface TextIndexSettings {
  readonly column: string;
  /** The definition of the analyzer, as JSON. */
  readonly analyzer: string;
}

/** The settings of a collection, and the form of its terms. */
export interface StoredCollection {
  readonly settings: CollectionSettings;
  /** Whether every document has the tokens of its `$lexical` among its terms: not in collections of earlier builds. */
  readonly hasTokenTerms: boolean;
}

export interface TableSettings {
  /** Names of columns in the order of their definition; columns that others added are missing. */
  readonly columnOrder: readonly string[];
  /** The keys are names of vector columns. */
  readonly services: ReadonlyMap<string, ColumnEmbeddingService>;
  /** The keys are names of vector indexes; those of the default model are missing. */
  readonly models: ReadonlyMap<string, SourceModel>;
  /** The keys are names of text indexes, which nodes do not have. */
  readonly textIndexes: ReadonlyMap<string, TextIndexSettings>;
  /** Absent: the table is not a collection. A collection has no other settings, and these never change. */
  readonly collection?: StoredCollection;
}

/** Where they are stored. */
export interface SettingsPlace {
  /** The words behind those of others: what the table was made with, and the version that was stored last. */
  readonly comment: string;
  /** Empty where the cluster does not keep them. */
  readonly extensions: Readonly<Record<string, Buffer>>;
  /** All settings since the first change, as JSON; absent: none has changed. */
  readonly stored?: string | undefined;
}

const limits = { maxDepth: 20, maxNumberLength: 100 };
const nothing: JsonObject = new Map();
/** The comment of others, then the settings. */
const marked = /^(.*?)\n?colonnade: (\{.*\})$/s;

/** Reads the settings; what cannot be read, because other software wrote it, counts as absent. */
export function readSettings({ comment, extensions, stored }: SettingsPlace): TableSettings {
  const own = stored === undefined ? ownIn(comment) : objectIn(stored);
  const order = own.get('columns') ?? null;
  // Where extensions are kept, other servers may have changed them before the first change here.
  const enabled =
    stored === undefined && isKept(extensions)
      ? objectIn(extensions[vectorizeConfig]?.toString('utf8'))
      : memberObject(own, 'services');
  const collection = collectionIn(own);
  const models = [...memberObject(own, 'sourceModels')].flatMap(([index, model]) =>
    isSourceModel(model) ? [[index, model] as const] : [],
  );
  return {
    columnOrder: isJsonArray(order) ? order.filter((name) => typeof name === 'string') : [],
    services: new Map([
      ...servicesIn(memberObject(own, 'formerServices'), false),
      ...servicesIn(enabled, true),
    ]),
    models: new Map(models),
    textIndexes: textIndexesIn(memberObject(own, 'textIndexes')),
    ...(collection === undefined ? {} : { collection }),
  };
}

/** This server wrote them, so their form is not checked. */
function textIndexesIn(indexes: JsonObject): TableSettings['textIndexes'] {
  return new Map(
    [...indexes].flatMap(([name, json]) => {
      if (json === null || !isJsonObject(json)) return [];
      const [column, analyzer] = [json.get('column') ?? null, json.get('analyzer') ?? null];
      if (typeof column !== 'string' || typeof analyzer !== 'string') return [];
      return [[name, { column, analyzer }] as const];
    }),
  );
}

function collectionIn(own: JsonObject): StoredCollection | undefined {
  const settings = own.get('collection') ?? null;
  if (!isJsonObject(settings)) return undefined;
  const hasTokenTerms = own.get('tokenTerms') === true;
  return { settings: unpackSettings(stringifyJson(settings)), hasTokenTerms };
}

/** The place of the settings of a new collection. */
export function placeOfCollection(settings: CollectionSettings): SettingsPlace {
  return { comment: `colonnade: {"collection":${packSettings(settings)},"tokenTerms":true}`, extensions: {} };
}

/** The settings as JSON. */
export function describeSettings({ columnOrder, services, models, textIndexes }: TableSettings): string {
  const [enabled, former] = [describeServices(services, true), describeServices(services, false)];
  const members = [
    `"columns":${JSON.stringify(columnOrder)}`,
    ...(enabled === undefined ? [] : [`"services":${enabled}`]),
    ...(former === undefined ? [] : [`"formerServices":${former}`]),
    ...(models.size === 0 ? [] : [`"sourceModels":${JSON.stringify(Object.fromEntries(models))}`]),
    ...(textIndexes.size === 0 ? [] : [`"textIndexes":${JSON.stringify(Object.fromEntries(textIndexes))}`]),
  ];
  return `{${members.join(',')}}`;
}

/** The place of the settings of a new table. `madeMs`: the present time, which `settingsKey` knows it by. */
export function placeOfNewTable(settings: TableSettings, madeMs: number): SettingsPlace {
  const members = describeSettings(settings).slice(1);
  return {
    comment: `colonnade: {"made":"${new Date(madeMs).toISOString()}",${members}`,
    extensions: extensionsWith({}, settings),
  };
}

/**
 * The place after a change of the stored settings. Its comment names their version: nodes report to every server a
 * comment that changes, and nothing of rows.
 */
export function placeWithVersion(
  { comment, extensions }: SettingsPlace,
  settings: TableSettings,
  version: number,
): SettingsPlace {
  const own = new Map([...ownIn(comment), ['version', new JsonNumber(String(version))] as const]);
  const words = (marked.exec(comment)?.[1] ?? comment).trimEnd();
  return {
    comment: `${words === '' ? '' : `${words}\n`}colonnade: ${stringifyJson(own)}`,
    extensions: extensionsWith(extensions, settings),
  };
}

/** The version of the stored settings that the comment names; undefined if it names none. */
export function versionIn({ comment }: Pick<SettingsPlace, 'comment'>): number | undefined {
  const version = ownIn(comment).get('version') ?? null;
  return version instanceof JsonNumber ? Number(version.text) : undefined;
}

/**
 * What a table is known by beside its name: the time in its comment, which stays when a backup is restored under
 * another id, or its id where the comment has none.
 */
export function settingsKey({ uuid, comment }: { readonly uuid: string; readonly comment: string }): string {
  const made = ownIn(comment).get('made') ?? null;
  return typeof made === 'string' ? made : uuid;
}

function ownIn(comment: string): JsonObject {
  return objectIn(marked.exec(comment)?.[2]);
}

function extensionsWith(before: Extensions, { services }: TableSettings): Extensions {
  const enabled = describeServices(services, true);
  const { [vectorizeConfig]: _, ...rest } = before;
  return {
    ...rest,
    [schemaType]: Buffer.from('table'),
    [definitionVersion]: Buffer.from('1'),
    ...(enabled === undefined ? {} : { [vectorizeConfig]: Buffer.from(enabled) }),
  };
}

type Extensions = SettingsPlace['extensions'];

function isKept(extensions: Extensions): boolean {
  return extensions[schemaType] !== undefined;
}

function describeServices(
  services: ReadonlyMap<string, ColumnEmbeddingService>,
  isEnabled: boolean,
): string | undefined {
  const members = [...services].flatMap(([column, own]) =>
    own.isEnabled === isEnabled ? [`${JSON.stringify(column)}:${describeEmbeddingService(own)}`] : [],
  );
  return members.length === 0 ? undefined : `{${members.join(',')}}`;
}

function servicesIn(config: JsonObject, isEnabled: boolean): ReadonlyMap<string, ColumnEmbeddingService> {
  return new Map(
    [...config].flatMap(([column, json]) => {
      const service = serviceIn(json);
      return service === undefined ? [] : [[column, { ...service, isEnabled }] as const];
    }),
  );
}

function serviceIn(json: JsonValue): EmbeddingService | undefined {
  try {
    const { provider, modelName, ...others } = parseEmbeddingService(json, 'service');
    return provider === undefined || modelName === undefined ? undefined : { provider, modelName, ...others };
  } catch {
    return undefined; // of a form that only its writer knows
  }
}

function objectIn(text: string | undefined): JsonObject {
  if (text === undefined) return nothing;
  try {
    const json = parseJson(text, limits);
    return isJsonObject(json) ? json : nothing;
  } catch {
    return nothing; // not JSON
  }
}

function memberObject(json: JsonObject, name: string): JsonObject {
  const member = json.get(name) ?? null;
  return isJsonObject(member) ? member : nothing;
}

function isSourceModel(model: JsonValue): model is SourceModel {
  return typeof model === 'string' && Object.hasOwn(sourceModels, model);
}
