// The embedding service of a vector column, which embeds the texts that are written to it.
import {
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonText,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { refuseUnknownMembers, structureMismatch } from '../errors/request-problems.js';

/** A service as requested in a definition: its form is valid, its contents have not been checked. */
export interface RequestedEmbeddingService {
  /** Undefined if it is missing. */
  readonly provider: string | undefined;
  readonly modelName: string | undefined;
  readonly authentication: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  readonly sentEmpty?: SentEmpty;
}

/** The members of a service that were sent as `{}`: replies show them so, because clients compare definitions. */
export type SentEmpty = readonly ('authentication' | 'parameters')[];

/** A checked service, as it is stored with the column. */
export interface EmbeddingService {
  readonly provider: string;
  readonly modelName: string;
  /** Credentials by secret, `{"providerKey":"name.providerKey"}`; empty if there are none. */
  readonly authentication: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  /** Absent: none. */
  readonly sentEmpty?: SentEmpty;
}

/** The service that a vector column has or had. */
export interface ColumnEmbeddingService extends EmbeddingService {
  /** False after dropVectorize: texts are refused, and existing vectors remain. */
  readonly isEnabled: boolean;
}

/**
 * Checks a service against the offered providers, for a column of a dimension; undefined means the model's default
 * dimension. Credentials are returned as `name.member`.
 * @throws ApiError scope SCHEMA
 */
export type CheckEmbeddingService = (
  column: string,
  requested: RequestedEmbeddingService,
  dimension: number | undefined,
) => { readonly service: EmbeddingService; readonly dimension: number };

export const serviceExample = '{"provider": "openai", "modelName": "text-embedding-3-small"}';

const members = ['provider', 'modelName', 'authentication', 'parameters'];

/**
 * Parses the form of a service; null counts as absent.
 * @throws ApiError COMMAND_FIELD_UNKNOWN, REQUEST_STRUCTURE_MISMATCH
 */
export function parseEmbeddingService(json: JsonValue, at: string): RequestedEmbeddingService {
  if (!isJsonObject(json))
    throw structureMismatch(at, 'an object with "provider" and "modelName"', json, serviceExample);
  refuseUnknownMembers(json, at, members);
  const sentEmpty = (['authentication', 'parameters'] as const).filter((name) => {
    const value = json.get(name) ?? null;
    return value !== null && isJsonObject(value) && value.size === 0;
  });
  return {
    provider: optionalText(json, 'provider', at),
    modelName: optionalText(json, 'modelName', at),
    authentication: parseMembers(json, 'authentication', at, 'the name of a credential', (value) =>
      typeof value === 'string' ? value : undefined,
    ),
    parameters: parseMembers(json, 'parameters', at, 'a string, a number, true or false', scalarIn),
    ...(sentEmpty.length === 0 ? {} : { sentEmpty }),
  };
}

/** In the form of listTables, without empty members that were not sent. */
export function describeEmbeddingService({
  provider,
  modelName,
  authentication,
  parameters,
  sentEmpty = [],
}: EmbeddingService): JsonText {
  const isShown = (name: SentEmpty[number], record: object) => !isEmpty(record) || sentEmpty.includes(name);
  return JSON.stringify({
    provider,
    modelName,
    authentication: isShown('authentication', authentication) ? authentication : undefined,
    parameters: isShown('parameters', parameters) ? parameters : undefined,
  });
}

/** Whether two services make the same vectors: they may differ only in credentials. */
export function givesSameVectors(left: EmbeddingService, right: EmbeddingService): boolean {
  const ofVectors = ({ provider, modelName, parameters }: EmbeddingService) =>
    JSON.stringify([provider, modelName, inOrder(parameters)]);
  return ofVectors(left) === ofVectors(right);
}

/** Whether two services are completely equal. */
export function isSameEmbeddingService(left: EmbeddingService, right: EmbeddingService): boolean {
  const credentials = ({ authentication }: EmbeddingService) => JSON.stringify(inOrder(authentication));
  return givesSameVectors(left, right) && credentials(left) === credentials(right);
}

function inOrder(record: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(record).sort(([left], [right]) => (left < right ? -1 : 1));
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}

function optionalText(json: JsonObject, name: string, at: string): string | undefined {
  const value = json.get(name) ?? null;
  if (value === null) return undefined;
  if (typeof value !== 'string') throw structureMismatch(`${at}.${name}`, 'a string', value, '"…"');
  return value;
}

function parseMembers<Value>(
  json: JsonObject,
  name: string,
  at: string,
  expected: string,
  read: (value: JsonValue) => Value | undefined,
): Readonly<Record<string, Value>> {
  const given = json.get(name) ?? null;
  if (given === null) return {};
  if (!isJsonObject(given)) throw structureMismatch(`${at}.${name}`, 'an object', given, '{"…": "…"}');
  const entries = [...given].map(([member, value]) => {
    const found = read(value);
    if (found === undefined) throw structureMismatch(`${at}.${name}.${member}`, expected, value, '"…"');
    return [member, found] as const;
  });
  return Object.fromEntries(entries);
}

function scalarIn(value: JsonValue): string | number | boolean | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return value instanceof JsonNumber && Number.isFinite(Number(value.text)) ? Number(value.text) : undefined;
}
