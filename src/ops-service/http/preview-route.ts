// The route of previews: when an alert rule would have fired.
import * as v from 'valibot';
import { previewReply } from '../../descriptions/operations-replies.js';
import { LongWork } from '../../foundation/threads/long-work.js';
import { planPreview } from '../alerts/preview-rule.js';
import { readNewRule } from '../alerts/read-rule.js';
import { closedObject } from '../errors/closed-object.js';
import { badRequest } from '../errors/validation.js';
import { resultOf } from './answer-in-steps.js';
import type { OpsParts } from './ops-parts.js';
import { needCluster, type Route } from './route.js';

const seconds = v.optional(v.pipe(v.number(), v.minValue(0, 'must be seconds since 1970')));

/** The rule is checked as a new one is, so that one reply has every problem of it. */
const bodySchema = closedObject({ rule: v.unknown(), start: seconds, end: seconds });

/** Previews that wait, in addition to the one that is evaluated. */
const mostWaiting = 8;
const dayS = 86_400;
const mostDays = 14;

export function previewRoute({ series, clock }: OpsParts): Route<v.GenericSchema, typeof bodySchema> {
  const work = new LongWork(clock, mostWaiting);
  return {
    method: 'POST',
    path: '/{cluster_id}/alert-rules/preview',
    changesNothing: true,
    summary: 'When a rule, which is not stored, would have fired from start to end (default: the last day).',
    access: 'operator',
    body: bodySchema,
    reply: previewReply,
    answer: ({ body, whenGone }, given) => {
      const cluster = needCluster(given);
      const rule = readNewRule(body.rule, 'preview', cluster);
      const nowS = Math.floor(clock.nowMs() / 1000);
      const endS = body.end ?? nowS;
      const startS = body.start ?? endS - dayS;
      refuseRange(startS, endS, nowS);
      return resultOf(work, planPreview(series, cluster, rule, { startS, endS, nowS }), whenGone);
    },
  };
}

function refuseRange(startS: number, endS: number, nowS: number): void {
  if (startS >= endS) throw badRequest([{ path: 'start', message: 'must be before end' }]);
  if (startS < nowS - mostDays * dayS)
    throw badRequest([{ path: 'start', message: `must be in the last ${mostDays} days` }]);
}
