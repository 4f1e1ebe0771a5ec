// createKeyspace, and its deprecated name createNamespace (wire: General level).
import { JsonNumber, type JsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { invalidFieldValue } from '../errors/request-problems.js';
import { checkNewName } from '../schema/identifier.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { changesSchema, databaseCommand } from './command.js';
import { nonEmptyText, object, optionalClause, options, type Shape } from './shape.js';

const shape = object({
  name: nonEmptyText,
  options: options({ replication: replicationShape() }),
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
    ...changesSchema,
    shape,
    plan: (request): SchemaChange => {
      checkNewName('keyspace', request.name);
      return {
        kind: 'createKeyspace',
        name: request.name,
        replication: request.options.replication ?? defaultReplication,
      };
    },
  });
}

export const createKeyspace = makeCommand('createKeyspace', 'Creates a keyspace unless it exists.');
export const createNamespace = makeCommand(
  'createNamespace',
  'Deprecated name of createKeyspace.',
  'createKeyspace',
);

/** One of two classes, and numbers under any name: clients disagree on how to spell the factor (differences). */
function replicationShape(): Shape<JsonObject | undefined> {
  return {
    wanted: 'an object with a `class` and numbers; optional',
    read(json, at, problems) {
      const replication = optionalClause('{"class": "SimpleStrategy", "replication_factor": 1}').read(
        json,
        at,
        problems,
      );
      if (replication === undefined) return undefined;
      if (!replication.has('class'))
        problems.push(invalidFieldValue(`${at}.class`, undefined, 'it must not be null'));
      for (const [name, value] of replication) {
        const problem = name === 'class' ? classProblem(value) : factorProblem(value);
        if (problem !== undefined) problems.push(invalidFieldValue(`${at}.${name}`, value, problem));
      }
      return replication;
    },
  };
}

function classProblem(value: JsonValue): string | undefined {
  const isKnown = typeof value === 'string' && classes.includes(value);
  return isKnown ? undefined : `it must be one of ${classes.join(', ')}`;
}

function factorProblem(value: JsonValue): string | undefined {
  const isFactor = value instanceof JsonNumber && /^[1-9]\d{0,8}$/.test(value.text);
  return isFactor ? undefined : 'it must be a whole number of at least 1';
}
