// One action of an update.
import type { JsonValue } from '../../../foundation/json/json-value.js';
import type { Path } from '../path.js';
import type { OperatorName } from './operators.js';

/** One operator on one path. */
export interface UpdateAction {
  readonly operator: OperatorName;
  readonly path: Path;
  readonly operand: JsonValue;
}
