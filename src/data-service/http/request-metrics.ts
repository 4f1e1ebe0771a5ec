// Counts and times the commands of the table data service.
import { type Histogram, type Metrics, requestSecondsBounds } from '../../foundation/telemetry/metrics.js';
import type { Reply } from '../commands/reply.js';

/** Takes note of every command. */
export interface RequestMetrics {
  /** Takes the command, its reply and the time from the whole request's arrival to the reply's text. */
  observe(command: string | undefined, reply: Reply, elapsedMs: number): void;
}

/** `colonnade_commands_seconds{command,outcome}`; commands that were not recognised share one name. */
export function createRequestMetrics(metrics: Metrics): RequestMetrics {
  const seconds = metrics.histogram(
    {
      name: 'colonnade_commands_seconds',
      help: 'Duration of commands of the table data service.',
      labelNames: ['command', 'outcome'],
    },
    requestSecondsBounds,
  );
  const known = new Map<string, Histogram>();
  return {
    observe(command = 'unknown', { errors }, elapsedMs) {
      const outcome = outcomeOf(errors);
      let series = known.get(`${command} ${outcome}`);
      if (series === undefined) {
        series = seconds.series(command, outcome);
        known.set(`${command} ${outcome}`, series);
      }
      series.observe(elapsedMs / 1000);
    },
  };
}

function outcomeOf(errors: Reply['errors']): 'ok' | 'refused' | 'failed' {
  if (errors === undefined || errors.length === 0) return 'ok';
  return errors.some(({ family }) => family === 'SERVER') ? 'failed' : 'refused';
}
