// The embedding service of a vector column: what makes vectors of the texts that are written to it.
import {
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonText,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { refuseUnknownMembers, structureMismatch } from '../errors/request-problems.js';

/** A service as a definition asks for it: its form is right, its contents are not looked at yet. */
export interface RequestedEmbeddingService {
  /** Undefined where it is missing. */
  readonly provider: string | undefined;
  readonly modelName: string | undefined;
  readonly authentication: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
}

/** A service that is known to fit: what is stored with the column. */
export interface EmbeddingService {
  readonly provider: string;
  readonly modelName: string;
  /** Credentials by secret, `{"providerKey":"name.providerKey"}`; empty where none are named. */
  readonly authentication: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
}

/** The service that a vector column has or had. */
export interface ColumnEmbeddingService {
  readonly service: EmbeddingService;
  /** False after dropVectorize: texts are refused, and the vectors that are there stay. */
  readonly isEnabled: boolean;
}

/**
 * Checks a service against what is offered, for a column of a dimension or, with undefined, of the model's own.
 * Credentials come back as `name.member`.
 * @throws ApiError scope SCHEMA
 */
export type CheckEmbeddingService = (
  column: string,
  requested: RequestedEmbeddingService,
  dimension: number | undefined,
) => { readonly service: EmbeddingService; readonly dimension: number };

/** Of a service. */
export const serviceExample = '{"provider": "openai", "modelName": "text-embedding-3-small"}';

const members = ['provider', 'modelName', 'authentication', 'parameters'];

/**
 * Reads the form of a service; null counts as absent.
 * @throws ApiError COMMAND_FIELD_UNKNOWN, REQUEST_STRUCTURE_MISMATCH
 */
export function parseEmbeddingService(json: JsonValue, at: string): RequestedEmbeddingService {
  if (!isJsonObject(json))
    throw structureMismatch(at, 'an object with "provider" and "modelName"', json, serviceExample);
  refuseUnknownMembers(json, at, members);
  return {
    provider: optionalText(json, 'provider', at),
    modelName: optionalText(json, 'modelName', at),
    authentication: parseMembers(json, 'authentication', at, 'the name of a credential', (value) =>
      typeof value === 'string' ? value : undefined,
    ),
    parameters: parseMembers(json, 'parameters', at, 'a string, a number, true or false', scalarIn),
  };
}

/** As listTables shows it, members that are empty left out. */
export function describeEmbeddingService({
  provider,
  modelName,
  authentication,
  parameters,
}: EmbeddingService): JsonText {
  return JSON.stringify({
    provider,
    modelName,
    authentication: isEmpty(authentication) ? undefined : authentication,
    parameters: isEmpty(parameters) ? undefined : parameters,
  });
}

/** Whether two services give the same vectors: only credentials may differ. */
export function givesSameVectors(left: EmbeddingService, right: EmbeddingService): boolean {
  const ofVectors = ({ provider, modelName, parameters }: EmbeddingService) =>
    JSON.stringify([provider, modelName, inOrder(parameters)]);
  return ofVectors(left) === ofVectors(right);
}

/** Whether two services are the same in everything. */
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
