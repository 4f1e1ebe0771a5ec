// Literals of the native query language, and the JSON of the same values in commands.
import { JsonNumber, type JsonValue } from '../../foundation/json/json-value.js';
import { type ColumnType, containerOf, wholePartOf } from '../column-types/column-type.js';
import { maxNumberLength } from '../column-types/number-literal.js';
import { maxDepth, type TokenReader } from './token-reader.js';

/** A literal. */
export type Term =
  | { readonly kind: 'value'; readonly json: JsonValue }
  /** `[1, 2]` and `{1, 2}`. */
  | { readonly kind: 'elements'; readonly terms: readonly Term[] }
  /** `{'a': 1}`, and `{street: 'x'}` of a user-defined type. */
  | { readonly kind: 'entries'; readonly entries: readonly (readonly [key: Term, value: Term])[] }
  /** `{}`: a set, a map, or a value of a user-defined type. */
  | { readonly kind: 'emptyBraces' };

const words: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['null', null],
  ['true', true],
  ['false', false],
  ['nan', 'NaN'],
  ['infinity', 'Infinity'],
]);

/** @throws NativeQueryRefused for anything that is not a literal, such as a function or a placeholder */
export function readTerm(reader: TokenReader, depth = 0): Term {
  if (depth > maxDepth) throw reader.refusal(`a literal that is nested at most ${maxDepth} deep`);
  if (reader.takeSymbol('[')) {
    const terms = reader.takeSymbol(']') ? [] : reader.list(() => readTerm(reader, depth + 1));
    if (terms.length > 0) reader.expectSymbol(']');
    return { kind: 'elements', terms };
  }
  if (reader.takeSymbol('{')) return readBraces(reader, depth);
  return { kind: 'value', json: readValue(reader) };
}

function readBraces(reader: TokenReader, depth: number): Term {
  if (reader.takeSymbol('}')) return { kind: 'emptyBraces' };
  const field = takeField(reader);
  const first = field ?? readTerm(reader, depth + 1);
  let term: Term;
  if (field !== undefined && !reader.isSymbol(':'))
    throw reader.refusal('":"', 'texts are written in single quotes');
  if (reader.takeSymbol(':')) {
    const entries: (readonly [Term, Term])[] = [[first, readTerm(reader, depth + 1)]];
    while (reader.takeSymbol(',')) {
      const key = field === undefined ? readTerm(reader, depth + 1) : expectField(reader);
      reader.expectSymbol(':');
      entries.push([key, readTerm(reader, depth + 1)]);
    }
    term = { kind: 'entries', entries };
  } else {
    const more = reader.takeSymbol(',') ? reader.list(() => readTerm(reader, depth + 1)) : [];
    term = { kind: 'elements', terms: [first, ...more] };
  }
  reader.expectSymbol('}');
  return term;
}

/** The name of a field of a user-defined type, if one comes next. */
function takeField(reader: TokenReader): Term | undefined {
  const { kind, text } = reader.peek();
  if (kind !== 'quotedName' && (kind !== 'name' || words.has(text))) return undefined;
  reader.take();
  return { kind: 'value', json: text };
}

function expectField(reader: TokenReader): Term {
  return { kind: 'value', json: reader.expectName('the name of a field') };
}

function readValue(reader: TokenReader): JsonValue {
  const isNegative = reader.takeSymbol('-');
  const { kind, text } = reader.peek();
  const word = kind === 'name' ? words.get(text) : undefined;
  const json = isNegative ? negated(kind, text, word) : plainValue(kind, text, word);
  if (json === undefined) throw reader.refusal('a literal', hintFor(kind));
  reader.take();
  return json;
}

function hintFor(kind: string): string | undefined {
  if (kind === 'quotedName') return 'texts are written in single quotes';
  return kind === 'name' ? 'texts are written in single quotes, and functions are not supported' : undefined;
}

function plainValue(kind: string, text: string, word: JsonValue | undefined): JsonValue | undefined {
  switch (kind) {
    case 'string':
    case 'uuid':
    case 'duration':
      return text;
    case 'number':
      return numberOf(text);
    case 'blob':
      return text.length % 2 === 0
        ? new Map([['$binary', Buffer.from(text.slice(2), 'hex').toString('base64')]])
        : undefined;
    default:
      return word;
  }
}

function negated(kind: string, text: string, word: JsonValue | undefined): JsonValue | undefined {
  if (kind === 'number') return numberOf(text, '-');
  if (word === 'NaN') return word;
  if (kind === 'duration' || word === 'Infinity') return `-${kind === 'duration' ? text : word}`;
  return undefined;
}

/** JSON numbers have no leading zeros, and a digit behind their point. */
function numberOf(text: string, sign = ''): JsonNumber | undefined {
  const digits = text.replace(/^0+(?=\d)/, '').replace(/\.(?!\d)/, '');
  return digits.length > maxNumberLength ? undefined : new JsonNumber(`${sign}${digits}`);
}

/** The JSON of a literal, in the form that commands accept for the type. */
export function jsonOf(term: Term, type: ColumnType): JsonValue {
  switch (term.kind) {
    case 'value':
      return term.json;
    case 'elements':
      return term.terms.map((element) => jsonOf(element, memberOf(type, 0)));
    case 'entries':
      return term.entries.map(([key, value]) => [
        jsonOf(key, memberOf(type, 0)),
        jsonOf(value, memberOf(type, 1)),
      ]);
    case 'emptyBraces':
      return wholePartOf(type) === 'elements' ? [] : new Map();
  }
}

/** The type of the elements, keys (0) or values (1); of other types it does not matter. */
function memberOf(type: ColumnType, at: 0 | 1): ColumnType {
  return containerOf(type)?.members[at] ?? type;
}
