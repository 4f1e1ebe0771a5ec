// A worker process: serves the data port together with others like it, as its owner decides.
import { type Health, noteProblem } from '../../foundation/http/health.js';
import { switchOffPretenuring } from '../../foundation/machine/pretenuring.js';
import { type OwnerChannel, serveProcess } from '../../foundation/processes/serve-process.js';
import { systemClock } from '../../foundation/telemetry/clock.js';
import { createLogger } from '../../foundation/telemetry/logger.js';
import { declareConnections, declareTurnMetrics } from '../../foundation/telemetry/process-metrics.js';
import { type LinkMessage, ThreadLink } from '../../foundation/threads/thread-link.js';
import type { DataServiceListeners } from '../data/open-data-service.js';
import { type ServedData, serveData } from '../data/serve-data.js';
import { endOnBugs } from '../parts/end-on-bugs.js';
import { countProcess, openProcessParts } from '../parts/open-process-parts.js';
import { tuneProcess } from '../parts/tune-process.js';
import {
  type DataWorkerCalls,
  type DataWorkerHost,
  type DataWorkerSettings,
  dataWorkerErrors,
  type KeyEntries,
} from './data-worker-messages.js';

/** Long enough for clients that wait for the start to get their replies. */
const afterStartMs = 500;

type Link = ThreadLink<DataWorkerHost, DataWorkerCalls>;

/** Answers the owner; the process ends with `close`, or when its owner ends. */
function serveOwner(owner: OwnerChannel<LinkMessage>): (message: LinkMessage) => void {
  tuneProcess();
  const parts = openProcessParts();
  const takeFigures = countProcess(parts.traffic, systemClock);
  const health: Health = { status: 'starting', problems: new Map() };
  let keys: KeyEntries = new Map();
  let served: ServedData | undefined;
  const open = (): ServedData => {
    if (served === undefined) throw new TypeError('the first call is "start"');
    return served;
  };
  declareConnections(parts.metrics, () => open().listener.connectionCount());
  const countTurns = declareTurnMetrics(parts.metrics);
  const setHealth = ({ status, problems }: Health) => {
    health.status = status;
    health.problems.clear();
    for (const [part, problem] of problems) noteProblem(health, part, problem);
    if (status === 'stopping') served?.listener.closeConnectionsAfterReplies();
  };
  const link: Link = new ThreadLink<DataWorkerHost, DataWorkerCalls>(
    owner,
    {
      start: async (settings) => {
        keys = settings.keys;
        setHealth(settings.health);
        served = await startServing(settings, parts, health, link, (name) => keys.get(name));
        switchOffPretenuring();
        setTimeout(() => void parts.metrics.measureProcess(), afterStartMs).unref();
        const { listener, service } = served;
        return { url: listener.url, port: listener.port, names: service.names };
      },
      beat: () => undefined,
      setHealth,
      setKeys: (changed) => {
        keys = changed;
      },
      renewTls: (identity) => open().listener.renewTls(identity),
      runNative: (query, signal) => open().service.runNative(query, signal),
      passCommand: (command, signal) => {
        parts.watch.noteWork();
        return open().service.passCommand(command, signal);
      },
      takeFigures,
      readMetrics: () => {
        countTurns({ data: parts.watch.figures() });
        return parts.metrics.values();
      },
      stopListening: async () => open().listener.close(),
      close: async () => {
        await served?.service.close();
        process.exit(0);
      },
    },
    dataWorkerErrors,
  );
  return (message) => link.receive(message);
}

function startServing(
  settings: DataWorkerSettings,
  parts: ReturnType<typeof openProcessParts>,
  health: Health,
  link: Link,
  get: KeyEntries['get'],
): Promise<ServedData> {
  const { worker, config, tls, maxConnections, pageStateKey } = settings;
  const logger = createLogger(config.logLevel, undefined, { worker });
  endOnBugs(logger);
  // The first entry loads the logger: see `createLogger`.
  logger.debug({}, 'the worker is loaded');
  const listeners: DataServiceListeners = {
    onSchemaChange: (news) => link.notify('schemaChanged', news),
    onProblem: (noted) => link.notify('noteProblem', noted),
    onFatal: (err) => {
      logger.fatal({ err }, 'the storage stopped working; the process ends');
      process.exit(1);
    },
  };
  const secrets = { keys: { get }, pageStateKey: () => pageStateKey };
  return serveData({ config, logger, parts, health, tls, maxConnections, listeners, secrets, worker });
}

serveProcess(serveOwner);
