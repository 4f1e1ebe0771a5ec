// The routes of alert rules.
import * as v from 'valibot';
import { showRule } from '../alerts/read-rule.js';
import { commonFields, ruleFields } from '../alerts/rule-fields.js';
import type { OpsParts } from './ops-parts.js';
import { needCluster, type Route } from './route.js';

const schemas = Object.fromEntries(ruleFields);
const { id: _id, type: _type, ...schemasOfNew } = schemas;
const { type } = commonFields;

/** A rule in the form of replies. */
const ruleSchema = v.strictObject({ ...optional(schemas), id: v.string(), type });

/** The repository checks it with the kind of the rule, so that one reply has every problem. */
const uncheckedBody = v.unknown();
const newRuleSchema = v.strictObject({ type, ...optional(schemasOfNew) });
/** `id` and `type` cannot change; null removes an optional field. */
const changesSchema = v.strictObject({
  ...Object.fromEntries(
    Object.entries(schemas).map(([name, field]) => [name, v.optional(v.nullable(field))]),
  ),
  id: v.optional(commonFields.id),
  type: v.optional(type),
});

function optional(fields: Readonly<Record<string, v.GenericSchema>>) {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, v.optional(field)]));
}

/** The routes of alert rules. */
export function ruleRoutes({ rules }: OpsParts): readonly Route[] {
  const path = '/{cluster_id}/alert-rules';
  const rulePath = `${path}/{alert_id}`;
  const list: Route = {
    method: 'GET',
    path,
    summary: 'The alert rules, oldest first.',
    access: 'viewer',
    reply: v.array(ruleSchema),
    answer: (_, cluster) => rules.list(needCluster(cluster).id).map(showRule),
  };
  const get: Route = {
    method: 'GET',
    path: rulePath,
    summary: 'One alert rule.',
    access: 'viewer',
    reply: ruleSchema,
    answer: ({ params }, cluster) => showRule(rules.get(needCluster(cluster).id, params['alert_id'] ?? '')),
  };
  const create: Route = {
    method: 'POST',
    path,
    summary: 'Creates an alert rule; the reply is its id.',
    access: 'operator',
    body: uncheckedBody,
    documentedBody: newRuleSchema,
    reply: v.string(),
    status: 201,
    answer: ({ body, caller }, cluster) => rules.create(needCluster(cluster), body, caller).id,
  };
  const change: Route = {
    method: 'PUT',
    path: rulePath,
    summary: 'Changes the fields that are given; null removes an optional one.',
    access: 'operator',
    body: uncheckedBody,
    documentedBody: changesSchema,
    reply: v.null(),
    answer: ({ params, body, caller }, cluster) =>
      rules.change(needCluster(cluster), params['alert_id'] ?? '', body, caller),
  };
  const remove: Route = {
    method: 'DELETE',
    path: rulePath,
    summary: 'Deletes an alert rule; its alerts clear.',
    access: 'operator',
    reply: v.null(),
    answer: ({ params, caller }, cluster) =>
      rules.delete(needCluster(cluster).id, params['alert_id'] ?? '', caller),
  };
  return [list, get, create, change, remove];
}
