// Says what is wrong with the arguments of a call, and what is expected.
import { nearestName } from '../../foundation/nearest-name.js';
import type { McpTool } from './mcp-tool.js';

/**
 * A message about arguments that the schema of a tool refuses. `problem`: the text of the validator, such as
 * `data/limit must be <= 100`, which does not name unknown arguments.
 */
export function argumentProblem(
  { name: tool, properties, required }: Pick<McpTool, 'name' | 'properties' | 'required'>,
  values: unknown,
  problem: string,
): string {
  const known = Object.keys(properties);
  const given = typeof values === 'object' && values !== null ? Object.keys(values) : [];
  const expected = `The arguments of ${tool}: ${listOf(known, required)}.`;
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, known);
    const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    return `there is no argument "${unknown}".${hint} ${expected}`;
  }
  const missing = required.find((name) => !given.includes(name));
  if (missing !== undefined) return `the argument "${missing}" is missing. ${expected}`;
  const text = problem.replaceAll(/(^|, )data\/([^\s/]+)(\/\S+)?/g, (_, before, name, rest = '') => {
    return `${before}"${name}${rest}"`;
  });
  return text.replaceAll(/(^|, )data /g, '$1the arguments ');
}

function listOf(known: readonly string[], required: readonly string[]): string {
  if (known.length === 0) return 'none';
  return known.map((name) => (required.includes(name) ? `${name} (required)` : name)).join(', ');
}
