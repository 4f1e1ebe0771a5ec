// Projections as the model of collections applies them: written from the contract, without code of the product.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../src/foundation/json/json-value.js';
import { refuse } from './model-problem.js';
import { kindOf, type Members, partsOf } from './model-value.js';

const reserved = ['$vector', '$vectorize', '$lexical'];

interface Rule {
  readonly parts: readonly string[];
  readonly what: 'include' | 'exclude' | readonly number[];
}

/** The document as a reply has it. @throws Refusal */
export function projected(whole: Members, projection: JsonObject | undefined): Members {
  const star = projection?.get('*');
  if (star !== undefined) return isOn(star) ? whole : new Map();
  const rules: Rule[] = [];
  for (const [name, value] of projection ?? []) addRules([], name, value, rules);
  const shownReserved = reserved.filter((name) =>
    rules.some(({ parts, what }) => parts[0] === name && what === 'include'),
  );
  const idRule = rules.find(({ parts }) => parts.length === 1 && parts[0] === '_id');
  const ordinary = rules.filter((rule) => rule !== idRule && !reserved.includes(rule.parts[0] ?? ''));
  const modes = new Set(ordinary.map(({ what }) => what).filter((what) => typeof what === 'string'));
  if (modes.size > 1) refuse('UNSUPPORTED_PROJECTION_PARAM');
  refuseOverlaps(ordinary);
  const mode = modes.has('include') ? 'include' : 'exclude';
  const shown = [...whole].flatMap(([name, value]): (readonly [string, JsonValue])[] => {
    if (name === '_id') return idRule?.what === 'exclude' ? [] : [[name, value]];
    if (reserved.includes(name)) return shownReserved.includes(name) ? [[name, value]] : [];
    const kept = shape(value, [name], ordinary, mode);
    return kept === undefined ? [] : [[name, kept]];
  });
  return new Map(shown);
}

function isOn(value: JsonValue): boolean {
  return value === true || (value instanceof JsonNumber && Number(value.text) !== 0);
}

function addRules(above: readonly string[], name: string, value: JsonValue, rules: Rule[]): void {
  const parts = [...above, ...partsOf(name)];
  if (value !== null && isJsonObject(value)) {
    const slice = value.get('$slice');
    if (slice === undefined) for (const [below, member] of value) addRules(parts, below, member, rules);
    else
      rules.push({ parts, what: (Array.isArray(slice) ? slice : [slice]).map(({ text }) => Number(text)) });
  } else if (typeof value === 'boolean' || value instanceof JsonNumber)
    rules.push({ parts, what: isOn(value) ? 'include' : 'exclude' });
  else refuse('UNSUPPORTED_PROJECTION_PARAM');
}

function refuseOverlaps(rules: readonly Rule[]): void {
  for (const [at, one] of rules.entries())
    for (const other of rules.slice(at + 1)) {
      const length = Math.min(one.parts.length, other.parts.length);
      if (one.parts.slice(0, length).join('\0') === other.parts.slice(0, length).join('\0'))
        refuse('UNSUPPORTED_PROJECTION_PARAM');
    }
}

function shape(
  value: JsonValue,
  at: readonly string[],
  rules: readonly Rule[],
  mode: string,
): JsonValue | undefined {
  const here = rules.filter(({ parts }) => at.every((part, place) => parts[place] === part));
  const own = here.find(({ parts }) => parts.length === at.length);
  if (own !== undefined) {
    if (own.what === 'include') return value;
    return own.what === 'exclude' ? undefined : sliced(value, own.what);
  }
  if (here.length === 0) return mode === 'include' ? undefined : value;
  if (isJsonArray(value)) return value.map((element) => shape(element, at, rules, mode) ?? null);
  if (value === null || kindOf(value) !== 'object') return value;
  const kept = [...(value as Members)].flatMap(([name, member]): (readonly [string, JsonValue])[] => {
    const shown = shape(member, [...at, name], rules, mode);
    return shown === undefined ? [] : [[name, shown]];
  });
  return new Map(kept);
}

function sliced(value: JsonValue, [first = 0, count]: readonly number[]): JsonValue {
  if (!isJsonArray(value)) return value;
  if (count === undefined) return first < 0 ? value.slice(first) : value.slice(0, first);
  const from = first < 0 ? Math.max(0, value.length + first) : first;
  return value.slice(from, from + count);
}
