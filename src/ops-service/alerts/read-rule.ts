// Reads a rule from the body of a request: checks every field, required and unknown fields, and contradictions.
import * as v from 'valibot';
import { decimalNumber } from '../../foundation/json/write-json.js';
import { type ErrorDetail, OpsError } from '../errors/ops-error.js';
import { sentenceOf } from '../errors/validation.js';
import type { Rule, RuleContext, RuleKind } from './rule.js';
import { commonDefaults, commonFields, ruleFields } from './rule-fields.js';
import { ruleKinds } from './rules/registry.js';

/** The number of problems in the message of a refusal; the details have all of them. */
const problemsInMessage = 3;

/** A body: the members of a JSON object. */
export type RuleBody = Readonly<Record<string, unknown>>;

/**
 * The rule for a body.
 * @throws OpsError `BadRequest` with every problem of the body
 */
export function readNewRule(body: unknown, id: string, context: RuleContext): Rule {
  const fields = readBody(body);
  const problems = 'id' in fields ? [{ path: 'id', message: 'is assigned by the service: omit it' }] : [];
  const { rule, details } = examineRule({ ...fields, id }, context);
  if (problems.length + details.length > 0) throw refusal([...problems, ...details]);
  return rule;
}

/**
 * The rule after the changes in a body; null removes an optional field.
 * @throws OpsError with every problem: `Conflict` when `id` or `type` would change, otherwise `BadRequest`
 */
export function readChangedRule(rule: Rule, body: unknown, context: RuleContext): Rule {
  const fields = readBody(body);
  const { id, type } = rule;
  const fixed = (['id', 'type'] as const)
    .filter((name) => name in fields && fields[name] !== rule[name])
    .map((name) => ({ path: name, message: `is "${rule[name]}" and cannot be changed` }));
  const merged = Object.entries({ ...rule, ...fields, id, type }).filter(
    ([name, value]) => value !== null || !ruleFields.has(name),
  );
  const { rule: changed, details } = examineRule(Object.fromEntries(merged), context);
  if (fixed.length > 0) {
    const message = 'id and type of a rule cannot be changed';
    throw new OpsError('Conflict', message, { details: [...fixed, ...details] });
  }
  if (details.length > 0) throw refusal(details);
  return changed;
}

/** A rule in the form of replies: fields in a fixed order, minutes and thresholds with a decimal point. */
export function showRule(rule: Rule): Readonly<Record<string, unknown>> {
  const given = new Map<string, unknown>(Object.entries(rule));
  const shown = [...ruleFields].map(([name, { type }]) => {
    const value = given.get(name);
    return [name, type === 'number' && typeof value === 'number' ? decimalNumber(value) : value] as const;
  });
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined));
}

function readBody(body: unknown): RuleBody {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  throw new OpsError('BadRequest', 'the body must be an object with the fields of an alert rule', {
    details: [{ path: '', message: 'must be an object' }],
  });
}

/** The rule for a body, with defaults, and its problems. If there are problems, the rule is not valid. */
function examineRule(
  body: RuleBody,
  context: RuleContext,
): { readonly rule: Rule; readonly details: readonly ErrorDetail[] } {
  const kind = typeof body['type'] === 'string' ? ruleKinds.get(body['type']) : undefined;
  const defaults = kind === undefined ? {} : { ...commonDefaults, ...kind.defaults };
  const fields = { ...defaults, ...body };
  const problems = problemsOf(fields, kind);
  const wrong = new Set(problems.map(({ path }) => path.split('.')[0]));
  const right = Object.entries(fields).filter(([name]) => !wrong.has(name));
  // Each of these fields has passed its check, and `crossCheck` checks that all fields required by the kind are
  // present.
  const rule = { ...defaults, ...Object.fromEntries(right) } as Rule;
  return { rule, details: [...problems, ...crossCheck(kind, rule, context)] };
}

/** Contradictions between fields; none while a required field is missing or invalid. */
function crossCheck(kind: RuleKind | undefined, rule: Rule, context: RuleContext): readonly ErrorDetail[] {
  return kind?.needs.every((name) => name in rule) === true ? kind.check(rule, context) : [];
}

function refusal(details: readonly ErrorDetail[]): OpsError {
  const shown = details.slice(0, problemsInMessage).map(sentenceOf).join('; ');
  const more = details.length > problemsInMessage ? '; see details for the others' : '';
  const message =
    details.length === 1 ? shown : `the alert rule has ${details.length} problems: ${shown}${more}`;
  return new OpsError('BadRequest', message, { details });
}

function problemsOf(fields: RuleBody, kind: RuleKind | undefined): readonly ErrorDetail[] {
  const taken = kind === undefined ? undefined : [...Object.keys(commonFields), ...Object.keys(kind.fields)];
  const problems = Object.entries(fields).flatMap(([name, value]) =>
    problemsOfField(name, value, taken, kind),
  );
  const needed: readonly string[] = ['type', ...(kind?.needs ?? [])];
  const missing = needed.filter((name) => !Object.hasOwn(fields, name));
  return [...problems, ...missing.map((name) => ({ path: name, message: missingMessage(kind) }))];
}

function problemsOfField(
  name: string,
  value: unknown,
  taken: readonly string[] | undefined,
  kind: RuleKind | undefined,
): readonly ErrorDetail[] {
  const field = ruleFields.get(name);
  if (field === undefined) return [{ path: name, message: 'is not a field of alert rules' }];
  if (taken !== undefined && !taken.includes(name)) {
    const takers = [...ruleKinds.values()]
      .filter(({ fields }) => Object.hasOwn(fields, name))
      .map(({ type }) => type);
    return [
      { path: name, message: `is not a field of the type ${kind?.type}, only of ${takers.join(', ')}` },
    ];
  }
  const result = v.safeParse(field, value);
  if (result.success) return [];
  return result.issues.map((issue) => {
    const inner = v.getDotPath(issue);
    return { path: inner === null ? name : `${name}.${inner}`, message: issue.message };
  });
}

function missingMessage(kind: RuleKind | undefined): string {
  return kind === undefined ? 'is missing' : `is missing: type ${kind.type} needs it`;
}
