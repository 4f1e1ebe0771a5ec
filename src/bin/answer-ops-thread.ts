// The main thread's answers to the operations thread.
import type { Metrics } from '../foundation/telemetry/metrics.js';
import type { DataServiceCalls, OpsFigures } from '../ops-service/clusters/data-service-link.js';
import type { ProcessFigures } from '../ops-service/clusters/process-readings.js';

/** What the answers are made of. */
export interface AnswerParts {
  readonly metrics: Metrics;
  /** Open connections of the data port. */
  readonly dataConnections: () => number;
  /** What the process counted since this was asked last. */
  readonly takeFigures: () => ProcessFigures;
  /** Rejects with an OpsError while the data service is not open. */
  readonly runNative: DataServiceCalls['runNative'];
}

/** The answers. */
export function answerOpsThread(parts: AnswerParts): DataServiceCalls {
  const { metrics, dataConnections, takeFigures, runNative } = parts;
  let figures: OpsFigures = { connections: 0, replies: new Map() };
  metrics.gauge({ name: 'colonnade_http_connections', help: 'Open connections on both ports.' }, () => {
    return dataConnections() + figures.connections;
  });
  const replies = metrics.counter({
    name: 'colonnade_ops_http_replies_total',
    help: 'Replies on the ops port by HTTP status.',
    labelNames: ['status'],
  });
  return {
    renderMetrics: (told) => {
      for (const [status, count] of told.replies)
        replies.series(String(status)).add(count - (figures.replies.get(status) ?? 0));
      figures = told;
      return metrics.render();
    },
    readMetrics: async () => takeFigures(),
    runNative,
  };
}
