// The routes about the process: its health and its metrics.

import * as v from 'valibot';
import { liveReply, noteProblem, readyReply } from '../../foundation/http/health.js';
import { isLoopbackHost } from '../../foundation/http/hosts.js';
import { SharedResult } from '../../foundation/limits/shared-result.js';
import { demandMetricsAccess } from '../access/gate.js';
import type { OpsParts } from './ops-parts.js';
import { type Route, WholeReply } from './route.js';

const healthSchema = v.object({
  status: v.picklist(['live', 'starting', 'ready', 'not ready', 'stopping']),
  pid: v.number(),
  problems: v.optional(v.array(v.string())),
});

/** The thread of the data service renders the metrics, so requests within this time share one rendering. */
const leastRenderMs = 250;

/** The routes of health and metrics. */
export function processRoutes(parts: OpsParts): readonly Route[] {
  const { health, pid, store, dataService, clock } = parts;
  const rendering = new SharedResult(
    () => dataService.call('renderMetrics', parts.figures()),
    leastRenderMs,
    clock,
  );
  return [
    {
      method: 'GET',
      path: '/health/live',
      summary: 'Answers 200 as long as the process answers at all.',
      access: 'open',
      reply: healthSchema,
      answer: () => new WholeReply(liveReply(pid)),
    },
    {
      method: 'GET',
      path: '/health/ready',
      summary:
        'Answers 200 when both services take requests, 503 before and after, and while the cluster of --engine ' +
        'cassandra cannot be reached.',
      access: 'open',
      reply: healthSchema,
      answer: ({ session }) => {
        noteProblem(health, 'ops', store.problem);
        const mayReadProblems = session !== undefined || isLoopbackHost(parts.metricsAccess.opsHost);
        return new WholeReply(readyReply(health, pid, mayReadProblems));
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      summary: "The metrics of the process in Prometheus' text format.",
      access: 'open',
      contentType: 'text/plain',
      reply: v.string(),
      answer: async ({ header }) => {
        demandMetricsAccess(header('authorization'), parts.metricsAccess);
        const body = await rendering.get();
        return new WholeReply({ status: 200, contentType: 'text/plain; version=0.0.4; charset=utf-8', body });
      },
    },
  ];
}
