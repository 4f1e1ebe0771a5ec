// Options in a JSON object, named `dataDir` or `data-dir`: a config file, or what a program gives.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  stringifyJson,
} from '../json/json-value.js';
import { parseJson } from '../json/parse-json.js';
import { nearestHint } from '../nearest-name.js';
import type { ConfigSources, GivenValue, SourceReading } from './config-source.js';
import type { Option } from './option.js';
import { optionList } from './options.js';

/** Reads the file that `path` names. Problems are returned, never thrown. */
export function readConfigFile(path: GivenValue, readFile: ConfigSources['readFile']): SourceReading {
  if (path.text === '') return { values: new Map(), problems: [] }; // an empty path is refused like any empty value
  const name = path.text;
  let text: string;
  try {
    text = readFile(name);
  } catch (error) {
    return failed(`${path.origin} names ${name}, which cannot be read: ${reasonOf(error)}`);
  }
  try {
    const json = parseJson(text, { maxDepth: 16, maxNumberLength: 100 });
    if (!isJsonObject(json)) return failed(`${name} must contain one JSON object`);
    const { values, problems } = readMembers(json, name);
    const another = values.get('config');
    if (another === undefined) return { values, problems };
    return { values, problems: [...problems, `${another.origin} cannot be set in a config file`] };
  } catch (error) {
    return failed(`${name} is not JSON: ${reasonOf(error)}`);
  }
}

/** Reads options of an object; `source` is its name in messages. Problems are returned, never thrown. */
export function readMembers(members: JsonObject, source: string): SourceReading {
  const values = new Map<string, GivenValue>();
  const problems: string[] = [];
  for (const { path, json } of flatten(members)) {
    const origin = `"${path.join('.')}" in ${source}`;
    const name = path.join('-');
    const option = optionList.find((known) => known.key === name || known.name === name);
    const text = option === undefined ? undefined : textOf(option, json);
    if (option === undefined) problems.push(`${origin} is not an option${hintFor(path)}`);
    else if (values.has(option.key))
      problems.push(`${origin} is set twice: as ${option.key} and ${option.name}`);
    else if (text === undefined)
      problems.push(`${origin} must be ${jsonForms[option.kind.jsonForm]}: ${option.kind.wanted}`);
    else values.set(option.key, { origin, text });
  }
  return { values, problems };
}

/** `{"ops": {"users": …}}` is another way to write `{"ops-users": …}`. */
function flatten(members: ReadonlyMap<string, JsonValue>): { path: readonly string[]; json: JsonValue }[] {
  return [...members].flatMap(([name, json]) => {
    const isOption = optionList.some((known) => known.key === name || known.name === name);
    if (isOption || !isJsonObject(json)) return [{ path: [name], json }];
    return [...json].map(([inner, value]) => ({ path: [name, inner], json: value }));
  });
}

function hintFor(path: readonly string[]): string {
  const names = optionList.flatMap(({ key, name }) => [key, name]);
  return nearestHint(path.join('-'), names, (name) => `"${name}"`);
}

const jsonForms = {
  string: 'a JSON string',
  number: 'a JSON number',
  list: 'a JSON array of strings',
  json: 'JSON',
} as const;

function textOf(option: Option, json: JsonValue): string | undefined {
  const { jsonForm } = option.kind;
  if (jsonForm === 'json') return stringifyJson(json);
  if (typeof json === 'string') return json;
  if (jsonForm === 'number' && json instanceof JsonNumber) return json.text;
  if (jsonForm === 'list' && isJsonArray(json) && json.every((item) => typeof item === 'string')) {
    return json.join(',');
  }
  return undefined;
}

function failed(problem: string): SourceReading {
  return { values: new Map(), problems: [problem] };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
