// Updates of documents: the clause as a list of actions, and their application in the order of the public API.
import {
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { float } from '../column-types/floats.js';
import { apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import { leadsTo, type Path } from './path.js';
import { EditedDocument } from './updates/edited-document.js';
import { type Apply, type OperatorName, operatorNames, operators } from './updates/operators.js';
import { applyReserved, reservedProblem } from './updates/reserved-fields.js';
import type { UpdateAction } from './updates/update-action.js';
import { invalidParameter, parseUpdatePath } from './updates/update-problems.js';
import { isReservedName } from './values.js';

/** An update: its actions in the order in which they are applied. */
export interface DocumentUpdate {
  readonly actions: readonly UpdateAction[];
  /** The vectors of the texts of `$vectorize`, as arrays of numbers. */
  readonly vectors: ReadonlyMap<string, JsonValue>;
}

/**
 * Reads an update clause.
 * @throws ApiError scope UPDATE, INVALID_USAGE_OF_VECTORIZE, INVALID_VECTORIZE_VALUE_TYPE
 */
export function parseUpdate(json: JsonValue): DocumentUpdate {
  if (json === null || !isJsonObject(json))
    throw apiError('update', 'UNSUPPORTED_UPDATE_DATA_TYPE', { found: showJson(json) });
  const actions = [...json].flatMap(([name, operand]) => parseOperator(name, operand));
  refuseConflicts(actions);
  return { actions: actions.sort(byOperatorAndPath), vectors: new Map() };
}

function parseOperator(name: string, operand: JsonValue): readonly UpdateAction[] {
  const operator = operatorNames.find((each) => each === name);
  if (operator === undefined)
    throw apiError('update', 'UNSUPPORTED_UPDATE_OPERATION', {
      operator: name,
      supported: operatorNames,
      kind: 'collections',
    });
  if (operand === null || !isJsonObject(operand))
    throw apiError('update', 'UNSUPPORTED_UPDATE_DATA_TYPE', { operator, found: showJson(operand) });
  if (operand.has('$vector') && operand.has('$vectorize') && operator !== '$setOnInsert')
    throw apiError('schema', 'INVALID_USAGE_OF_VECTORIZE', { extraDesc: `${operator} names both of them` });
  return [...operand].map(([text, value]) => parseAction(operator, text, value));
}

function parseAction(operator: OperatorName, text: string, operand: JsonValue): UpdateAction {
  const path = text.startsWith('$') ? [text] : parseUpdatePath(operator, text);
  const problem = reservedProblem(operator, path);
  if (problem !== undefined) throw problem;
  if (path[0] === '$vectorize' && operator !== '$unset' && operand !== null && typeof operand !== 'string')
    throw apiError('document', 'INVALID_VECTORIZE_VALUE_TYPE', { problem: `it is ${showJson(operand)}` });
  operators[operator].check(path, operand);
  return { operator, path, operand };
}

function refuseConflicts(actions: readonly UpdateAction[]): void {
  const sorted = actions.map(({ path }) => path).sort(comparePaths);
  for (const [at, path] of sorted.entries()) {
    const next = sorted[at + 1];
    if (next !== undefined && leadsTo(path, next))
      throw invalidParameter(
        `the update has the path "${next.join('.')}" and also "${path.join('.')}"; a path can be changed only once`,
      );
  }
}

/** Paths that begin with another path follow it directly. */
function comparePaths(left: Path, right: Path): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at += 1) {
    const [one = '', other = ''] = [left[at], right[at]];
    if (one !== other) return one < other ? -1 : 1;
  }
  return left.length - right.length;
}

function byOperatorAndPath(left: UpdateAction, right: UpdateAction): number {
  const order = operatorNames.indexOf(left.operator) - operatorNames.indexOf(right.operator);
  return order === 0 ? comparePaths(left.path, right.path) : order;
}

/** The texts of `$vectorize` that are not blank. */
export function textsToEmbed({ actions }: DocumentUpdate): readonly string[] {
  return actions.flatMap(({ operator, path, operand }) => {
    const isText = path[0] === '$vectorize' && operator !== '$unset' && typeof operand === 'string';
    return isText && operand.trim() !== '' ? [operand] : [];
  });
}

/** The update with the vectors of those texts, in their order. */
export function withVectors(update: DocumentUpdate, vectors: readonly Float32Array[]): DocumentUpdate {
  const texts = textsToEmbed(update);
  const listed = texts.map((text, at) => {
    const numbers = Array.from(vectors[at] ?? [], (element) => new JsonNumber(float.serialize(element)));
    return [text, numbers] as const;
  });
  return { ...update, vectors: new Map(listed) };
}

/** The update as JSON, for another thread. */
export function packUpdate({ actions, vectors }: DocumentUpdate): JsonText {
  const packed = actions.map(({ operator, path, operand }) => [operator, path, operand]);
  return stringifyJson([packed, new Map(vectors)]);
}

/** Operands can be as deep as a body; what is stored has other limits. */
const limits = { maxDepth: 10_000, maxNumberLength: 1_000 };

/** The update that was packed. */
export function unpackUpdate(text: JsonText): DocumentUpdate {
  const json = parseJson(text, limits);
  // `packUpdate` wrote it.
  const [actions, vectors] = json as readonly [readonly [OperatorName, Path, JsonValue][], JsonObject];
  return { actions: actions.map(([operator, path, operand]) => ({ operator, path, operand })), vectors };
}

/** What an update depends on, beside the document. */
export interface UpdateContext {
  /** One instant for all documents of a command, in milliseconds since 1970. */
  readonly now: number;
  /** Whether the document is new. */
  readonly isUpsert: boolean;
}

/** A document after an update. */
export interface UpdatedDocument {
  readonly document: JsonObject;
  readonly isChanged: boolean;
}

/**
 * Applies an update to a whole document, which is not modified.
 * @throws ApiError UNSUPPORTED_UPDATE_OPERATION_TARGET, _PATH, _PARAM
 */
export function applyUpdate(
  update: DocumentUpdate,
  whole: JsonObject,
  context: UpdateContext,
): UpdatedDocument {
  const edited = new EditedDocument(whole);
  for (const action of update.actions) {
    if (action.operator === '$setOnInsert' && !context.isUpsert) continue;
    const [root = ''] = action.path;
    if (isReservedName(root)) applyReserved(edited, action, update.vectors);
    else applyAction(edited, action, context);
  }
  return { document: edited.document, isChanged: edited.isChanged };
}

function applyAction(
  edited: EditedDocument,
  { operator, path, operand }: UpdateAction,
  context: UpdateContext,
): void {
  const apply: Apply = operators[operator].apply;
  apply(edited, path, operand, context);
}
