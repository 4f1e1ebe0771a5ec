// The thread for large requests: runs commands with its own event loop and heap, so that small requests do not wait.
import { randomUUID } from 'node:crypto';
import type { TextToEmbed } from '../../data-service/commands/embed-texts.js';
import type { PassagesToRank } from '../../data-service/commands/rank-documents.js';
import { makeRerankers } from '../../data-service/embedding/rerankers.js';
import { checkedEngine } from '../../data-service/engine/checked-engine.js';
import { openGuestEngine } from '../../data-service/engine/embedded/guest-engine.js';
import type { Engine } from '../../data-service/engine/engine.js';
import type { ChangeHost, SchemaHost } from '../../data-service/engine/schema-host.js';
import type { StorageUsers } from '../../data-service/engine/storage-users.js';
import { makeAnswerBody } from '../../data-service/http/answer-body.js';
import { FailureLog } from '../../data-service/http/failure-log.js';
import { answerLarge } from '../../data-service/http/large-requests.js';
import { runNativeQuery } from '../../data-service/native-query/run-native-query.js';
import type {
  DocumentChangeOutcome,
  DocumentChangePlan,
  DocumentInsertOutcome,
  DocumentInsertPlan,
} from '../../data-service/query/document-write.js';
import type { Collection } from '../../data-service/schema/collection.js';
import { systemClock } from '../../foundation/telemetry/clock.js';
import { createLogger, type Logger } from '../../foundation/telemetry/logger.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../../foundation/threads/serve-thread.js';
import { type LinkMessage, MovedResult, ThreadLink } from '../../foundation/threads/thread-link.js';
import { ownMemoryOf } from '../../foundation/threads/worker-thread.js';
import { packNativeReply } from '../../ops-service/clusters/data-service-link.js';
import { openCassandra } from '../engines/open-cassandra.js';
import { type CallCounter, measureEngine } from '../engines/watch-engine.js';
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
        const answerBy = (bare: Engine) => {
          const engine = announceWrites(bare, () => link.notify('beginWrite', id));
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
    largeThreadErrors,
  );
  const logger = createLogger(
    config.logLevel,
    undefined,
    data.worker === undefined ? {} : { worker: data.worker },
  );
  const { engine, users } = await openEngine(data, link, logger);
  const catalogues = openCatalogues(config);
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

/** A guest of the engine of the main thread, or an engine of its own where the storage is not in this process. */
async function openEngine(
  { config, readTimeoutMs, writeTime }: LargeThreadData,
  link: Link,
  logger: Logger,
): Promise<{ readonly engine: Engine; readonly users: StorageUsers | undefined }> {
  const wrap = (engine: Engine) => measureEngine(engine, counterOver(link), systemClock);
  const schemaHost: SchemaHost = { schemaGeneration: (wanted) => link.call('schemaGeneration', wanted) };
  switch (config.engine) {
    case 'embedded': {
      const guest = openGuestEngine(
        { dataDirectory: config.dataDir, dialect: config.dialect, clock: systemClock, readTimeoutMs },
        {
          write: (write) => link.call('write', write, undefined, ownMemoryOf(write.packed)),
          writeDocuments: (write) => link.call('writeDocuments', write),
          deleteAll: (table) => link.call('deleteAll', table),
          findNearest: (search) => link.call('findNearest', search),
          ...schemaHost,
        },
      );
      return { engine: wrap(checkedEngine(guest)), users: undefined };
    }
    case 'cassandra': {
      const onWarning = (err: Error) =>
        logger.warn({ err }, 'the schema may be late in the thread for large requests');
      const changeHost = changesOver(link, schemaHost);
      const own = { clock: systemClock, readTimeoutMs, writeTime, changeHost, onWarning };
      return openCassandra(config, own, wrap);
    }
  }
}

function changesOver(link: Link, schemaHost: SchemaHost): ChangeHost {
  let lastId = 0;
  return {
    ...schemaHost,
    admit: (kind, table, ended) => {
      lastId += 1;
      const id = lastId;
      void ended.then(() => link.notify('endStatement', id));
      return link.call('admit', { id, kind, table });
    },
    wasChanged: (table, withinMs) => link.call('wasChanged', { table, withinMs }),
  };
}

/** A wrapper of the engine that calls `announce` before each write. */
function announceWrites(engine: Engine, announce: () => void): Engine {
  const announced =
    <Plan, Outcome>(write: (plan: Plan) => Promise<Outcome>) =>
    (plan: Plan) => {
      announce();
      return write(plan);
    };
  const { documents } = engine;
  const announcedDocuments = documents && {
    ...documents,
    insert: announced<DocumentInsertPlan, readonly DocumentInsertOutcome[]>((plan) => documents.insert(plan)),
    change: announced<DocumentChangePlan, DocumentChangeOutcome>((plan) => documents.change(plan)),
    deleteAll: announced<Collection, void>((collection) => documents.deleteAll(collection)),
  };
  return {
    ...engine,
    ...(announcedDocuments === undefined ? {} : { documents: announcedDocuments }),
    insertRows: announced((plan) => engine.insertRows(plan)),
    changeRow: announced((plan) => engine.changeRow(plan)),
    deleteRows: announced((plan) => engine.deleteRows(plan)),
  };
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
