// The metrics that both the process of the operations service and its workers declare.
import type { Metrics } from './metrics.js';
import { longTurnMs, sampleIntervalMs, type TurnFigures } from './turn-watch.js';

/** Declares the number of open connections, which is read at each scrape. */
export function declareConnections(metrics: Metrics, count: () => number): void {
  metrics.gauge({ name: 'colonnade_http_connections', help: 'Open connections on both ports.' }, count);
}

/** The turns of the threads that this process has. */
export type TurnsByThread = Readonly<Partial<Record<'data' | 'operations', TurnFigures>>>;

/** Declares the metrics of the event loops. The result sets the figures that the next scrape shows. */
export function declareTurnMetrics(metrics: Metrics): (turns: TurnsByThread) => void {
  const labelNames = ['thread'];
  const processorTime = 'In processor time on Linux, elsewhere in time in which the loop did not wait';
  const longTurns = metrics.counter({
    name: 'colonnade_event_loop_long_turns_total',
    help: `Turns of an event loop of more than ${longTurnMs} ms. ${processorTime}.`,
    labelNames,
  });
  const longest = new Map<string, number>();
  metrics.gauge(
    {
      name: 'colonnade_event_loop_longest_turn_seconds',
      help: `The longest turn of an event loop in the last half minute to minute, or up to ${sampleIntervalMs} ms more. ${processorTime}.`,
      labelNames,
      together: 'max',
    },
    () => longest,
  );
  const counted = new Map<string, number>();
  return (turns) => {
    for (const [thread, { longTurns: count, longestMs }] of Object.entries(turns)) {
      longTurns.series(thread).add(count - (counted.get(thread) ?? 0));
      counted.set(thread, count);
      longest.set(thread, longestMs / 1000);
    }
  };
}
