// The main thread's answers to the operations thread.

import type { KeyStore } from '../data-service/embedding/key-store.js';
import { EngineError } from '../data-service/engine/engine-error.js';
import type { Maintain } from '../data-service/engine/maintenance.js';
import { FileNotWritten } from '../foundation/secrets/replace-file.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';
import {
  longTurnMs,
  noTurns,
  sampleIntervalMs,
  type TurnFigures,
} from '../foundation/telemetry/turn-watch.js';
import type { DataServiceCalls, OpsFigures } from '../ops-service/clusters/data-service-link.js';
import type { ProcessFigures } from '../ops-service/clusters/process-readings.js';
import { OpsError } from '../ops-service/errors/ops-error.js';
import { lossOrder } from '../ops-service/store/waiting-recordings.js';

/** What the answers are made of. */
export interface AnswerParts {
  readonly metrics: Metrics;
  /** Open connections of the data port. */
  readonly dataConnections: () => number;
  /** What was seen of the turns of the main thread. */
  readonly turns: () => TurnFigures;
  /** What the process counted since this was asked last. */
  readonly takeFigures: () => ProcessFigures;
  /** Rejects with an OpsError while the data service is not open. */
  readonly runNative: DataServiceCalls['runNative'];
  /** Undefined before the engine is open, and for one that has no maintenance. */
  readonly maintain: () => Maintain | undefined;
  /** Asked for once the data service is open. */
  readonly keyStore: () => KeyStore;
  readonly noteOpsProblem: DataServiceCalls['noteOpsProblem'];
}

const noFigures: OpsFigures = {
  connections: 0,
  replies: new Map(),
  waitingRecordings: 0,
  lostRecordings: { sample: 0, delivery: 0, event: 0 },
  unfollowedAlerts: 0,
  turns: noTurns,
};

/** The answers. */
export function answerOpsThread(parts: AnswerParts): DataServiceCalls {
  const { metrics, dataConnections, takeFigures, runNative, maintain, keyStore, noteOpsProblem } = parts;
  let figures: OpsFigures = noFigures;
  metrics.gauge({ name: 'colonnade_http_connections', help: 'Open connections on both ports.' }, () => {
    return dataConnections() + figures.connections;
  });
  const replies = metrics.counter({
    name: 'colonnade_ops_http_replies_total',
    help: 'Replies on the ops port by HTTP status.',
    labelNames: ['status'],
  });
  metrics.gauge(
    {
      name: 'colonnade_ops_waiting_recordings',
      help: 'Recordings that wait in memory because the disk is full.',
    },
    () => figures.waitingRecordings,
  );
  const countLosses = declareLossMetrics(metrics);
  const countTurns = declareTurnMetrics(metrics);
  return {
    renderMetrics: (given) => {
      countLosses(given, figures);
      for (const [status, count] of given.replies)
        replies.series(String(status)).add(count - (figures.replies.get(status) ?? 0));
      countTurns({ data: parts.turns(), operations: given.turns });
      figures = given;
      return metrics.render();
    },
    readMetrics: async () => takeFigures(),
    runNative,
    act: async (action, signal) => {
      const run = maintain();
      if (run === undefined) throw new OpsError('Unavailable', 'the engine of this process has no actions');
      try {
        return await run(action, signal);
      } catch (error) {
        // What the storage refuses is how the action ended; all else is a bug.
        if (error instanceof EngineError) return { state: 'error', detail: error.message };
        throw error;
      }
    },
    listKeys: () => {
      const store = keyStore();
      return store.names().map((name) => ({ name, secrets: Object.keys(store.get(name) ?? {}) }));
    },
    putKey: ({ name, secrets }) => written(() => keyStore().put(name, secrets)),
    deleteKey: (name) => written(() => keyStore().delete(name)),
    noteOpsProblem,
  };
}

/** @throws OpsError `Unavailable` where the disk refuses what is changed */
function written<Result>(change: () => Result): Result {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof FileNotWritten)) throw error;
    throw new OpsError('Unavailable', `nothing was changed: ${error.message}`, { cause: error });
  }
}

/** Declares the counters of losses. The result adds what is new since the figures before. */
function declareLossMetrics(metrics: Metrics): (now: OpsFigures, before: OpsFigures) => void {
  const lost = metrics.counter({
    name: 'colonnade_ops_lost_recordings_total',
    help: 'Recordings discarded because the disk was full for long: samples first, then deliveries, then events.',
    labelNames: ['kind'],
  });
  for (const kind of lossOrder) lost.series(kind);
  const unfollowed = metrics.counter({
    name: 'colonnade_ops_unfollowed_alerts_total',
    help: 'Alerts of which no channel is notified, because too many were followed when they fired.',
  });
  unfollowed.series();
  return (now, before) => {
    for (const kind of lossOrder)
      lost.series(kind).add(now.lostRecordings[kind] - before.lostRecordings[kind]);
    unfollowed.series().add(now.unfollowedAlerts - before.unfollowedAlerts);
  };
}

type TurnsByThread = Readonly<Record<'data' | 'operations', TurnFigures>>;

/** Declares what is shown of the event loops. The result takes what is known before it is shown. */
function declareTurnMetrics(metrics: Metrics): (turns: TurnsByThread) => void {
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
