// Keeps the digits of numbers in the arguments of tools, which the SDK reads as doubles.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonText,
  type JsonValue,
  quoteJson,
} from '../../foundation/json/json-value.js';
import { readReply } from '../operations-port.js';
import type { RequestId } from './line-scan.js';
import type { ToolArguments } from './mcp-tool.js';
import { deepestNesting } from './sound-lines.js';

/** The arguments of calls that were read, until they are taken, at the latest with the reply. */
export class ExactArguments {
  readonly #calls = new Map<RequestId | null | undefined, ToolArguments>();

  /** A line with a message of the client. */
  read(line: string): void {
    if (!line.includes('tools/call')) return;
    const message = objectOf(readReply(line, deepestNesting));
    const given = objectOf(objectOf(message.get('params')).get('arguments'));
    const id = idOf(message);
    if (id === undefined || !hasInexact(given)) return;
    this.#calls.set(id, Object.fromEntries([...given].map(([name, value]) => [name, argumentOf(value)])));
  }

  /** The arguments of a call with a `JsonNumber` for each number that a double changes; undefined if there is none. */
  take(id: RequestId | null | undefined): ToolArguments | undefined {
    const found = this.#calls.get(id);
    this.#calls.delete(id);
    return found;
  }
}

/** A command as JSON. Its objects are plain, its numbers may be `JsonNumber`. */
export function commandText(value: unknown): JsonText {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(commandText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${quoteJson(name)}:${commandText(member)}`).join(',')}}`;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : new Map();
}

function idOf(message: JsonObject): RequestId | undefined {
  const id = message.get('id');
  if (id instanceof JsonNumber) return Number(id.text);
  return typeof id === 'string' ? id : undefined;
}

function isExact({ text }: JsonNumber): boolean {
  return String(Number(text)) === text;
}

function hasInexact(value: JsonValue): boolean {
  if (value instanceof JsonNumber) return !isExact(value);
  if (isJsonArray(value)) return value.some(hasInexact);
  return value !== null && isJsonObject(value) && [...value.values()].some(hasInexact);
}

/** The numbers of an argument itself, such as a limit or a vector, are for its schema; those of objects are data. */
function argumentOf(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  return isJsonArray(value) ? value.map(argumentOf) : dataOf(value);
}

function dataOf(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return isExact(value) ? Number(value.text) : value;
  if (isJsonArray(value)) return value.map(dataOf);
  if (value === null || !isJsonObject(value)) return value;
  return Object.fromEntries([...value].map(([name, member]) => [name, dataOf(member)]));
}
