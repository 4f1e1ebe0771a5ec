// The main thread's answers to the operations thread.

import { RangesNotRead } from '../../archive/contents/asked-ranges.js';
import type { KeyStore } from '../../data-service/embedding/key-store.js';
import { EngineError } from '../../data-service/engine/engine-error.js';
import { FileNotWritten } from '../../foundation/secrets/replace-file.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import { declareConnections, declareTurnMetrics } from '../../foundation/telemetry/process-metrics.js';
import { noTurns } from '../../foundation/telemetry/turn-watch.js';
import type {
  DataServiceCalls,
  KeyEntry,
  OpsFigures,
  ShownRanges,
} from '../../ops-service/clusters/data-service-link.js';
import { OpsError } from '../../ops-service/errors/ops-error.js';
import { lossOrder } from '../../ops-service/store/waiting-recordings.js';
import type { DataServer } from '../data/data-server.js';

/** The parts that the answers use. */
export interface AnswerParts {
  readonly metrics: Metrics;
  readonly keyStore: KeyStore;
  /** @throws OpsError while it is not open */
  readonly dataServer: () => AnsweringData;
  /** Makes a follower the first server; undefined for other servers. @throws OpsError `Conflict` */
  readonly promote?: ((isForced: boolean) => Promise<void>) | undefined;
  /** Reads the moments that the archive has; undefined without an archive. @throws RangesNotRead */
  readonly readRanges?: (() => Promise<ShownRanges>) | undefined;
}

/** What the answers need of the table data service. */
export type AnsweringData = Pick<
  DataServer,
  | 'connectionCount'
  | 'turns'
  | 'workerMetrics'
  | 'takeFigures'
  | 'runNative'
  | 'passCommand'
  | 'maintain'
  | 'keysChanged'
  | 'noteOpsProblem'
  | 'url'
>;

const noFigures: OpsFigures = {
  connections: 0,
  replies: new Map(),
  waitingRecordings: 0,
  lostRecordings: { sample: 0, delivery: 0, event: 0 },
  unfollowedAlerts: 0,
  turns: noTurns,
};

export function answerOpsThread(parts: AnswerParts): DataServiceCalls {
  const { metrics, keyStore, dataServer, promote } = parts;
  const changeKeys = async <Result>(change: () => Result): Promise<Result> => {
    const result = written(change);
    await dataServer().keysChanged();
    return result;
  };
  let figures: OpsFigures = noFigures;
  declareConnections(metrics, () => dataServer().connectionCount() + figures.connections);
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
    renderMetrics: async (given) => {
      countLosses(given, figures);
      for (const [status, count] of given.replies)
        replies.series(String(status)).add(count - (figures.replies.get(status) ?? 0));
      const data = dataServer().turns();
      countTurns({ ...(data === undefined ? {} : { data }), operations: given.turns });
      figures = given;
      return metrics.render(await dataServer().workerMetrics());
    },
    readMetrics: () => dataServer().takeFigures(),
    runNative: async (query, signal) => dataServer().runNative(query, signal),
    passCommand: async (command, signal) => dataServer().passCommand(command, signal),
    act: async (action, signal) => {
      const run = dataServer().maintain;
      if (run === undefined) throw new OpsError('Unavailable', 'the engine of this process has no actions');
      try {
        return await run(action, signal);
      } catch (error) {
        // A refusal by the storage is the outcome of the action; any other error is a bug.
        if (error instanceof EngineError) return { state: 'error', detail: error.message };
        throw error;
      }
    },
    promote: (isForced) => {
      if (promote !== undefined) return promote(isForced);
      throw new OpsError('Conflict', 'this server follows no archive: it is the first one');
    },
    readRanges: () => rangesOf(parts),
    listKeys: () => keyStore.names().map((name) => shownKey(name, keyStore)),
    putKey: ({ name, secrets }) => changeKeys(() => keyStore.put(name, secrets)),
    deleteKey: (name) => changeKeys(() => keyStore.delete(name)),
    dataUrl: () => dataServer().url,
    noteOpsProblem: (problem) => dataServer().noteOpsProblem(problem),
  };
}

function shownKey(name: string, keyStore: KeyStore): KeyEntry {
  const { secrets, ...others } = keyStore.get(name) ?? { secrets: {} };
  return { name, secrets: Object.keys(secrets), ...others };
}

/** @throws OpsError */
async function rangesOf({ readRanges }: AnswerParts): Promise<ShownRanges> {
  if (readRanges === undefined) throw new OpsError('NotFound', 'this server has no archive: see --archive');
  try {
    return await readRanges();
  } catch (error) {
    if (error instanceof RangesNotRead) throw new OpsError('Unavailable', error.message, { cause: error });
    throw error;
  }
}

/** @throws OpsError `Unavailable` when the disk refuses the change */
function written<Result>(change: () => Result): Result {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof FileNotWritten)) throw error;
    throw new OpsError('Unavailable', `nothing was changed: ${error.message}`, { cause: error });
  }
}

/** Declares the counters of losses. The result adds the difference between two sets of figures. */
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
