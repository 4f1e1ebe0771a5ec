// Checks values against schemas. Messages about problems quote no values: one of them may be a secret.
import * as v from 'valibot';
import { type ErrorDetail, OpsError } from './ops-error.js';

/**
 * The output of the schema for the value.
 * @throws OpsError `BadRequest` with every problem
 */
export function validated<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw badRequest(detailsOf(result.issues));
}

/** The error for a request with these problems. */
export function badRequest(details: readonly ErrorDetail[]): OpsError {
  const [only, ...more] = details;
  const isOne = only !== undefined && more.length === 0;
  const message = isOne ? sentenceOf(only) : `the request has ${details.length} problems`;
  return new OpsError('BadRequest', message, { details });
}

/**
 * Path and problem; if the problem is a sentence of its own, with a colon between them. If a body is a list, the paths
 * of its elements are their indexes.
 */
export function sentenceOf({ path, message }: ErrorDetail): string {
  if (path === '') return message;
  if (message.startsWith('there is ')) return `${path}: ${message}`;
  const [, place, rest = ''] = /^(\d+)(?:\.(.*))?$/.exec(path) ?? [];
  if (place === undefined) return `${path} ${message}`;
  const inside = rest === '' ? '' : `${rest} of `;
  return `${inside}element ${Number(place) + 1} of the list ${message}`;
}

/** Every problem, as text that follows the path: `threshold` · `is missing`. */
export function detailsOf(issues: readonly v.BaseIssue<unknown>[]): ErrorDetail[] {
  return issues.map((issue) => ({ path: v.getDotPath(issue) ?? '', message: describe(issue) }));
}

function describe(issue: v.BaseIssue<unknown>): string {
  // This is a message of our schemas; messages of valibot begin with `Invalid ` and quote the received value.
  if (!issue.message.startsWith('Invalid ')) return issue.message;
  if (issue.expected === 'never') return 'is not known';
  if (issue.received === 'undefined') return issue.path === undefined ? 'the body is missing' : 'is missing';
  const expected = `must be ${wordsOf(issue.expected)}`;
  return issue.kind === 'schema' && issue.type !== 'picklist'
    ? `${expected}, not ${kindOf(issue.input)}`
    : expected;
}

/** Replaces valibot's names of types by ours; values are in quotes, separated by ` | `. */
function wordsOf(expected: string | null): string {
  if (expected === null) return 'something else';
  const words = typeWords.get(expected) ?? expected.replaceAll('"', '').replace(/^\((.*)\)$/, '$1');
  return words.includes(' | ') ? `one of ${words.replaceAll(' | ', ', ')}` : words;
}

const typeWords: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['Array', 'a list'],
  ['Object', 'an object'],
]);

function kindOf(input: unknown): string {
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'a list';
  switch (typeof input) {
    case 'string':
      return 'a text';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    case 'object':
      return 'an object';
    default:
      return 'this';
  }
}
