// Objects whose member names are chosen by the sender: headers, annotations.
import * as v from 'valibot';
import { withoutLists } from './closed-object.js';

/** The schema of objects that map names to values of one kind. */
export type NamedValues<Value extends v.GenericSchema> = v.GenericSchema<
  Record<string, v.InferInput<Value>>,
  Record<string, v.InferOutput<Value>>
>;

/**
 * Like `v.record` with `v.maxEntries`, which drops members like `constructor` and accepts lists: this keeps every
 * member and refuses lists. If an object has too many members, they are not checked.
 */
export function namedValues<Value extends v.GenericSchema>(
  name: v.GenericSchema<string, string>,
  value: Value,
  most: number,
): NamedValues<Value> {
  const message = `must have at most ${most} members`;
  const record: NamedValues<Value> = withoutLists(v.record(name, value));
  const schema = v.pipe(record, v.maxEntries(most, message));
  const counted = v.pipe(v.looseObject({}), v.maxEntries(most, message));
  const member = v.tuple([name, value]);
  const run: NamedValues<Value>['~run'] = (dataset, config) => {
    const input = dataset.value;
    if (!isObject(input)) return schema['~run'](dataset, config);
    const members = Object.entries(input);
    const isTooLarge = members.length > most;
    const checked = isTooLarge ? [] : members.map((pair) => v.safeParse(member, pair, config));
    const [first, ...others] = isTooLarge
      ? (v.safeParse(counted, input, config).issues ?? [])
      : checked.flatMap(({ issues }, at) => problemsOf(issues, input, members[at]));
    if (first !== undefined) return { typed: false, value: input, issues: [first, ...others] };
    // Without issues, each output has the type of the schemas.
    const outputs = checked.map(({ output }) => output as [string, v.InferOutput<Value>]);
    return { typed: true, value: Object.fromEntries(outputs) };
  };
  return { ...schema, '~run': run };
}

/** Converts the issues of a pair of name and value to issues of a member. */
function problemsOf(
  issues: readonly v.BaseIssue<unknown>[] = [],
  input: Record<string, unknown>,
  [key, value]: readonly [string, unknown] = ['', undefined],
): readonly v.BaseIssue<unknown>[] {
  return issues.map((issue) => {
    const [side, ...inside] = issue.path ?? [];
    const origin = side?.key === 0 ? 'key' : 'value';
    return { ...issue, path: [{ type: 'object', origin, input, key, value }, ...inside] };
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
