// What Cassandra itself has no place for. The settings of a table stand behind its comment, because Apache Cassandra
// takes `extensions` and forgets them; where a cluster keeps those, they have the keys of the public API.
import {
  isJsonArray,
  isJsonObject,
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

export interface TableSettings {
  /** Names of columns in the order of their definition; columns that others added are missing. */
  readonly columnOrder: readonly string[];
  /** The keys are names of vector columns. */
  readonly services: ReadonlyMap<string, ColumnEmbeddingService>;
  /** The keys are names of vector indexes; those of the default model are missing. */
  readonly models: ReadonlyMap<string, SourceModel>;
  /** Absent: the table is not a collection. A collection has no other settings, and these never change. */
  readonly collection?: CollectionSettings;
}

/** Where they are stored. */
export interface SettingsPlace {
  readonly comment: string;
  /** Empty where the cluster does not keep them. */
  readonly extensions: Readonly<Record<string, Buffer>>;
}

const limits = { maxDepth: 20, maxNumberLength: 100 };
const nothing: JsonObject = new Map();
/** The comment of others, then the settings. */
const marked = /^(.*?)\n?colonnade: (\{.*\})$/s;

/** Reads the settings; what cannot be read, because other software wrote it, counts as absent. */
export function readSettings({ comment, extensions }: SettingsPlace): TableSettings {
  const own = objectIn(marked.exec(comment)?.[2]);
  const order = own.get('columns') ?? null;
  // Where extensions are kept, other servers may have changed them.
  const enabled = isKept(extensions)
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
    ...(collection === undefined ? {} : { collection }),
  };
}

/** This server wrote them, so their form is not checked. */
function collectionIn(own: JsonObject): CollectionSettings | undefined {
  const settings = own.get('collection') ?? null;
  return isJsonObject(settings) ? unpackSettings(stringifyJson(settings)) : undefined;
}

/** The place of the settings of a new collection. */
export function placeOfCollection(settings: CollectionSettings): SettingsPlace {
  return { comment: `colonnade: {"collection":${packSettings(settings)}}`, extensions: {} };
}

/** The place with these settings instead of its own; what else it holds stays. */
export function withSettings(before: SettingsPlace, settings: TableSettings): SettingsPlace {
  const { columnOrder, services, models } = settings;
  const enabled = describeServices(services, true);
  const members = [
    `"columns":${JSON.stringify(columnOrder)}`,
    ...(enabled === undefined ? [] : [`"services":${enabled}`]),
    ...[describeServices(services, false)].flatMap((former) =>
      former === undefined ? [] : [`"formerServices":${former}`],
    ),
    ...(models.size === 0 ? [] : [`"sourceModels":${JSON.stringify(Object.fromEntries(models))}`]),
  ];
  const ofOthers = (marked.exec(before.comment)?.[1] ?? before.comment).trimEnd();
  const { [vectorizeConfig]: _, ...rest } = before.extensions;
  return {
    comment: `${ofOthers === '' ? '' : `${ofOthers}\n`}colonnade: {${members.join(',')}}`,
    extensions: {
      ...rest,
      [schemaType]: Buffer.from('table'),
      [definitionVersion]: Buffer.from('1'),
      ...(enabled === undefined ? {} : { [vectorizeConfig]: Buffer.from(enabled) }),
    },
  };
}

/** Whether storing the second instead of the first changes nothing. */
export function isSamePlace(before: SettingsPlace, after: SettingsPlace): boolean {
  return (
    before.comment === after.comment &&
    (!isKept(before.extensions) || areSame(before.extensions, after.extensions))
  );
}

type Extensions = SettingsPlace['extensions'];

function isKept(extensions: Extensions): boolean {
  return extensions[schemaType] !== undefined;
}

function areSame(left: Extensions, right: Extensions): boolean {
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => left[key] !== undefined && right[key]?.equals(left[key]) === true)
  );
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
