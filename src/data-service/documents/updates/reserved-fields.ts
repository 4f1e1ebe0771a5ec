// `_id`, `$vector`, `$vectorize` and `$lexical` in updates.
import type { JsonValue } from '../../../foundation/json/json-value.js';
import { type ApiError, apiError } from '../../errors/api-error.js';
import type { Path } from '../path.js';
import type { EditedDocument } from './edited-document.js';
import type { OperatorName } from './operators.js';
import type { UpdateAction } from './update-action.js';
import { invalidModifier } from './update-problems.js';

const assigning: readonly OperatorName[] = ['$set', '$setOnInsert', '$unset'];

/** The error of an operator that does not change this path; undefined if it may. */
export function reservedProblem(operator: OperatorName, path: Path): ApiError | undefined {
  const [root = ''] = path;
  if (root === '_id')
    return operator === '$setOnInsert' && path.length === 1
      ? undefined
      : apiError('update', 'UNSUPPORTED_UPDATE_OPERATOR_FOR_DOC_ID', { operator });
  if (!root.startsWith('$')) return undefined;
  const isAllowed = assigning.includes(operator);
  switch (root) {
    case '$vector':
      return isAllowed
        ? undefined
        : apiError('update', 'UNSUPPORTED_UPDATE_OPERATOR_FOR_VECTOR', { operator });
    case '$vectorize':
      return isAllowed
        ? undefined
        : apiError('update', 'UNSUPPORTED_UPDATE_OPERATOR_FOR_VECTORIZE', { operator });
    case '$lexical':
      return isAllowed
        ? undefined
        : apiError('update', 'UNSUPPORTED_UPDATE_OPERATOR_FOR_LEXICAL', { operator });
    default:
      return invalidModifier(`${operator} has the path "${root}"; ${allowedInstead(root)}`);
  }
}

function allowedInstead(root: string): string {
  if (root === '$hybrid')
    return 'only inserts have "$hybrid": set "$vectorize" and "$lexical", of which it makes both, in its place';
  const names = '"$lexical", "$vector" and "$vectorize"';
  return `the only paths that begin with "$" are ${names}, by ${assigning.join(', ')}`;
}

/** Applies an action on a reserved member. A vector and the text that it was made of change together. */
export function applyReserved(
  edited: EditedDocument,
  { operator, path, operand }: Pick<UpdateAction, 'operator' | 'path' | 'operand'>,
  vectors: ReadonlyMap<string, JsonValue>,
): void {
  const [root = ''] = path;
  const isOfVector = root === '$vector' || root === '$vectorize';
  if (operator === '$unset') {
    for (const name of isOfVector ? ['$vector', '$vectorize'] : [root]) edited.remove([name]);
  } else if (root === '$vectorize') {
    if (edited.valueAt(path) === operand) return;
    edited.set(path, operand);
    edited.set(['$vector'], vectorOf(operand, vectors));
  } else {
    edited.set(path, operand);
    if (root === '$vector') edited.remove(['$vectorize']);
  }
}

function vectorOf(text: JsonValue, vectors: ReadonlyMap<string, JsonValue>): JsonValue {
  if (typeof text !== 'string' || text.trim() === '') return null;
  const vector = vectors.get(text);
  if (vector === undefined) throw new TypeError('the text of $vectorize has no vector yet');
  return vector;
}
