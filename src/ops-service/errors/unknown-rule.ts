// The problem with the id of an alert rule that is not there.
import type { ErrorDetail } from './ops-error.js';

/** At the path that names the rule. */
export function unknownRule(path: string, ruleId: string): ErrorDetail {
  return { path, message: `there is no alert rule ${JSON.stringify(ruleId)}` };
}
