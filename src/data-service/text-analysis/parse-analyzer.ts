// Reads the definition of an analyzer: the name of a built-in one, or an object of components.
import { GenerationCache } from '../../foundation/generation-cache.js';
import { getOrMake } from '../../foundation/get-or-make.js';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonText,
  type JsonValue,
  jsonKind,
  stringifyJson,
} from '../../foundation/json/json-value.js';
import {
  JsonNumberTooLong,
  JsonSyntaxError,
  JsonTooManyValues,
  parseJson,
} from '../../foundation/json/parse-json.js';
import { type Analyzer, type CharFilter, InvalidAnalyzer, makeAnalyzer } from './analyzer.js';
import { builtInAnalyzer } from './built-in-analyzers.js';
import { type Arguments, type Component, makePart } from './component.js';
import { stripHtml } from './strip-html.js';
import { tokenFilters } from './token-filters.js';
import { tokenizers } from './tokenizers.js';

const jsonLimits = { maxDepth: 16, maxNumberLength: 100 };
/** The maximum length of a definition, which every process keeps in memory for each index. */
const longestDefinition = 64 * 1024;
const mostComponents = 64;

const charFilters: readonly Component<CharFilter>[] = [
  {
    name: 'htmlstrip',
    takes: ['escapedTags'],
    make: (given) => {
      const names = (given.get('escapedTags') ?? '').split(/[\s,]+/).filter((name) => name !== '');
      const kept = new Set(names.map((name) => name.toLowerCase()));
      return (text) => stripHtml(text, kept);
    },
  },
];

/** The analyzers of recent definitions: SQL functions look one up for each row. */
const recent = new GenerationCache<Analyzer>(200);

/** The analyzer of a stored definition. */
export function analyzerOf(definition: JsonText): Analyzer {
  return getOrMake(recent, definition, () => parseAnalyzer(parseJson(definition, jsonLimits)));
}

/** Reads a definition: a string or an object. @throws InvalidAnalyzer */
export function parseAnalyzer(json: JsonValue): Analyzer {
  const definition = stringifyJson(json);
  if (definition.length > longestDefinition)
    throw new InvalidAnalyzer(
      `it has ${definition.length} characters; at most ${longestDefinition} are allowed`,
    );
  if (typeof json === 'string' && !json.trim().startsWith('{')) return builtInAnalyzer(json, definition);
  const object = typeof json === 'string' ? parsedText(json) : json;
  if (!isJsonObject(object)) throw new InvalidAnalyzer(`it must be a string or an object`);
  return parseComponents(object, definition);
}

/** An object can also be sent as a text. */
function parsedText(text: string): JsonValue {
  try {
    return parseJson(text, jsonLimits);
  } catch (error) {
    const isOfTheText = [JsonSyntaxError, JsonNumberTooLong, JsonTooManyValues].some(
      (kind) => error instanceof kind,
    );
    if (!(error instanceof Error) || !isOfTheText) throw error;
    throw new InvalidAnalyzer(`it is neither the name of an analyzer nor JSON: ${error.message}`);
  }
}

function parseComponents(json: JsonObject, definition: JsonText): Analyzer {
  const members = ['tokenizer', 'filters', 'charFilters'];
  const unknown = [...json.keys()].find((name) => !members.includes(name));
  if (unknown !== undefined)
    throw new InvalidAnalyzer(`it has the unknown member "${unknown}"; its members: ${members.join(', ')}`);
  const before = componentsOf(json, 'charFilters').map(([name, given]) =>
    makePart('character filter', charFilters, name, given),
  );
  const filters = componentsOf(json, 'filters').map(([name, given]) =>
    makePart('filter', tokenFilters, name, given),
  );
  const tokenizer = json.get('tokenizer') ?? null;
  if (tokenizer === null && before.length + filters.length === 0)
    throw new InvalidAnalyzer('it needs a tokenizer or at least one filter');
  const [name, given] = tokenizer === null ? ['keyword', new Map<string, string>()] : namedPart(tokenizer);
  return makeAnalyzer(definition, {
    charFilters: before,
    tokenizer: makePart('tokenizer', tokenizers, name, given),
    filters,
  });
}

type NamedPart = readonly [name: string, given: Arguments];

function componentsOf(json: JsonObject, member: string): readonly NamedPart[] {
  const list = json.get(member) ?? [];
  if (!isJsonArray(list)) throw new InvalidAnalyzer(`its member "${member}" must be an array`);
  if (list.length > mostComponents)
    throw new InvalidAnalyzer(`it has ${list.length} ${member}; at most ${mostComponents} are allowed`);
  return list.map(namedPart);
}

function namedPart(json: JsonValue): NamedPart {
  if (!isJsonObject(json)) throw new InvalidAnalyzer('each component must be an object with a "name"');
  const unknown = [...json.keys()].find((member) => member !== 'name' && member !== 'args');
  if (unknown !== undefined)
    throw new InvalidAnalyzer(`a component has the unknown member "${unknown}"; its members: name, args`);
  const name = json.get('name');
  if (typeof name !== 'string') throw new InvalidAnalyzer('a component has no "name"');
  const args = json.get('args') ?? new Map();
  if (!isJsonObject(args)) throw new InvalidAnalyzer(`the member "args" of "${name}" must be an object`);
  const given = new Map<string, string>();
  for (const [argument, value] of args) {
    if (typeof value !== 'string') {
      throw new InvalidAnalyzer(
        `the argument "${argument}" of "${name}" must be a string, but is of the kind ${jsonKind(value)}`,
      );
    }
    given.set(argument, value);
  }
  return [name, given];
}
