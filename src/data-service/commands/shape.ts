// Shapes of command payloads: names, JSON kinds, unknown fields. They do not depend on tables.
import {
  isJsonArray,
  isJsonObject,
  type JsonArray,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { type ApiError, ApiErrors, apiError } from '../errors/api-error.js';
import { invalidFieldValue, refuseUnknownMembers, structureMismatch } from '../errors/request-problems.js';

/** Reads one field. Invalid values are collected, so that all are reported; a wrong structure is thrown. */
export interface Shape<Value> {
  read(json: JsonValue | undefined, at: string, problems: ApiError[]): Value;
  /** The values that it accepts, in words, for the generated reference. */
  readonly wanted: string;
  /** The members of an object, in the order in which they are read. */
  readonly members?: Readonly<Record<string, Shape<unknown>>>;
}

/** Null counts as absent everywhere. */
const optional = 'optional';

type Fields<Payload> = { readonly [Name in keyof Payload]: Shape<Payload[Name]> };

/**
 * Reads the payload of a command.
 * @throws ApiError for its structure, or ApiErrors with every bad value
 */
export function readPayload<Payload>(shape: Shape<Payload>, json: JsonValue): Payload {
  const problems: ApiError[] = [];
  const payload = shape.read(json, 'command', problems);
  if (problems.length > 0) throw new ApiErrors(problems);
  return payload;
}

/** An object with these members and no others. */
export function object<Payload extends object>(fields: Fields<Payload>): Shape<Payload> {
  const known = Object.keys(fields) as (keyof Payload & string)[]; // the fields have no other names
  const example = `{${known.map((name) => `"${name}": …`).join(', ')}}`;
  return {
    wanted: 'an object',
    members: fields,
    read(json, at, problems) {
      if (json === undefined || !isJsonObject(json)) throw structureMismatch(at, 'an object', json, example);
      refuseUnknownMembers(json, at, known);
      const read: Partial<Payload> = {};
      for (const name of known) read[name] = fields[name].read(json.get(name), `${at}.${name}`, problems);
      return read as Payload; // every field was read
    },
  };
}

/** A required object. An empty object must be a valid structure for its members. */
export function requiredObject<Payload extends object>(fields: Fields<Payload>): Shape<Payload> {
  const shape = object(fields);
  return {
    ...shape,
    read(json, at, problems) {
      if (json !== undefined && json !== null) return shape.read(json, at, problems);
      problems.push(invalidFieldValue(at, json, 'it must not be null'));
      return shape.read(new Map(), at, []);
    },
  };
}

/** The member `options`: absent, null and `{}` are the same. */
export function options<Payload extends object>(fields: Fields<Payload>): Shape<Payload> {
  const shape = object(fields);
  return {
    wanted: `${shape.wanted}; ${optional}`,
    members: fields,
    read: (json, at, problems) => shape.read(json ?? new Map(), at, problems),
  };
}

/** Reads what `options` reads, but `{}` differs from absent and null, which mean undefined. */
export function optionalObject<Payload extends object>(fields: Fields<Payload>): Shape<Payload | undefined> {
  const shape = object(fields);
  return {
    wanted: `${shape.wanted}; ${optional}`,
    members: fields,
    read: (json, at, problems) =>
      json === undefined || json === null ? undefined : shape.read(json, at, problems),
  };
}

/** The member `options` of a command that has none. */
export function noOptions(command: string): Shape<null> {
  return {
    wanted: 'absent, null or `{}`: there are no options',
    read(json) {
      const isEmpty = json === undefined || json === null || (isJsonObject(json) && json.size === 0);
      if (!isEmpty) throw apiError('request', 'COMMAND_ACCEPTS_NO_OPTIONS', { command });
      return null;
    },
  };
}

/** A string that is not empty. */
export const nonEmptyText: Shape<string> = {
  wanted: 'a string that is not empty',
  read(json, at, problems) {
    if (json === '') problems.push(invalidFieldValue(at, json, 'it must not be empty'));
    return requiredText.read(json, at, problems);
  },
};

/** A string, also an empty one, as for names whose own check refuses it. */
export const requiredText: Shape<string> = {
  wanted: 'a string',
  read(json, at, problems) {
    if (json === undefined || json === null)
      problems.push(invalidFieldValue(at, json, 'it must not be null'));
    else if (typeof json !== 'string') throw structureMismatch(at, 'a string', json, '"…"');
    return typeof json === 'string' ? json : '';
  },
};

/** A string, also an empty one; absent and null mean undefined. */
export const optionalText: Shape<string | undefined> = {
  wanted: `a string; ${optional}`,
  read(json, at) {
    if (json === undefined || json === null) return undefined;
    if (typeof json !== 'string') throw structureMismatch(at, 'a string', json, '"…"');
    return json;
  },
};

/** One of these strings, all of lower case, in any case; absent and null mean undefined. */
export function optionalChoice<Choice extends string>(choices: readonly Choice[]): Shape<Choice | undefined> {
  const named = choices.map((choice) => `"${choice}"`).join(', ');
  return {
    wanted: `one of ${named}, in any case; ${optional}`,
    read(json, at, problems) {
      const text = optionalText.read(json, at, problems);
      const choice = choices.find((each) => each === text?.toLowerCase());
      if (text !== undefined && choice === undefined)
        problems.push(invalidFieldValue(at, json, `it must be one of ${named}`));
      return choice;
    },
  };
}

/** Absent and null mean false. */
export const flag: Shape<boolean> = {
  wanted: '`true` or `false`; absent means `false`',
  read: (json, at, problems) => optionalFlag.read(json, at, problems) ?? false,
};

/** A field that is read and has no effect; the reference gives the reason `why`. */
export function withoutEffect<Value>(shape: Shape<Value>, why: string): Shape<Value> {
  return { ...shape, wanted: `accepted without effect: ${why}` };
}

/** Absent and null mean undefined. */
export const optionalFlag: Shape<boolean | undefined> = {
  wanted: `\`true\` or \`false\`; ${optional}`,
  read(json, at) {
    if (json === undefined || json === null) return undefined;
    if (typeof json !== 'boolean') throw structureMismatch(at, 'true or false', json, 'true');
    return json;
  },
};

/** A whole number from `least` to 2^31 - 1; absent and null mean undefined. */
export function optionalInteger(least: number): Shape<number | undefined> {
  return {
    wanted: `a whole number of at least ${least}; ${optional}`,
    read(json, at, problems) {
      if (json === undefined || json === null) return undefined;
      const value = json instanceof JsonNumber ? Number(json.text) : Number.NaN;
      if (!Number.isInteger(value)) throw structureMismatch(at, 'a whole number', json, String(least + 10));
      const most = 2_147_483_647;
      if (value < least || value > most) {
        problems.push(invalidFieldValue(at, json, `it must be from ${least} to ${most}`));
      }
      return value;
    },
  };
}

const skipInteger = optionalInteger(0);

/** The option `skip`. 0 means undefined, because clients send it for no skip. */
export const optionalSkip: Shape<number | undefined> = {
  wanted: skipInteger.wanted,
  read: (json, at, problems) => skipInteger.read(json, at, problems) || undefined,
};

/** A filter that errors show as the wanted form. */
export const filterExample = '{"id": 1}';

/** A sort that errors show as the wanted form. */
export const sortExample = '{"day": -1}';

/** An object; its members are read later; absent and null mean undefined. */
export function optionalClause(example: string): Shape<JsonObject | undefined> {
  return {
    wanted: `an object; ${optional}`,
    read(json, at) {
      if (json === undefined || json === null) return undefined;
      if (!isJsonObject(json)) throw structureMismatch(at, 'an object', json, example);
      return json;
    },
  };
}

/** A required object; its members are read later. */
export function clause(example: string): Shape<JsonObject> {
  const optionalShape = optionalClause(example);
  return {
    wanted: 'an object',
    read(json, at, problems) {
      const found = optionalShape.read(json, at, problems);
      if (found === undefined) problems.push(invalidFieldValue(at, json, 'it must not be null'));
      return found ?? new Map();
    },
  };
}

/** Any JSON; it is checked later. */
export function anything(wanted: string): Shape<JsonValue | undefined> {
  return { wanted: `${wanted}; ${optional}`, read: (json) => json };
}

/** An array of objects, `least` to `most` of them. */
export function objects(least: number, most: number): Shape<readonly JsonObject[]> {
  return {
    wanted: `an array of ${least} to ${most} objects`,
    read(json, at, problems) {
      if (json === undefined || json === null) {
        problems.push(invalidFieldValue(at, json, 'it must not be null'));
        return [];
      }
      if (!isJsonArray(json)) throw structureMismatch(at, 'an array of objects', json, '[{"id": 1}]');
      if (json.length < least)
        problems.push(invalidFieldValue(at, json, `it must have at least ${least} element`));
      if (json.length > most) {
        const problem = `amount of elements must be between ${least} and ${most} (${json.length} vs ${most})`;
        problems.push(invalidFieldValue(at, json, problem));
      }
      return checkObjects(json, at);
    },
  };
}

function checkObjects(json: JsonArray, at: string): readonly JsonObject[] {
  return json.map((element, place) => {
    if (!isJsonObject(element)) throw structureMismatch(`${at}[${place}]`, 'an object', element, '{"id": 1}');
    return element;
  });
}
