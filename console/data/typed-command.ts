// Commands as people type them, and as links carry them: where they go, what they are, and what they destroy.
import { removingCommands } from '../../src/descriptions/removing-commands.js';
import { isObject, type Json, memberAt, parseJson } from '../json/exact-json.js';
import { pathOf, type Target } from './command.js';

/** A command that is edited. */
export interface Draft {
  /** The path on the data port: `v1/shop/books`. */
  readonly path: string;
  readonly text: string;
}

/**
 * Reads the path of a link or of the kept history: `v1`, `v1/shop`, `v1/shop/books`. Other people may have written it,
 * so it is written again from its names. Undefined where it could lead to something else than commands.
 */
export function readPath(path: string): string | undefined {
  const [version, ...parts] = path.split('/');
  const names = parts.map(decoded);
  if (version !== 'v1' || names.length > 2 || !names.every(isName)) return undefined;
  const [keyspace, name] = names;
  const target: Target = {
    ...(keyspace === undefined ? {} : { keyspace }),
    ...(name === undefined ? {} : { name }),
  };
  return pathOf(target);
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** A second decoding by a proxy must not find a step upwards either, so `%` is refused. */
function isName(name: string | undefined): boolean {
  return name !== undefined && name !== '' && !/^\.+$|[%/\\?#]/.test(name);
}

/** The name of the command; undefined as long as the text is none. */
export function commandName(text: string): string | undefined {
  return onlyMember(text)?.name;
}

/** Whether the command drops or deletes something. */
export function isDestructive(text: string): boolean {
  const only = onlyMember(text);
  if (only === undefined) return false;
  const drops = only.name === 'alterTable' && memberAt(only.body, 'operation', 'drop') !== undefined;
  return drops || removingCommands.includes(only.name);
}

function onlyMember(text: string): { readonly name: string; readonly body: Json | undefined } | undefined {
  const value = parsed(text);
  const [first, ...others] = isObject(value) ? Object.entries(value) : [];
  return first === undefined || others.length > 0 ? undefined : { name: first[0], body: first[1] };
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
