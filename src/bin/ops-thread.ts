// The operations thread: wires the operations service and does what the main thread asks.
import { parentPort, workerData } from 'node:worker_threads';
import { type Listener, listen } from '../foundation/http/server.js';
import { systemClock } from '../foundation/telemetry/clock.js';
import { createLogger } from '../foundation/telemetry/logger.js';
import { openThreadTime } from '../foundation/telemetry/thread-time.js';
import { watchTurns } from '../foundation/telemetry/turn-watch.js';
import { giveWay } from '../foundation/threads/give-way.js';
import { ThreadLink } from '../foundation/threads/thread-link.js';
import type { DataServiceCalls } from '../ops-service/clusters/data-service-link.js';
import { OpsError, opsErrorForm } from '../ops-service/errors/ops-error.js';
import { errorReply } from '../ops-service/http/error-reply.js';
import { type OpenOpsParts, openOpsParts } from './open-ops-parts.js';
import { type OpsThreadCalls, type OpsThreadData, opsThreadNiceness } from './ops-messages.js';

if (parentPort === null) throw new Error('this file runs as a thread of the server');
// Only `open-ops-service.ts` starts it.
const data = workerData as OpsThreadData;
const { config } = data;
const logger = createLogger(config.logLevel);
logger.debug({}, 'the operations thread is loaded');
const maxBodyBytes = 1024 * 1024;
/** For bodies and replies together: some charts of long ranges at the same time. */
const memoryBytes = 64 * 1024 * 1024;
const tickMs = 1000;
/** Below the time in which the whole process has to stop. */
const closeTimeoutMs = 5000;

const watch = watchTurns(openThreadTime(), systemClock);
let parts: OpenOpsParts | undefined;
let listener: Listener | undefined;
let ticking: NodeJS.Timeout | undefined;

const calls: OpsThreadCalls = {
  start: async (names) => {
    const { figures: turns, noteWork } = watch;
    parts = openOpsParts({ data, clock: systemClock, logger, dataService: link, turns, noteWork });
    const { answerHead, answer, countReply } = parts;
    parts.local.names = names;
    listener = await listen({
      host: config.opsHost,
      port: config.opsPort,
      tls: data.tls,
      requestTimeoutMs: config.requestTimeoutSeconds * 1000,
      closeTimeoutMs,
      maxConnections: data.connections.ops,
      memoryBytes,
      logger,
      bodyLimit: {
        maxBytes: maxBodyBytes,
        refusal: errorReply(new OpsError('PayloadTooLarge', `the body is larger than ${maxBodyBytes} bytes`)),
      },
      onReply: (status) => {
        countReply(status);
        watch.noteWork();
      },
      answerHead,
      answer,
    });
    parts.connections = () => listener?.connectionCount() ?? 0;
    ticking = setInterval(() => parts?.tick(), tickMs);
    giveWay(opsThreadNiceness);
    watch.start();
    return listener.url;
  },
  setHealth: (status) => parts?.setHealth(status),
  noteDataProblem: (problem) => parts?.noteDataProblem(problem),
  schemaChanged: (news) => parts?.schemaChanged(news),
  renewUsers: (users) => parts?.renewUsers(users),
  renewTls: (identity) => listener?.renewTls(identity),
  stopListening: async () => listener?.close(),
  close: async () => {
    clearInterval(ticking);
    const open = parts;
    parts = undefined; // what is still said of the data service finds nobody
    await open?.close();
  },
};

const link = new ThreadLink<DataServiceCalls, OpsThreadCalls>(parentPort, calls, [opsErrorForm]);
