// Counts and times the commands of the table data service.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Histogram } from '../../foundation/telemetry/metric-series.js';
import { type Metrics, requestSecondsBounds } from '../../foundation/telemetry/metrics.js';
import type { RequestEnd, Traffic } from '../../foundation/telemetry/traffic.js';
import type { Command } from '../commands/command.js';
import type { Address } from '../commands/run-command.js';
import type { ApiError } from '../errors/api-error.js';

type SeenErrors = readonly Pick<ApiError, 'family' | 'code'>[];

/** Records every command. */
export interface RequestMetrics {
  /** Records the command, the errors of its reply, and the time from the complete request to the text of the reply. */
  observe(
    command: string | undefined,
    kind: Command['kind'] | undefined,
    errors: SeenErrors,
    elapsedMs: number,
    address: Address,
  ): void;
}

/**
 * `colonnade_commands_seconds{command,outcome}`; commands that were not recognised share one name. Reads and writes of
 * rows count as traffic as well.
 */
export function createRequestMetrics(metrics: Metrics, traffic: Traffic): RequestMetrics {
  const seconds = metrics.histogram(
    {
      name: 'colonnade_commands_seconds',
      help: 'Duration of commands of the table data service.',
      labelNames: ['command', 'outcome'],
    },
    requestSecondsBounds,
  );
  const known = new Map<string, Histogram>();
  const newSeries = (labels: string) => seconds.series(...labels.split(' '));
  return {
    observe(command = 'unknown', kind, errors, elapsedMs, address) {
      const outcome = outcomeOf(errors);
      getOrMake(known, `${command} ${outcome}`, newSeries).observe(elapsedMs / 1000);
      if (kind === 'read' || kind === 'write')
        traffic.endRequest(kind, endOf(outcome, errors), elapsedMs, address.keyspace, address.table);
    },
  };
}

function endOf(outcome: ReturnType<typeof outcomeOf>, errors: SeenErrors): RequestEnd {
  if (outcome !== 'failed') return 'answered';
  return errors.some(({ code }) => code.startsWith('TIMEOUT_')) ? 'timedOut' : 'failed';
}

function outcomeOf(errors: SeenErrors): 'ok' | 'refused' | 'failed' {
  if (errors.length === 0) return 'ok';
  return errors.some(({ family }) => family === 'SERVER') ? 'failed' : 'refused';
}
