// The errors for names that do not exist.
import { type ErrorDetail, OpsError } from './ops-error.js';

/** The maximum number of names in one message. */
const mostNames = 20;

/** The error: `there is no action "x"; the actions are flush, repair`. `what` is the singular of the names' kind. */
export function unknownName(what: string, name: string, known: readonly string[]): OpsError {
  const more = known.length > mostNames ? ` and ${known.length - mostNames} more` : '';
  const list = `${known.slice(0, mostNames).join(', ')}${more}`;
  const existing = known.length === 0 ? `there are no ${what}s` : `the ${what}s are ${list}`;
  return new OpsError('NotFound', `there is no ${what} ${JSON.stringify(name)}; ${existing}`);
}

/** The problem with the id of an alert rule that does not exist, at the path that names the rule. */
export function unknownRule(path: string, ruleId: string): ErrorDetail {
  return { path, message: `there is no alert rule ${JSON.stringify(ruleId)}` };
}
