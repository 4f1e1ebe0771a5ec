// The operations thread: opens the operations service and answers the calls of the main thread.
import { type BodyLimit, type Listener, listen, ordinaryBodyLimit } from '../../foundation/http/server.js';
import { logMakingSums, prepareSums } from '../../foundation/sqlite/prepare-sums.js';
import { systemClock } from '../../foundation/telemetry/clock.js';
import { createLogger, type Logger } from '../../foundation/telemetry/logger.js';
import { openThreadTime } from '../../foundation/telemetry/thread-time.js';
import { watchTurns } from '../../foundation/telemetry/turn-watch.js';
import { giveWay } from '../../foundation/threads/give-way.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../../foundation/threads/serve-thread.js';
import { type LinkMessage, ThreadLink } from '../../foundation/threads/thread-link.js';
import type { DataServiceCalls } from '../../ops-service/clusters/data-service-link.js';
import { OpsError, opsErrorForm } from '../../ops-service/errors/ops-error.js';
import { isDataPath } from '../../ops-service/http/data-routes.js';
import { errorReply } from '../../ops-service/http/error-reply.js';
import { type OpenOpsParts, openOpsParts } from './open-ops-parts.js';
import { type OpsThreadCalls, type OpsThreadData, opsFile, opsThreadNiceness } from './ops-messages.js';

const maxBodyBytes = 1024 * 1024;
const ownBodyLimit: BodyLimit = {
  maxBytes: maxBodyBytes,
  refusal: errorReply(new OpsError('PayloadTooLarge', `the body is larger than ${maxBodyBytes} bytes`)),
};
/** For bodies and replies together: enough for some charts of long ranges at the same time. */
const memoryBytes = 64 * 1024 * 1024;
const tickMs = 1000;
/** Less than the time in which the whole process must stop. */
const closeTimeoutMs = 5000;

function serveOperations(
  data: OpsThreadData,
  owner: OwnerPort<LinkMessage, LinkMessage>,
): ThreadWork<LinkMessage> {
  const { config } = data;
  const logger = createLogger(config.logLevel);
  logger.debug({}, 'the operations thread is loaded');
  const watch = watchTurns(openThreadTime(), systemClock);
  let parts: OpenOpsParts | undefined;
  let listener: Listener | undefined;
  let ticking: NodeJS.Timeout | undefined;
  const calls: OpsThreadCalls = {
    start: async (names) => {
      const { figures: turns, noteWork } = watch;
      await prepareSums(opsFile(data.opsDir), (making) => logMakingSums(logger, making));
      parts = openOpsParts({
        data,
        clock: systemClock,
        logger,
        dataService: link,
        turns,
        connectionCount: () => listener?.connectionCount() ?? 0,
        noteWork,
      });
      parts.local.names = names;
      listener = await listenForOperators(data, parts, logger, noteWork);
      ticking = setInterval(() => parts?.tick(), tickMs);
      giveWay(opsThreadNiceness); // only now: a client may wait for the start
      watch.start();
      return listener.url;
    },
    setHealth: (status) => parts?.setHealth(status),
    noteDataProblem: (noted) => parts?.noteDataProblem(noted),
    noteArchive: (figures) => parts?.noteArchive(figures),
    noteFollow: (figures) => parts?.noteFollow(figures),
    schemaChanged: (news) => parts?.schemaChanged(news),
    renewUsers: (users) => parts?.renewUsers(users),
    renewTls: (identity) => listener?.renewTls(identity),
    stopListening: async () => listener?.close(),
  };
  const link = new ThreadLink<DataServiceCalls, OpsThreadCalls>(owner, calls, [opsErrorForm]);
  return {
    receive: (message) => link.receive(message),
    close: async () => {
      clearInterval(ticking);
      const open = parts;
      parts = undefined; // later reports of the data service are ignored
      await open?.close();
      process.exit(); // ends this thread: probes and deliveries under way would keep it alive
    },
  };
}

function listenForOperators(
  { config, tls, connections }: OpsThreadData,
  { answerHead, answer, countReply }: OpenOpsParts,
  logger: Logger,
  noteWork: () => void,
): Promise<Listener> {
  return listen({
    host: config.opsHost,
    port: config.opsPort,
    tls,
    requestTimeoutMs: config.requestTimeoutSeconds * 1000,
    closeTimeoutMs,
    maxConnections: connections.ops,
    memoryBytes,
    logger,
    bodyLimit: (path) => (isDataPath(path) ? ordinaryBodyLimit : ownBodyLimit),
    onReply: (status) => {
      countReply(status);
      noteWork();
    },
    answerHead,
    answer,
  });
}

serveThread(serveOperations);
