// The reading command of a screen, from what its address says.
import { isList, isObject, type Json, type JsonObject, parseJson, writeJson } from '../json/exact-json.js';
import { jsonProblem } from '../json/json-problem.js';
import type { Command, Target } from './command.js';
import { columnsOf, type Index, type Item } from './schema.js';

/** A way to search: by the meaning of a text, by its words, by both. */
export interface SearchWay {
  /** How the address names it: `vector:about_vector`, `text:about`, `hybrid`. */
  readonly id: string;
  readonly label: string;
  readonly kind: 'vector' | 'text' | 'hybrid';
  /** What the sort names. */
  readonly field: string;
}

/** What the address says about the rows. */
export interface RowsQuery {
  /** JSON; without a filter the text is empty. */
  readonly filter: string;
  /** JSON, as `{"name":1}`. */
  readonly sort: string;
  readonly search: string;
  /** The id of a way to search. */
  readonly by: string;
  /** The identity of a row, in place of a text to search for: those are wanted whose vectors are like its vector. */
  readonly like: string;
}

/** The most rows of a search. */
export const searchLimit = 50;

/** The ways to search a table or a collection. */
export function searchWaysOf(item: Item, indexes: readonly Index[]): readonly SearchWay[] {
  if (item.kind === 'table') {
    const vectors = columnsOf(item.definition)
      .filter(({ described }) => described.kind === 'vector')
      .map(({ name, hasService }): SearchWay => {
        const label = hasService ? `Similarity (${name})` : `Vector (${name})`;
        return { id: `vector:${name}`, label, kind: 'vector', field: name };
      });
    const texts = indexes
      .filter(({ type }) => type === 'text')
      .map(
        ({ column }): SearchWay => ({
          id: `text:${column}`,
          label: `Words (${column})`,
          kind: 'text',
          field: column,
        }),
      );
    return [...vectors, ...texts];
  }
  const { vector, lexical, rerank } = item.definition;
  const hasService = isObject(vector) && vector['service'] !== undefined;
  const hasWords = isObject(lexical) && lexical['enabled'] !== false;
  const hasReranker = !isObject(rerank) || rerank['enabled'] !== false;
  return [
    ...(isObject(vector) ? [vectorOfDocuments(hasService)] : []),
    ...(hasWords ? [{ id: 'text', label: 'Words', kind: 'text', field: '$lexical' } as const] : []),
    ...(hasWords && hasService && hasReranker
      ? [{ id: 'hybrid', label: 'Both (hybrid)', kind: 'hybrid', field: '$hybrid' } as const]
      : []),
  ];
}

function vectorOfDocuments(hasService: boolean): SearchWay {
  return hasService
    ? { id: 'vector', label: 'Similarity', kind: 'vector', field: '$vectorize' }
    : { id: 'vector', label: 'Vector', kind: 'vector', field: '$vector' };
}

/** Where a further page begins: at the state that a reply gave, or, of a sort in memory, behind a number of rows. */
export type PageStart = { readonly pageState: string } | { readonly skip: number };

/** The way to search by vectors that a query chooses; undefined where there is none. */
export function vectorWayOf(query: RowsQuery, ways: readonly SearchWay[]): SearchWay | undefined {
  const byVector = ways.filter(({ kind }) => kind === 'vector');
  return byVector.find(({ id }) => id === query.by) ?? byVector[0];
}

/** What the name of the vector of a row or document is. */
export function vectorNameOf({ field }: SearchWay): string {
  return field === '$vectorize' ? '$vector' : field;
}

/** The most rows of a page; a sort in memory gives no state for the next one. */
export const pageRows = 50;

/** The beginning of the page behind a reply; `shown` rows were read with it. Undefined behind the last page. */
export function nextPage(
  query: RowsQuery,
  { state, rows, shown }: { readonly state: Json | undefined; readonly rows: number; readonly shown: number },
): PageStart | undefined {
  if (typeof state === 'string') return { pageState: state };
  const isSorted = query.search === '' && query.like === '' && query.sort !== '';
  return isSorted && rows === pageRows ? { skip: shown } : undefined;
}

/** What a command needs beside the query. */
export interface FindContext {
  /** Where the page begins; absent for the first one. */
  readonly start?: PageStart | undefined;
  /** The vector of the row that `like` names. */
  readonly near?: Json | undefined;
}

/** The command, or what is wrong with the filter, the sort or the search. */
export function findCommand(
  target: Target,
  query: RowsQuery,
  ways: readonly SearchWay[],
  { start, near }: FindContext = {},
): Command | string {
  const filter = readClause(query.filter, 'filter');
  if (typeof filter === 'string') return filter;
  const sort = readClause(query.sort, 'sort');
  if (typeof sort === 'string') return sort;
  const kept = Object.keys(filter).length === 0 ? {} : { filter };
  const nearest = vectorWayOf(query, ways);
  if (near !== undefined && nearest !== undefined) {
    const options = { limit: searchLimit, includeSimilarity: true };
    return { target, name: 'find', body: { ...kept, sort: { [vectorNameOf(nearest)]: near }, options } };
  }
  const way = ways.find(({ id }) => id === query.by) ?? ways[0];
  if (query.search !== '' && way !== undefined) return searchCommand(target, kept, query.search, way);
  return {
    target,
    name: 'find',
    body: {
      ...kept,
      ...(Object.keys(sort).length === 0 ? {} : { sort }),
      ...(start === undefined ? {} : { options: numbersOf(start) }),
    },
  };
}

function numbersOf(start: PageStart): JsonObject {
  return 'skip' in start ? { skip: start.skip } : { pageState: start.pageState };
}

/** Makes a command read all members of documents, also `$vector`, `$vectorize` and `$lexical`. */
export function withAllMembers(command: Command): Command {
  if (command.target.kind !== 'collection') return command;
  return { ...command, body: { ...command.body, projection: { '*': true } } };
}

/** What was searched in each document, which replies leave out otherwise. */
const searchedTexts: ReadonlyMap<string, JsonObject> = new Map([
  ['$vectorize', { $vectorize: true }],
  ['$lexical', { $lexical: true }],
  ['$hybrid', { $vectorize: true, $lexical: true }],
]);

function searchCommand(target: Target, filter: JsonObject, text: string, way: SearchWay): Command {
  const wanted: Json = way.kind === 'vector' ? vectorOrText(text) : text;
  const projection = searchedTexts.get(way.field);
  const options: JsonObject = {
    limit: searchLimit,
    ...(way.kind === 'vector' ? { includeSimilarity: true } : {}),
    ...(way.kind === 'hybrid' ? { includeScores: true } : {}),
  };
  const body = {
    ...filter,
    ...(projection === undefined ? {} : { projection }),
    sort: { [way.field]: wanted },
    options,
  };
  return { target, name: way.kind === 'hybrid' ? 'findAndRerank' : 'find', body };
}

/** A list of numbers is a vector; everything else is a text. */
function vectorOrText(text: string): Json {
  if (!text.trim().startsWith('[')) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function readClause(text: string, name: string): JsonObject | string {
  if (text === '') return {};
  try {
    const value = parseJson(text);
    return isObject(value) ? value : `The ${name} must be a JSON object.`;
  } catch (error) {
    return `The ${name} is not JSON: ${jsonProblem(text) ?? String(error)}`;
  }
}

/** One line of the filter builder. */
export interface Condition {
  readonly field: string;
  readonly operator: string;
  /** The value as it is typed, which is JSON or a text without quotes. */
  readonly value: string;
}

/** The lines of a filter; undefined when it is more than a list of conditions that all hold. */
export function conditionsOf(text: string): readonly Condition[] | undefined {
  const filter = readClause(text, 'filter');
  if (typeof filter === 'string') return undefined;
  const { $and, ...others } = filter;
  const parts = isList($and) && Object.keys(others).length === 0 ? $and : [filter];
  const conditions: Condition[] = [];
  for (const part of parts) {
    if (!isObject(part)) return undefined;
    for (const [field, value] of Object.entries(part)) {
      // A line without a field or a value is not complete yet, so it cannot stand for an empty name.
      if (field === '' || field.startsWith('$')) return undefined;
      const operators = isObject(value) && hasOperators(value) ? value : { $eq: value };
      for (const [operator, operand] of Object.entries(operators))
        conditions.push({ field, operator, value: typedText(operand) });
    }
  }
  return conditions;
}

function hasOperators(value: JsonObject): boolean {
  return Object.keys(value).some((name) => name.startsWith('$'));
}

/** The filter of the complete lines, as JSON; empty without any. `isText` says which fields have texts only. */
export function filterOf(conditions: readonly Condition[], isText: (field: string) => boolean): string {
  const filter = new Map<string, Record<string, Json>>();
  /** Lines that say the same of a field as another one: an object has room for one of them. */
  const further: JsonObject[] = [];
  for (const { field, operator, value } of conditions) {
    if (field === '' || value === '') continue;
    const operand = typedValue(value, isText(field));
    const operators = filter.get(field) ?? {};
    if (Object.hasOwn(operators, operator)) further.push({ [field]: shortest({ [operator]: operand }) });
    else filter.set(field, { ...operators, [operator]: operand });
  }
  const first = Object.fromEntries([...filter].map(([field, operators]) => [field, shortest(operators)]));
  if (further.length > 0) return writeJson({ $and: [first, ...further] });
  return filter.size === 0 ? '' : writeJson(first);
}

/** A single value in place of `$eq`, unless it is an object, which could have operators. */
function shortest(operators: JsonObject): Json {
  const { $eq, ...others } = operators;
  return $eq !== undefined && Object.keys(others).length === 0 && !isObject($eq) ? $eq : operators;
}

/** The path of a field of documents, whose name may have dots. */
export function fieldPath(name: string): string {
  return name.replaceAll('&', '&&').replaceAll('.', '&.');
}

/** A value as it was typed: JSON where it is JSON, otherwise a text. In a field of texts, only lists are JSON. */
export function typedValue(text: string, isText: boolean): Json {
  if (isText && !/^\s*[[{"]/.test(text)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Inputs lose or change these. */
const lineBreak = /[\r\n]/;

/** A value as it can be typed in one line, which is never nothing: an empty text has quotes. */
export function typedText(value: Json | undefined): string {
  if (typeof value !== 'string') return writeJson(value);
  if (value === '' || lineBreak.test(value)) return JSON.stringify(value);
  return typedValue(value, false) === value ? value : JSON.stringify(value);
}
