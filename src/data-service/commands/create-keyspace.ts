// createKeyspace, and its old name createNamespace (wire: General level).
import {
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { invalidFieldValue, structureMismatch } from '../errors/request-problems.js';
import { checkNewName } from '../schema/identifier.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { databaseCommand } from './command.js';
import { okReply } from './reply.js';
import { anything, nonEmptyText, object, options } from './shape.js';

const shape = object({
  name: nonEmptyText,
  options: options({ replication: anything('an object with a `class` and numbers') }),
});
const classes = ['SimpleStrategy', 'NetworkTopologyStrategy'];
const defaultReplication: JsonObject = new Map<string, JsonValue>([
  ['class', 'SimpleStrategy'],
  ['replication_factor', new JsonNumber('1')],
]);

function makeCommand(name: string, help: string, replacement?: string) {
  return databaseCommand({
    name,
    help,
    ...(replacement !== undefined && { replacement }),
    kind: 'schema',
    shape,
    plan: (request): SchemaChange => {
      checkNewName('keyspace', request.name);
      return {
        kind: 'createKeyspace',
        name: request.name,
        replication: parseReplication(request.options.replication),
      };
    },
    execute: (plan, engine) => engine.changeSchema(plan),
    respond: () => okReply,
  });
}

export const createKeyspace = makeCommand('createKeyspace', 'Creates a keyspace unless it exists.');
export const createNamespace = makeCommand(
  'createNamespace',
  'Deprecated name of createKeyspace.',
  'createKeyspace',
);

/** One of two classes, and numbers under any name: clients disagree on how to spell the factor (differences). */
function parseReplication(json: JsonValue | undefined): JsonObject {
  const at = 'command.options.replication';
  if (json === undefined || json === null) return defaultReplication;
  if (!isJsonObject(json)) throw structureMismatch(at, 'an object', json);
  for (const [name, value] of json) {
    if (name === 'class') {
      if (typeof value !== 'string' || !classes.includes(value)) {
        throw invalidFieldValue(`${at}.class`, value, `it must be one of ${classes.join(', ')}`);
      }
    } else if (!(value instanceof JsonNumber) || !/^[1-9]\d{0,8}$/.test(value.text)) {
      throw invalidFieldValue(`${at}.${name}`, value, 'it must be a whole number from 1 on');
    }
  }
  if (!json.has('class')) throw invalidFieldValue(`${at}.class`, undefined, 'it must not be null');
  return json;
}
