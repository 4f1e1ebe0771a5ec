// The thread for large requests: runs commands with its own event loop and heap, so that small requests do not wait.
import { randomUUID } from 'node:crypto';
import type { TextToEmbed } from '../../data-service/commands/embed-texts.js';
import type { PassagesToRank } from '../../data-service/commands/rank-documents.js';
import { makeRerankers } from '../../data-service/embedding/rerankers.js';
import {
  type CallCounter,
  type CheckedEngine,
  checkedEngine,
} from '../../data-service/engine/checked-engine.js';
import type { OpenParts } from '../../data-service/engine/engine-module.js';
import { makeAnswerBody } from '../../data-service/http/answer-body.js';
import { FailureLog } from '../../data-service/http/failure-log.js';
import { answerLarge } from '../../data-service/http/large-requests.js';
import { runNativeQuery } from '../../data-service/native-query/run-native-query.js';
import { systemClock } from '../../foundation/telemetry/clock.js';
import { createLogger, type Logger } from '../../foundation/telemetry/logger.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../../foundation/threads/serve-thread.js';
import { type LinkMessage, MovedResult, ThreadLink } from '../../foundation/threads/thread-link.js';
import { ownMemoryOf } from '../../foundation/threads/worker-thread.js';
import { packNativeReply } from '../../ops-service/clusters/data-service-link.js';
import { engineModules } from '../engines/registry.js';
import { openCatalogues } from '../parts/open-embedding.js';
import {
  type LargeThreadCalls,
  type LargeThreadData,
  type LargeThreadHost,
  largeThreadErrors,
} from './large-request-messages.js';

/** With this niceness a large request may take twice as long, so that small requests do not wait. */
const niceness = 10;

async function serveLargeRequests(
  data: LargeThreadData,
  owner: OwnerPort<LinkMessage, LinkMessage>,
): Promise<ThreadWork<LinkMessage>> {
  const { config, pageStateKey } = data;
  const link = new ThreadLink<LargeThreadHost, LargeThreadCalls>(
    owner,
    {
      answer: async ({ id, body, address, user, onlyReads = false }) => {
        const embedTextsFor = () => (texts: readonly TextToEmbed[]) => link.call('embed', { id, texts });
        const rankPassagesFor = () => (passages: PassagesToRank) => link.call('rank', { id, passages });
        const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
        const answerBy = (own: CheckedEngine) => {
          const engine = own.watchedBy({ onWrite: () => link.notify('beginWrite', id) });
          const answers = makeAnswerBody({
            ...commandOptions,
            engine,
            embedder: { catalogue: catalogues.embedding, embedTextsFor },
            reranker: { ...reranking, rankPassagesFor },
            onlyReads,
          });
          return answerLarge(answers, bytes, address, hasNoHeader);
        };
        const answer = await (user === undefined || users === undefined
          ? answerBy(engine)
          : users.run(user, answerBy));
        return new MovedResult(answer, ownMemoryOf(answer.bytes ?? answer.body));
      },
      runNative: async (query) => packNativeReply(await runNativeQuery(engine, query)),
    },
    largeThreadErrors(config),
  );
  const logger = createLogger(
    config.logLevel,
    undefined,
    data.worker === undefined ? {} : { worker: data.worker },
  );
  const { engine, users } = await openEngine(data, link, logger);
  const catalogues = openCatalogues(config, data.localModels, data.providersText);
  const reranking = { catalogue: catalogues.reranking, services: makeRerankers(catalogues.reranking) };
  const commandOptions = {
    dialect: config.dialect,
    collections: config.collections === 'on',
    pageStateKey: Buffer.from(pageStateKey),
    checkEmbeddingService: () => {
      throw new TypeError('changes of the schema are not made here');
    },
    clock: systemClock,
    newId: randomUUID,
    logger,
    failures: new FailureLog(logger, systemClock),
  };
  const close = async () => {
    await users?.close();
    await engine.close();
  };
  return { receive: (message) => link.receive(message), close };
}

type Link = ThreadLink<LargeThreadHost, LargeThreadCalls>;

/** The engine of this thread, with the host of the main thread. */
function openEngine(
  { config, shared, readTimeoutMs }: LargeThreadData,
  link: Link,
  logger: Logger,
): Promise<OpenParts> {
  const watch = {
    clock: systemClock,
    counter: counterOver(link),
    onWritten: (problem: string | undefined) => link.notify('noteWrite', problem),
  };
  return engineModules[config.engine].openForLargeRequests(config, shared, link, {
    clock: systemClock,
    newId: randomUUID,
    readTimeoutMs,
    wrap: (engine) => checkedEngine(engine, watch),
    onWarning: (err) => logger.warn({ err }, 'the schema may be late in the thread for large requests'),
  });
}

/** The main thread keeps the headers, because it calls the embedding providers. */
const hasNoHeader = () => undefined;

function counterOver(link: Link): CallCounter {
  return {
    beginCall: (kind) => link.notify('countCall', { step: 'begin', kind }),
    suspendCall: (kind) => link.notify('countCall', { step: 'suspend', kind }),
    endCall: (kind, elapsedMs, keyspace, table) =>
      link.notify('countCall', { step: 'end', kind, elapsedMs, keyspace, table }),
  };
}

serveThread(serveLargeRequests, { niceness });
